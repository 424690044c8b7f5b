import { mappedAudiences, type Client } from "../clients/client.ts";
import { clientRoles, realmRoles, type Granted } from "../roles/role.ts";
import type { User } from "../users/user.ts";

export type Grantee = { user: User; client: Client; roles: Granted[] };

/** Keycloak's audience: what the client's mappers name, then every client the user has a role of; one alone is a string. */
export function audience({ client, roles }: Omit<Grantee, "user">): string | string[] | undefined {
  const withRoles = [...clientRoles(roles).keys()].filter((owner) => owner !== client.clientId);
  const all = [...new Set([...mappedAudiences(client), ...withRoles])];
  return all.length > 1 ? all : all[0];
}

export function roleClaims(roles: Granted[]) {
  const ofRealm = realmRoles(roles);
  const ofClients = Object.fromEntries([...clientRoles(roles)].map(([client, names]) => [client, { roles: names }]));
  return {
    ...(ofRealm.length > 0 && { realm_access: { roles: ofRealm } }),
    ...(Object.keys(ofClients).length > 0 && { resource_access: ofClients }),
  };
}

export function originClaims({ settings }: Client) {
  return settings.webOrigins.length > 0 ? { "allowed-origins": settings.webOrigins } : {};
}

/** OpenID Connect Core, section 5.1, as the scopes `profile` and `email` give it. */
export function profileClaims(user: User) {
  const { firstName, lastName, email } = user;
  const name = [firstName, lastName].filter(Boolean).join(" ");
  return {
    email_verified: user.emailVerified,
    ...(name !== "" && { name }),
    preferred_username: user.username,
    ...(firstName && { given_name: firstName }),
    ...(lastName && { family_name: lastName }),
    ...(email && { email }),
  };
}
