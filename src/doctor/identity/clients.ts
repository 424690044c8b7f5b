import * as z from "zod";
import type { Finding } from "../finding.ts";
import type { OwnClient } from "./client.ts";
import { found } from "./found.ts";

/** What is of interest of Keycloak's ClientRepresentation. */
export const ClientsSchema = z.array(
  z.object({
    clientId: z.string(),
    enabled: z.boolean(),
    publicClient: z.boolean(),
    directAccessGrantsEnabled: z.boolean(),
    standardFlowEnabled: z.boolean(),
    implicitFlowEnabled: z.boolean(),
    defaultClientScopes: z.array(z.string()).default([]),
    optionalClientScopes: z.array(z.string()).default([]),
  }),
);

type Client = z.infer<typeof ClientsSchema>[number];

/** The ways to a token that a client of ours offers beyond what we use. */
export function doorFindings({ id: client, service }: OwnClient, registered: Client): Finding[] {
  const scopes = [...registered.defaultClientScopes, ...registered.optionalClientScopes];
  const open = [
    ...(registered.directAccessGrantsEnabled && service !== "auth" ? [found("direct-grants-excess", { client })] : []),
    ...(registered.standardFlowEnabled || registered.implicitFlowEnabled ? [found("browser-flows", { client })] : []),
  ];
  const offline = scopes.includes("offline_access") ? [found("offline-access", { client })] : [];
  return [...(open.length > 0 ? open : [found("client-fine", { client })]), ...offline];
}

/** Public clients that take passwords: whoever guesses through one is counted by nobody here. */
export function guessingFinding(all: readonly Client[]): Finding {
  const open = all.filter(({ enabled, publicClient, directAccessGrantsEnabled }) => enabled && publicClient && directAccessGrantsEnabled);
  return open.length === 0 ? found("guessing") : found("guessing-open", { clients: open.map(({ clientId }) => clientId).join(", ") });
}
