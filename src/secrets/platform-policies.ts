/** What the platform's own AppRoles are and may do, wherever the secrets store is. */

/** AppRole → the one policy of its tokens, named otherwise than what the administration service may write. */
export const PLATFORM_APPROLES = { "admin-service": "platform-admin", "config-server": "platform-config" } as const;

export type PlatformAppRole = keyof typeof PLATFORM_APPROLES;

/** Seconds: an hour, renewed up to four. */
export const PLATFORM_TOKEN = { token_ttl: 3600, token_max_ttl: 4 * 3600 };

/** Name → HCL; `services` are those whose `{service}-policy` the administration service writes. */
export function platformPolicies(services: readonly string[]): Record<(typeof PLATFORM_APPROLES)[PlatformAppRole], string> {
  return {
    "platform-admin": adminPolicy({ policies: services.map((service) => `${service}-policy`), platformRoles: Object.keys(PLATFORM_APPROLES) }),
    // Every service's secrets, for who presents that service's token.
    "platform-config": allow("secret/data/platform/+/+", ["read"]),
  };
}

type AdminPolicy = { policies: readonly string[]; platformRoles: readonly string[] };

type Right = [path: string, capabilities: string[]];

export function adminPolicy(of: AdminPolicy): string {
  return adminRights(of).map(([path, capabilities]) => allow(path, capabilities)).join("\n");
}

/**
 * The least that the administration service needs. Roles: `create` without `update`, so that an existing one answers 403
 * and a race cannot write over it. Policies by exact name: patterns end in a glob or have none. Its token's policy must not
 * be one of `policies`, or the service could rewrite its own rights.
 *
 * The roles that the platform itself works with are closed to it as they are spelt here: it may neither mint credentials of
 * theirs nor delete them. That holds for this service, which takes names of `[a-z0-9-]` only, not for who has stolen its
 * credentials: Vault puts the name of an AppRole in lower case after it has checked the path, so `CONFIG-SERVER` passes.
 */
export function adminRights({ policies, platformRoles }: AdminPolicy): Right[] {
  return [
    ["auth/approle/role", ["list"]],
    ["auth/approle/role/+", ["create", "read", "delete"]],
    ["auth/approle/role/+/role-id", ["read"]],
    ["auth/approle/role/+/secret-id", ["update"]],
    ...platformRoles.flatMap((role): Right[] => [[`auth/approle/role/${role}`, ["read"]], [`auth/approle/role/${role}/secret-id`, ["deny"]]]),
    // A first put needs "create", a further one "update", a merge patch "patch".
    ["secret/data/platform/+/dev", ["create", "read", "update", "patch"]],
    ["secret/metadata/platform/+/dev", ["delete"]],
    ["sys/policies/acl", ["list"]],
    ...policies.map((name): Right => [`sys/policies/acl/${name}`, ["update", "delete"]]),
  ];
}

function allow(path: string, capabilities: string[]): string {
  return `path "${path}" {\n  capabilities = [${capabilities.map((name) => `"${name}"`).join(", ")}]\n}\n`;
}
