import type { Database } from "../../database/client.ts";
import { keycloakCredential } from "../../passwords/keycloak-credential.ts";
import { paged } from "../batches.ts";
import { OWN_CLIENTS, OWN_ROLES } from "../kinds.ts";
import type { MovedClient, MovedUser, Role } from "../schema.ts";
import { byOwner, clientsAfter, realmRoles, type StoredClient, type StoredUser, usersAfter } from "./identity-store.ts";

const PAGE = 500;

export async function* exportedRoles(db: Database): AsyncGenerator<Role> {
  yield* await realmRoles(db, OWN_ROLES);
}

export async function* exportedClients(db: Database): AsyncGenerator<MovedClient> {
  const all = paged<StoredClient>((last) => clientsAfter(db, last?.clientId ?? "", { without: OWN_CLIENTS, limit: PAGE }));
  for await (const { serviceRoles, settings, ...client } of all) {
    yield { client: { ...settings, ...client, attributes: settings["attributes"] as Record<string, string> }, serviceRoles: serviceRoles && byOwner(serviceRoles) };
  }
}

/** With their password's hash as Keycloak itself keeps one, which nobody has to set anew then. */
export async function* exportedUsers(db: Database): AsyncGenerator<MovedUser> {
  for await (const user of paged<StoredUser>((last) => usersAfter(db, last?.username ?? "", PAGE))) {
    const { email, firstName, lastName, password, roles, ...rest } = user;
    const { realm, client } = byOwner(roles);
    yield {
      ...rest,
      ...(email !== null && { email }),
      ...(firstName !== null && { firstName }),
      ...(lastName !== null && { lastName }),
      credentials: password === null ? [] : [keycloakCredential(password)],
      realmRoles: realm,
      clientRoles: client,
    };
  }
}
