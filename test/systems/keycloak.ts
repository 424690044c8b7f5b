import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import type { RealmToProvide } from "../../src/identity/embedded/provision.ts";
import type { IdentitySystem } from "./identity.ts";
import { network } from "./system.ts";

type Answer = { status: number; text: string };

/** Hashing costs a real one most of a sign-in. */
const PASSWORD_POLICY = "hashAlgorithm(pbkdf2-sha256) and hashIterations(1)";
/** The longest that the services accept: their clock can be put forward, the provider's cannot. */
const DAY_S = 24 * 3600;
let privateKey: KeyObject | undefined;

const LIFETIMES = { accessTokenLifespan: DAY_S, ssoSessionIdleTimeout: DAY_S, ssoSessionMaxLifespan: DAY_S };

/** A realm of its own on the Keycloak at `url`, as the platform needs one; it goes when it is closed. */
export async function ownRealm(url: string, given: RealmToProvide): Promise<IdentitySystem> {
  const realm = `gatehouse-test-${crypto.randomUUID()}`;
  // Known here, so that a test can sign what nobody else could.
  privateKey ??= generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  const key = privateKey;
  must(201, await administer(url, "POST /admin/realms", realmFile(realm, given)));
  must(201, await administer(url, `POST /admin/realms/${realm}/components`, keyProvider(key)));
  return { url, realm, fetch: network, signingKey: async () => key.export({ format: "jwk" }), close: () => removeRealm(url, realm) };
}

export async function removeRealm(url: string, realm: string): Promise<void> {
  must(204, await administer(url, `DELETE /admin/realms/${realm}`));
}

/** Goes before the keys that the realm has made for itself. */
function keyProvider(key: KeyObject): unknown {
  const config = { priority: ["1000"], enabled: ["true"], active: ["true"], privateKey: [key.export({ format: "pem", type: "pkcs8" })] };
  return { name: "of-the-tests", providerId: "rsa", providerType: "org.keycloak.keys.KeyProvider", config };
}

/** The realm file of this repository under another name; what stands in it for the environment is resolved at an import only. */
function realmFile(realm: string, { secrets, administrator: { username, password, email } }: RealmToProvide): unknown {
  const values: Record<string, string> = {
    PLATFORM_PASSWORD_POLICY: PASSWORD_POLICY,
    AUTH_SERVICE_SECRET: secrets["auth-service"],
    USER_SERVICE_SECRET: secrets["user-service"],
    ADMIN_SERVICE_SECRET: secrets["admin-service"],
    PLATFORM_ADMIN_PASSWORD: password,
  };
  const text = readFileSync(new URL("../wire/keycloak-realm.json", import.meta.url), "utf8")
    .replaceAll(/\$\{(\w+):[^}]*\}/g, (_, name: string) => values[name] ?? "")
    .replaceAll("default-roles-platform", `default-roles-${realm}`)
    .replaceAll('"admin01"', JSON.stringify(username))
    .replaceAll('"admin01@example.test"', JSON.stringify(email ?? `${username}@localhost`));
  return { ...(JSON.parse(text) as object), ...LIFETIMES, realm };
}

/** One call as `METHOD path`, as the administrator of the whole server. */
async function administer(url: string, line: string, json?: unknown): Promise<Answer> {
  const { KEYCLOAK_ADMIN: username = "admin", KEYCLOAK_ADMIN_PASSWORD: password = "" } = process.env;
  const form = { grant_type: "password", client_id: "admin-cli", username, password };
  const granted = await fetch(`${url}/realms/master/protocol/openid-connect/token`, { method: "POST", body: new URLSearchParams(form) });
  const { access_token: token } = (await granted.json()) as { access_token: string };
  const [method = "", path = ""] = line.split(" ");
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(url + path, { method, headers, ...(json !== undefined && { body: JSON.stringify(json) }) });
  return { status: response.status, text: await response.text() };
}

function must(status: number, answer: Answer): void {
  if (answer.status !== status) throw new Error(`Cannot administer the identity provider: ${answer.status} ${answer.text}`);
}
