import { onTestFinished } from "vitest";
import { KEYCLOAK, keycloak, KEYCLOAK_ADMINISTRATOR } from "../systems/keycloak.ts";
import type { Settings } from "../command.ts";

/** What the command is told of the Keycloak under test. */
export function identitySettings(realm: string): Settings {
  return { IDENTITY_URL: KEYCLOAK, IDENTITY_REALM: realm, IDENTITY_ADMIN_USERNAME: KEYCLOAK_ADMINISTRATOR.username, IDENTITY_ADMIN_PASSWORD: KEYCLOAK_ADMINISTRATOR.password };
}

/** The name of a realm that is gone when the test is. */
export function ownRealm(): string {
  const realm = `provision-test-${crypto.randomUUID()}`;
  onTestFinished(async () => {
    if ((await realms()).includes(realm)) await keycloak(`DELETE /${realm}`);
  });
  return realm;
}

export async function realms(): Promise<string[]> {
  return (await keycloak("GET ")).map(({ realm }: { realm: string }) => realm).toSorted();
}

/** Names of the roles that a user was given itself: of the realm, and of clients by client id. */
export async function rolesOf(realm: string, user: string): Promise<{ realm: string[]; client: Record<string, string[]> }> {
  const { realmMappings = [], clientMappings = {} } = await keycloak(`GET /${realm}/users/${user}/role-mappings`);
  const names = (roles: { name: string }[]) => roles.map(({ name }) => name).toSorted();
  const clients = Object.entries<{ mappings: { name: string }[] }>(clientMappings).map(([owner, { mappings }]) => [owner, names(mappings)]);
  return { realm: names(realmMappings), client: Object.fromEntries(clients) };
}

/** Everything of a realm that somebody could have changed, the same text for the same content. */
export async function contentOf(realm: string): Promise<string> {
  const clients = (await keycloak(`GET /${realm}/clients?max=-1`)) as { id: string; serviceAccountsEnabled: boolean }[];
  const accounts = clients.filter(({ serviceAccountsEnabled }) => serviceAccountsEnabled);
  const users = [
    ...((await keycloak(`GET /${realm}/users?max=-1`)) as { id: string }[]),
    ...(await Promise.all(accounts.map(({ id }) => keycloak(`GET /${realm}/clients/${id}/service-account-user`)))),
  ] as { id: string }[];
  const mappings = await Promise.all(users.map(async ({ id }) => [id, await keycloak(`GET /${realm}/users/${id}/role-mappings`)]));
  const rest = await Promise.all(["", "/roles?briefRepresentation=false", "/client-scopes"].map((path) => keycloak(`GET /${realm}${path}`)));
  return JSON.stringify(ordered([clients, users, mappings, rest]), null, 1);
}

/** Lists come in any order. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered).toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([name, part]) => [name, ordered(part)]));
}
