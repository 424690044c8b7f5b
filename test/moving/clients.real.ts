import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keycloakAdmin } from "../../src/administration/keycloak.ts";
import { realmRest } from "../../src/administration/realm.ts";
import { importClient } from "../../src/moving/import/clients.ts";
import { tally } from "../../src/moving/import/tally.ts";
import { importUsers } from "../../src/moving/import/users.ts";
import { rolesOf } from "../provision/keycloak.ts";
import { KEYCLOAK, keycloak, KEYCLOAK_ADMINISTRATOR, provideRealm, removeRealm } from "../systems/keycloak.ts";
import { network } from "../systems/system.ts";

const realm = `moving-test-${crypto.randomUUID()}`;
const EVERYBODY = `default-roles-${realm}`;
const LIMIT_MS = 120_000;
const SECRETS = { "auth-service": "auth-canary-of-the-move", "user-service": "user-canary-of-the-move", "admin-service": "admin-canary-of-the-move" };
const CLIENT = { id: crypto.randomUUID(), clientId: "reports", secret: "reports-secret", enabled: true, publicClient: false, serviceAccountsEnabled: true, attributes: {} };
const PERSON = {
  id: crypto.randomUUID(),
  username: "nightly",
  email: "nightly@example.com",
  emailVerified: true,
  firstName: "Night",
  lastName: "Ly",
  enabled: true,
  createdTimestamp: 1_700_000_000_000,
  requiredActions: [],
  credentials: [],
};

type Given = { realm: string[]; client: Record<string, string[]> };

const needs = (overwrites: boolean) => {
  const counted = tally(() => {});
  const rest = realmRest(keycloakAdmin({ url: KEYCLOAK, administrator: KEYCLOAK_ADMINISTRATOR, fetch: network, now: Date.now }), realm);
  const came = (kind: "clients" | "users") => Object.entries(counted.counts().get(kind) ?? {}).flatMap(([result, count]) => (count > 0 ? [result] : []));
  return { came, on: { rest, tally: counted, isDryRun: false, overwrites, now: Date.now } };
};

async function clientWith(serviceRoles: Given, { overwrites = false } = {}): Promise<string[]> {
  const { came, on } = needs(overwrites);
  await importClient(on, { client: CLIENT, serviceRoles });
  return came("clients");
}

async function personWith(given: Given, { overwrites = false } = {}): Promise<string[]> {
  const { came, on } = needs(overwrites);
  await importUsers(on, (async function* () {
    yield { ...PERSON, realmRoles: given.realm, clientRoles: given.client };
  })());
  return came("users");
}

const ofPerson = () => rolesOf(realm, PERSON.id);
/** Of the client's service account. */
const ofAccount = async () => rolesOf(realm, (await keycloak(`GET /${realm}/clients/${CLIENT.id}/service-account-user`)).id);

describe.skipIf(KEYCLOAK === "")("On a Keycloak", { timeout: LIMIT_MS }, () => {
  beforeAll(() => provideRealm(realm, { secrets: SECRETS, administrator: { username: "admin01", password: "Correct-Horse-Battery-1" } }), LIMIT_MS);
  afterAll(() => removeRealm(realm), LIMIT_MS);

  test("roles that a service account has too many are told of and left, and taken from it when that is asked for", async () => {
    const whole: Given = { realm: ["INTERNAL_SERVICE", EVERYBODY], client: { "realm-management": ["query-users", "view-users"], account: ["view-profile"] } };
    const wanted: Given = { realm: [EVERYBODY], client: { "realm-management": ["view-users"] } };
    expect([await clientWith(whole), await ofAccount()]).toEqual([["made"], whole]);
    expect(await clientWith(whole)).toEqual(["same"]);
    expect([await clientWith(wanted), await ofAccount()]).toEqual([["different"], whole]);
    expect([await clientWith(wanted, { overwrites: true }), await ofAccount()]).toEqual([["changed"], wanted]);
    expect(await clientWith(wanted)).toEqual(["same"]);
    const none: Given = { realm: [], client: {} };
    expect([await clientWith(none, { overwrites: true }), await ofAccount()]).toEqual([["changed"], none]);
    expect([await clientWith({ ...none, realm: ["NOBODY_HAS_IT"] }, { overwrites: true }), await ofAccount()]).toEqual([["different"], none]);
  });

  test("so are those of a user", async () => {
    const whole: Given = { realm: ["ADMIN", EVERYBODY], client: { "realm-management": ["query-users", "view-users"] } };
    const wanted: Given = { realm: ["INTERNAL_SERVICE", EVERYBODY], client: {} };
    expect([await personWith(whole), await ofPerson()]).toEqual([["made"], whole]);
    expect([await personWith(wanted), await ofPerson()]).toEqual([["different"], whole]);
    expect([await personWith(wanted, { overwrites: true }), await ofPerson()]).toEqual([["changed"], wanted]);
    expect(await personWith(wanted)).toEqual(["same"]);
  });
});
