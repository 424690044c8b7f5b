import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { KEYCLOAK, keycloak, provideRealm, removeRealm } from "../systems/keycloak.ts";
import { ownFolder } from "../workers/folder.ts";
import { diagnosis, MINUTE_MS } from "./command.ts";

const realm = `gatehouse-doctor-${crypto.randomUUID()}`;
const SECRETS = { "auth-service": "auth-canary-of-the-doctor", "user-service": "user-canary-of-the-doctor", "admin-service": "admin-canary-of-the-doctor" };

const settings = () => ({
  GATEHOUSE_DATA: join(ownFolder(), "data"),
  SERVICES: "users,auth,admin",
  IDENTITY_URL: KEYCLOAK,
  IDENTITY_REALM: realm,
  AUTH_SERVICE_CLIENT_SECRET: SECRETS["auth-service"],
  USER_SERVICE_CLIENT_SECRET: SECRETS["user-service"],
  ADMIN_SERVICE_CLIENT_SECRET: SECRETS["admin-service"],
});

const clientOf = async (clientId: string) => (await keycloak(`GET /${realm}/clients?clientId=${clientId}`))[0]!.id;
const change = async (clientId: string, json: object) => keycloak(`PUT /${realm}/clients/${await clientOf(clientId)}`, json);

async function accountRights(clientId: string, names: string[], method: "POST" | "DELETE") {
  const { id: user } = await keycloak(`GET /${realm}/clients/${await clientOf(clientId)}/service-account-user`);
  const management = await clientOf("realm-management");
  const roles = await Promise.all(names.map((name) => keycloak(`GET /${realm}/clients/${management}/roles/${name}`)));
  await keycloak(`${method} /${realm}/users/${user}/role-mappings/clients/${management}`, roles);
}

describe.skipIf(KEYCLOAK === "")("a Keycloak", { timeout: 2 * MINUTE_MS }, () => {
  beforeAll(() => provideRealm(realm, { secrets: SECRETS, administrator: { username: "admin01", password: "Correct-Horse-Battery-1" } }), MINUTE_MS);
  afterAll(() => removeRealm(realm), MINUTE_MS);
  beforeEach(() => keycloak(`PUT /${realm}`, realmSettings), MINUTE_MS);

  const realmSettings = {
    bruteForceProtected: false,
    permanentLockout: false,
    revokeRefreshToken: true,
    accessTokenLifespan: 300,
    sslRequired: "external",
    registrationAllowed: false,
    passwordPolicy: "",
    defaultSignatureAlgorithm: "RS256",
  };

  test("one that the command has made is fine, until a door is opened that it has shut", async () => {
    const { faults, of, having, text } = await diagnosis(settings());
    expect(faults.filter((fault) => fault.startsWith("identity/"))).toEqual([]);
    expect(having("identity", "version")).toMatchObject([{ sentence: expect.stringMatching(/^Keycloak 26\./) }]);
    expect(of("identity").filter(({ status }) => status === "not-checked")).toEqual([]);
    for (const code of ["issuer", "keys", "clock-fine", "direct-grants", "introspection", "roles", "administrator", "brute-force", "refresh-rotation", "guessing"]) expect(having("identity", code)).toHaveLength(1);
    for (const secret of Object.values(SECRETS)) expect(text).not.toContain(secret);

    await change("admin-cli", { enabled: true });
    const open = await diagnosis(settings());
    await change("admin-cli", { enabled: false });
    expect(open.having("identity", "guessing-open")).toMatchObject([{ status: "warning", sentence: expect.stringContaining("admin-cli") }]);
  });

  test("of the realm: brute force, lifetimes, refresh tokens, passwords, HTTPS, self-registration, required actions", async () => {
    await keycloak(`PUT /${realm}`, {
      bruteForceProtected: true,
      permanentLockout: true,
      failureFactor: 3,
      revokeRefreshToken: false,
      accessTokenLifespan: 7200,
      registrationAllowed: true,
      passwordPolicy: "length(20) and hashAlgorithm(pbkdf2-sha256) and hashIterations(1000)",
    });
    const action = await keycloak(`GET /${realm}/authentication/required-actions/UPDATE_PASSWORD`);
    await keycloak(`PUT /${realm}/authentication/required-actions/UPDATE_PASSWORD`, { ...action, defaultAction: true });
    const { exit, faults, having } = await diagnosis(settings());
    await keycloak(`PUT /${realm}/authentication/required-actions/UPDATE_PASSWORD`, action);
    expect(exit).toBe(1);
    for (const code of ["brute-force-permanent", "refresh-reuse", "self-registration", "password-policy-strict", "password-hash-weak", "required-actions"]) expect(faults).toContain(`identity/${code}`);
    expect(having("identity", "brute-force-permanent")).toMatchObject([{ status: "error", remedy: expect.stringContaining("Brute force detection: Disabled") }]);
    expect(having("identity", "token-long")).toHaveLength(3);
    expect(having("identity", "password-policy-strict")).toMatchObject([{ sentence: expect.stringContaining("length(20)") }]);

    await keycloak(`PUT /${realm}`, { bruteForceProtected: true, permanentLockout: false, failureFactor: 5, sslRequired: "all" });
    const strict = await diagnosis(settings());
    expect(strict.having("identity", "client-https")).toHaveLength(3);
    expect(strict.having("identity", "client-https")).toMatchObject([{ remedy: expect.stringContaining("https URL") }, {}, {}]);

    await keycloak(`PUT /${realm}`, { sslRequired: "external" });
    const early = await diagnosis(settings());
    expect(early.having("identity", "brute-force-early")).toMatchObject([{ status: "warning", sentence: expect.stringContaining("after 5 failures") }]);
  });

  test("of the clients: secret, service account, direct grants, doors, scopes, rights missing and too many", async () => {
    await change("auth-service", { directAccessGrantsEnabled: false });
    await change("user-service", { directAccessGrantsEnabled: true, standardFlowEnabled: true });
    await accountRights("user-service", ["manage-users"], "DELETE");
    await accountRights("user-service", ["view-users", "impersonation"], "POST");
    await accountRights("auth-service", ["realm-admin"], "POST");
    const offline = (await keycloak(`GET /${realm}/client-scopes`)).find(({ name }: { name: string }) => name === "offline_access")!;
    await keycloak(`PUT /${realm}/clients/${await clientOf("auth-service")}/optional-client-scopes/${offline.id}`);
    const { exit, having } = await diagnosis(settings());
    expect(exit).toBe(1);
    expect(having("identity", "direct-grants-off")).toMatchObject([{ remedy: expect.stringContaining("Direct access grants on") }]);
    expect(having("identity", "direct-grants-excess")).toMatchObject([{ sentence: expect.stringContaining("user-service") }]);
    expect(having("identity", "browser-flows")).toMatchObject([{ sentence: expect.stringContaining("user-service") }]);
    expect(having("identity", "rights-missing")).toMatchObject([{ sentence: "user-service: its service account lacks realm-management manage-users" }]);
    expect(having("identity", "rights-excess")).toMatchObject([{ sentence: expect.stringMatching(/user-service: .*impersonation/) }]);
    expect(having("identity", "rights-everything")).toMatchObject([{ status: "error", sentence: expect.stringContaining("realm-admin") }]);
    expect(having("identity", "offline-access")).toMatchObject([{ sentence: expect.stringContaining("auth-service") }]);

    await change("auth-service", { directAccessGrantsEnabled: true });
    await change("user-service", { directAccessGrantsEnabled: false, standardFlowEnabled: false });
    await accountRights("user-service", ["manage-users"], "POST");
    await accountRights("user-service", ["view-users", "impersonation"], "DELETE");
    await accountRights("auth-service", ["realm-admin"], "DELETE");
    await keycloak(`DELETE /${realm}/clients/${await clientOf("auth-service")}/optional-client-scopes/${offline.id}`);
  });

  test("what does not let us in at all: another secret, no such client, no service account, another realm, another issuer", async () => {
    await change("user-service", { serviceAccountsEnabled: false });
    const { exit, having, of } = await diagnosis({ ...settings(), AUTH_SERVICE_CLIENT_SECRET: "not-the-one-that-it-has", ADMIN_SERVICE_CLIENT_ID: "nobodys-client" });
    await change("user-service", { serviceAccountsEnabled: true });
    expect(exit).toBe(1);
    expect(having("identity", "client-refused")).toMatchObject([{ sentence: "auth-service: does not accept AUTH_SERVICE_CLIENT_SECRET" }]);
    expect(having("identity", "client-unknown")).toMatchObject([{ sentence: expect.stringContaining("nobodys-client") }]);
    expect(having("identity", "client-no-account")).toMatchObject([{ remedy: expect.stringContaining("Service accounts roles on") }]);
    const unseen = of("identity").filter(({ status }) => status === "not-checked");
    expect(unseen.map(({ check }) => check)).toContain("brute force");
    expect(new Set(unseen.map(({ sentence }) => sentence))).toEqual(new Set(["The administration service's client has no token to look with"]));

    const lost = await diagnosis({ ...settings(), IDENTITY_REALM: "no-such-realm" });
    expect(lost.having("identity", "realm-missing")).toMatchObject([{ remedy: expect.stringContaining("IDENTITY_REALM") }]);
    const alias = await diagnosis({ ...settings(), IDENTITY_URL: KEYCLOAK.replace("127.0.0.1", "localhost") });
    expect(alias.having("identity", "issuer-differs")).toMatchObject([{ status: "error", remedy: expect.stringContaining(`--hostname=${KEYCLOAK.replace("127.0.0.1", "localhost")}`) }]);
    expect(alias.having("identity", "token-issuer")).toHaveLength(3);
  });

  test("tokens signed otherwise, or without roles, and nobody to administer", async () => {
    await keycloak(`PUT /${realm}`, { defaultSignatureAlgorithm: "HS256" });
    await change("user-service", { attributes: { "client.use.lightweight.access.token.enabled": "true" } });
    const administrators = await keycloak(`GET /${realm}/roles/ADMIN/users`);
    const role = await keycloak(`GET /${realm}/roles/ADMIN`);
    for (const { id } of administrators) await keycloak(`DELETE /${realm}/users/${id}/role-mappings/realm`, [role]);
    const { having, exit } = await diagnosis(settings());
    await change("user-service", { attributes: { "client.use.lightweight.access.token.enabled": "false" } });
    expect(exit).toBe(1);
    expect(having("identity", "signature-other")).toMatchObject([{ remedy: expect.stringContaining("Default signature algorithm: RS256") }, {}, {}]);
    expect(having("identity", "token-bare")).toMatchObject([{ sentence: "user-service: its tokens carry no roles" }]);
    expect(having("identity", "administrator-none")).toHaveLength(1);
  });
});
