import { DEFAULT_ROLE, platformClients, type PlatformService } from "../../identity/platform-realm.ts";
import type { Finding } from "../finding.ts";
import type { OwnClient } from "./client.ts";
import { found } from "./found.ts";
import type { Claims } from "./token.ts";

type Rights = { realm: readonly string[]; management: readonly string[] };

const PLATFORM = platformClients({ "auth-service": "", "user-service": "", "admin-service": "" });
const NAMES = { auth: "auth-service", users: "user-service", admin: "admin-service" } as const satisfies Record<OwnClient["service"], PlatformService>;

/** Roles of the realm that say nothing at our services, or only what a service account of ours may say. */
const HARMLESS = new RegExp(`^(INTERNAL_SERVICE|ROLE_INTERNAL_SERVICE|offline_access|uma_authorization|${DEFAULT_ROLE}.*)$`);

/** Rights that are missing, and those that are too many: whoever learns the secret of a client has all of its. */
export function rightsFindings({ id: client, service }: OwnClient, { realm_access, resource_access }: Claims): Finding[] {
  if (realm_access === undefined && resource_access === undefined) return [found("token-bare", { client })];
  const realm = realm_access?.roles ?? [];
  const management = resource_access?.["realm-management"]?.roles ?? [];
  const { realmRoles, managementRoles } = PLATFORM[NAMES[service]];
  const needed: Rights = { realm: realmRoles, management: managementRoles };
  const missing = [
    ...needed.realm.filter((role) => !realm.includes(role) && !realm.includes(`ROLE_${role}`)),
    ...needed.management.filter((role) => !management.includes(role)).map((role) => `realm-management ${role}`),
  ];
  const first = missing.length === 0 ? found("rights", { client }) : found("rights-missing", { client, roles: missing.join(", ") });
  return [first, ...excess(client, { realm, management }, needed)];
}

function excess(client: string, { realm, management }: Rights, needed: Rights): Finding[] {
  const beyond = realm.filter((role) => !HARMLESS.test(role) && !needed.realm.includes(role));
  const everything = [...beyond.filter((role) => /^(ROLE_)?ADMIN$/.test(role)), ...management.filter((role) => role === "realm-admin")];
  if (everything.length > 0) return [found("rights-everything", { client, roles: everything.join(", ") })];
  const roles = [...beyond, ...management.filter((role) => !needed.management.includes(role)).map((role) => `realm-management ${role}`)];
  return roles.length === 0 ? [] : [found("rights-excess", { client, roles: roles.join(", ") })];
}
