/** The platform's realm, wherever it is served: what the embedded provider starts with, and a Keycloak is brought to. */

/** The realm role of administrators. */
export const ADMIN = "ADMIN";

export const PLATFORM_ROLES = [
  { name: ADMIN, description: "Platform administrator" },
  { name: "INTERNAL_SERVICE", description: "Service-to-service caller" },
] as const;

/** What the name of the realm role begins with that everybody has. */
export const DEFAULT_ROLE = "default-roles-";

/** The role that everybody has who is created in this realm: called after it, in lower case. */
export function defaultRole(realm: string): string {
  return DEFAULT_ROLE + realm.toLowerCase();
}

/** A confidential client of the platform's own, with the least that its service account needs. */
export type PlatformClient = {
  clientId: string;
  /** Whether people sign in through it, with their password. */
  directAccessGrants: boolean;
  /** Clients named in the audience of its tokens: introspection tells nobody else anything about a token. */
  audiences: string[];
  realmRoles: string[];
  /** Of the client `realm-management`. */
  managementRoles: string[];
};

export const PLATFORM_SERVICES = ["auth-service", "user-service", "admin-service"] as const;

export type PlatformService = (typeof PLATFORM_SERVICES)[number];

/** The services' clients, by the client ids that they have. */
export function platformClients(ids: Record<PlatformService, string>): Record<PlatformService, PlatformClient> {
  const none = { directAccessGrants: false, audiences: [], realmRoles: [] };
  return {
    "auth-service": {
      clientId: ids["auth-service"],
      directAccessGrants: true,
      audiences: PLATFORM_SERVICES.map((service) => ids[service]),
      // It asks the user service, and creates the identities it is asked to.
      realmRoles: ["INTERNAL_SERVICE"],
      managementRoles: ["manage-users"],
    },
    "user-service": { ...none, clientId: ids["user-service"], managementRoles: ["manage-users"] },
    // A role is given to a client's service account by the right over users.
    "admin-service": { ...none, clientId: ids["admin-service"], managementRoles: ["manage-clients", "manage-users", "manage-realm"] },
  };
}

export function audienceMapper(audience: string) {
  return {
    name: `audience ${audience}`,
    protocol: "openid-connect",
    protocolMapper: "oidc-audience-mapper",
    consentRequired: false,
    config: { "included.client.audience": audience, "access.token.claim": "true", "introspection.token.claim": "true", "id.token.claim": "false" },
  };
}

/** Who the first administrator is, beside the name. Keycloak lets nobody in without names and an e-mail. */
export function administratorProfile(username: string) {
  const name = username.toLowerCase();
  return { username: name, email: `${name}@localhost`, emailVerified: true, firstName: "Platform", lastName: "Administrator", enabled: true };
}
