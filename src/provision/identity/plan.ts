import * as z from "zod";
import { ADMINISTRATION_TIMEOUT_MS, AdministrationError, notReached } from "../../administration/administer.ts";
import { keycloakAdmin, type KeycloakAdministrator } from "../../administration/keycloak.ts";
import { realmRest } from "../../administration/realm.ts";
import type { Call } from "../../http/call.ts";
import type { Fetch } from "../../http/fetch.ts";
import { path } from "../../http/path.ts";
import { shaped, upstream } from "../../http/upstream.ts";
import { IDENTITY_PROVIDER as name } from "../../identity/admin-rest.ts";
import { PLATFORM_SERVICES, platformClients, type PlatformService } from "../../identity/platform-realm.ts";
import { type Plan, type Planning, together } from "../plan.ts";
import { planAccount } from "./accounts.ts";
import { planAdministrator } from "./administrator.ts";
import { planClient } from "./clients.ts";
import { checkRealm, findRealm, planRealm } from "./realm.ts";
import { planRoles } from "./roles.ts";

export type IdentityToPlan = {
  url: string;
  realm: string;
  administrator: KeycloakAdministrator;
  /** The platform's own clients: ids, settings that their secrets are kept under, and secrets that the operator gave. */
  clients: Record<PlatformService, { clientId: string; setting: string; given: string | undefined }>;
  firstAdministrator: { username: string; isNamed: boolean; password: string | undefined };
};

type On = Planning & { fetch: Fetch; now: () => number; newPassword: () => string };

const DiscoverySchema = z.object({ issuer: z.string() });

/** What a Keycloak (26.x) lacks to be the platform's identity provider. */
export async function planIdentity(call: Call, system: IdentityToPlan, on: On): Promise<Plan> {
  const { url, realm, clients, firstAdministrator } = system;
  checkRealm(realm);
  const administer = keycloakAdmin({ ...on, url, administrator: system.administrator });
  const rest = realmRest(administer, realm);
  const live = await findRealm(call, rest);
  const isNew = live === undefined;
  await checkIssuer(call, { ...on, url, realm: isNew ? "master" : realm });

  const ids = { "auth-service": clients["auth-service"].clientId, "user-service": clients["user-service"].clientId, "admin-service": clients["admin-service"].clientId };
  const described = platformClients(ids);
  const plans = [await planRealm(call, { ...on, rest, administer, live }), await planRoles(call, { rest, isNew })];
  for (const service of PLATFORM_SERVICES) {
    const client = described[service];
    const { isOurs, plan } = await planClient(call, { ...clients[service], client }, { ...on, rest, isNew });
    plans.push(plan);
    if (isOurs) plans.push(await planAccount(call, client, { rest, isNew }));
  }
  const { username, isNamed, password: given } = firstAdministrator;
  plans.push(await planAdministrator(call, { ...on, rest, isNew, username, isNamed, given }));
  return together(...plans);
}

/** Every token says who issued it, and one that says otherwise than the platform expects is refused. */
async function checkIssuer(call: Call, { url, realm, fetch, now }: { url: string; realm: string; fetch: Fetch; now: () => number }): Promise<void> {
  const server = upstream({ name, url, fetch, now, timeout: ADMINISTRATION_TIMEOUT_MS });
  const at = path`/realms/${realm}`;
  const outcome = await server.send(call, { method: "GET", path: `${at}/.well-known/openid-configuration` });
  if (outcome.kind === "lost") throw notReached({ name, url }, outcome);
  const { issuer } = shaped(name, outcome, DiscoverySchema);
  if (issuer === url + at) return;
  throw new AdministrationError(`Cannot use "${url}": the tokens of its realm "${realm}" say that "${issuer}" issued them, so set IDENTITY_URL to "${issuer.replace(/\/realms\/.*$/, "")}"`);
}
