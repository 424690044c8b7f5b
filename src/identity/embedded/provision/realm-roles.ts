import { defaultRole, PLATFORM_ROLES } from "../../platform-realm.ts";

/** A role to be there; `client` names the client whose role it is, `contains` other roles as `name` or `client/name`. */
export type RoleToProvide = { name: string; client: string | null; description: string; contains: string[] };

const MANAGEMENT = "realm-management";
const ADMINISTRATION = [
  "create-client", "impersonation",
  "manage-authorization", "manage-clients", "manage-events", "manage-identity-providers", "manage-organizations", "manage-realm", "manage-users",
  "query-clients", "query-groups", "query-organizations", "query-realms", "query-users",
  "view-authorization", "view-clients", "view-events", "view-identity-providers", "view-organizations", "view-realm", "view-users",
];
const CONTENTS: Record<string, string[]> = {
  "view-users": ["query-users", "query-groups"],
  "view-clients": ["query-clients"],
  "view-organizations": ["query-organizations"],
};

/** What every Keycloak realm has from the start, and the platform's own two. */
export function realmRoles(realm: string): RoleToProvide[] {
  return [
    ...PLATFORM_ROLES.map(({ name, description }) => role(name, { description })),
    role("offline_access", { description: "${role_offline-access}" }),
    role("uma_authorization", { description: "${role_uma_authorization}" }),
    role(defaultRole(realm), {
      description: "${role_default-roles}",
      contains: ["offline_access", "uma_authorization", "account/view-profile", "account/manage-account"],
    }),
    role("view-profile", { client: "account" }),
    role("manage-account", { client: "account", contains: ["account/manage-account-links"] }),
    role("manage-account-links", { client: "account" }),
    ...ADMINISTRATION.map((name) => role(name, { client: MANAGEMENT, contains: (CONTENTS[name] ?? []).map(ofManagement) })),
    role("realm-admin", { client: MANAGEMENT, contains: ADMINISTRATION.map(ofManagement) }),
  ];
}

function role(name: string, rest: Partial<RoleToProvide>): RoleToProvide {
  return { name, client: null, description: `\${role_${name}}`, contains: [], ...rest };
}

function ofManagement(name: string): string {
  return `${MANAGEMENT}/${name}`;
}
