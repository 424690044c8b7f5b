import { generateKeyPairSync, type KeyObject } from "node:crypto";
import process from "node:process";
import { keycloakAdmin } from "../../src/administration/keycloak.ts";
import { jsonOf } from "../../src/http/upstream.ts";
import type { RealmToProvide } from "../../src/identity/embedded/provision.ts";
import type { PlatformService } from "../../src/identity/platform-realm.ts";
import { planIdentity } from "../../src/provision/identity/plan.ts";
import type { IdentitySystem } from "./identity.ts";
import { network, newCall } from "./system.ts";

/** Where the Keycloak under test is; empty where there is none. */
export const KEYCLOAK = process.env["KEYCLOAK_URL"] ?? "";

/** Of the whole server. */
export const KEYCLOAK_ADMINISTRATOR = { username: process.env["KEYCLOAK_ADMIN"] ?? "admin", password: process.env["KEYCLOAK_ADMIN_PASSWORD"] ?? "" };

/** Hashing costs a real one most of a sign-in. */
export const QUICK_HASHES = { passwordPolicy: "hashAlgorithm(pbkdf2-sha256) and hashIterations(1)" };
/** The longest that the services accept: their clock can be put forward, the provider's cannot. */
const DAY_S = 24 * 3600;
const LIFETIMES = { accessTokenLifespan: DAY_S, ssoSessionIdleTimeout: DAY_S, ssoSessionMaxLifespan: DAY_S };

const outside = { fetch: network, now: Date.now };
const administer = keycloakAdmin({ ...outside, url: KEYCLOAK, administrator: KEYCLOAK_ADMINISTRATOR });
let privateKey: KeyObject | undefined;

/** One call as `METHOD path`, below `/admin/realms`, as the administrator of the whole server; throws unless it is done. */
export async function keycloak(line: string, json?: unknown): Promise<any> {
  const [method = "", path = ""] = line.split(" ");
  return jsonOf((await administer(newCall(), { method: method as "GET", path, json })).text);
}

/** A realm as our own command makes one, for the services' default client ids. */
export async function provideRealm(realm: string, { secrets, administrator: firstAdministrator }: RealmToProvide): Promise<void> {
  const client = (service: PlatformService) => ({ clientId: service, setting: service, given: secrets[service] });
  const clients = { "auth-service": client("auth-service"), "user-service": client("user-service"), "admin-service": client("admin-service") };
  const kept = { get: () => undefined, keep: () => {} };
  const newPassword = () => firstAdministrator.password;
  const { steps } = await planIdentity(newCall(), { url: KEYCLOAK, realm, administrator: KEYCLOAK_ADMINISTRATOR, clients, firstAdministrator: { ...firstAdministrator, isNamed: true } }, { ...outside, kept, newPassword, adopts: false });
  for (const { apply } of steps) await apply(newCall());
}

/** A realm of its own, as the platform needs one, that hashes quickly and whose tokens last; it goes when it is closed. */
export async function ownRealm(given: RealmToProvide): Promise<IdentitySystem> {
  const realm = `gatehouse-test-${crypto.randomUUID()}`;
  // Known here, so that a test can sign what nobody else could.
  privateKey ??= generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  const key = privateKey;
  await provideRealm(realm, given);
  await keycloak(`PUT /${realm}`, { ...QUICK_HASHES, ...LIFETIMES });
  await keycloak(`POST /${realm}/components`, keyProvider(key));
  return { url: KEYCLOAK, realm, fetch: network, signingKey: async () => key.export({ format: "jwk" }), close: () => removeRealm(realm) };
}

export async function removeRealm(realm: string): Promise<void> {
  await keycloak(`DELETE /${realm}`);
}

/** Goes before the keys that the realm has made for itself. */
function keyProvider(key: KeyObject): unknown {
  const config = { priority: ["1000"], enabled: ["true"], active: ["true"], privateKey: [key.export({ format: "pem", type: "pkcs8" })] };
  return { name: "of-the-tests", providerId: "rsa", providerType: "org.keycloak.keys.KeyProvider", config };
}
