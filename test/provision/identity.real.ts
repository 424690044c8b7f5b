import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Settings } from "../command.ts";
import { KEYCLOAK, keycloak } from "../systems/keycloak.ts";
import { wire, type Wire } from "../wire/identity/wire.ts";
import { ownFolder } from "../workers/folder.ts";
import { changesIn, isDone, keptIn, killed, nothingToDo, provision, SHARED } from "./command.ts";
import { contentOf, identitySettings, ownRealm, realms, rolesOf } from "./keycloak.ts";

const SLOW = { timeout: 600_000 };
const PASSWORD = "Correct-Horse-Battery-1";

function told(realm = ownRealm(), more: Settings = {}) {
  const settings: Settings = { ...identitySettings(realm), GATEHOUSE_DATA: ownFolder(), ADMIN_USERNAME: "root01", ADMIN_PASSWORD: PASSWORD, ...more };
  return { realm, settings, file: join(settings["GATEHOUSE_DATA"]!, "settings.env") };
}

/** The realm as those see it who have what the settings file has. */
function wireBy(file: string, realm: string): Wire {
  const kept = keptIn(file);
  const client = (id: string, setting: string) => ({ id, secret: kept[setting] ?? "" });
  return wire({
    fetch: (request) => fetch(request),
    baseUrl: KEYCLOAK,
    realm,
    authService: client("auth-service", "AUTH_SERVICE_CLIENT_SECRET"),
    userService: client("user-service", "USER_SERVICE_CLIENT_SECRET"),
    adminService: client("admin-service", "ADMIN_SERVICE_CLIENT_SECRET"),
    administrator: { username: "root01", password: PASSWORD },
  });
}

test("A trial makes no realm and writes no file", async () => {
  const { settings, file, realm } = told();
  const ran = await provision(settings, "--dry-run");
  expect([ran.code, existsSync(file), (await realms()).includes(realm)]).toEqual([0, false, false]);
  expect(changesIn(ran)).toContain(`Make the realm "${realm}"`);
});

test("Whoever is not the administrator is told so, and nothing is made", async () => {
  const { settings, realm } = told();
  const { code, output } = await provision({ ...settings, IDENTITY_ADMIN_PASSWORD: "canary" }, "--yes");
  expect([code, (await realms()).includes(realm)]).toEqual([1, false]);
  expect(output).toContain(`Cannot sign in at the identity provider "${KEYCLOAK}" as "${settings["IDENTITY_ADMIN_USERNAME"]}"`);
  expect(output).not.toContain("canary");
});

test("A realm is made once, with clients that have the least rights, and a trial or another run changes nothing", SLOW, async () => {
  const { settings, file, realm } = told();
  isDone(await provision(settings, "--yes"));
  const before = [await contentOf(realm), keptIn(file)];
  nothingToDo(await provision(settings, "--dry-run"));
  nothingToDo(await provision(settings, "--yes"));
  expect([await contentOf(realm), keptIn(file)]).toEqual(before);
  expect(Object.keys(keptIn(file)).toSorted()).toEqual(["ADMIN_SERVICE_CLIENT_SECRET", "AUTH_SERVICE_CLIENT_SECRET", "IDENTITY_REALM", "IDENTITY_URL", "USER_SERVICE_CLIENT_SECRET", ...Object.keys(SHARED)].toSorted());

  const at = wireBy(file, realm);
  expect((await at.login(at.administrator)).status).toBe(200);
  await checkUserService(at);
  await checkAdminService(at);
  await checkAuthService(at);
});

async function checkUserService(at: Wire): Promise<void> {
  const as = await at.serviceToken(at.userService);
  const status = async (line: string, body?: unknown) => (await at.admin(line, { as, body })).status;
  const made = await at.admin("POST /users", { as, body: { username: "usr1", email: "usr1@example.test", firstName: "A", lastName: "B", enabled: false, credentials: [{ type: "password", value: PASSWORD }] } });
  expect(made.status).toBe(201);
  const { body } = await at.admin("GET /users?username=usr1&exact=true", { as });
  const user = `/users/${body[0].id}`;
  expect(await status(`PUT ${user}`, { enabled: true })).toBe(204);
  expect((await at.login({ username: "usr1", password: PASSWORD })).status).toBe(200);
  expect(await status(`PUT ${user}/reset-password`, { type: "password", value: `${PASSWORD}2` })).toBe(204);
  expect(await status(`POST ${user}/logout`)).toBe(204);
  expect(await status(`DELETE ${user}`)).toBe(204);
  for (const line of ["GET /clients", "POST /clients", "GET /roles", "POST /roles", "GET /events", "GET /keys", "PUT "]) expect([line, await status(line, line.startsWith("GET") ? undefined : {})]).toEqual([line, 403]);
}

async function checkAdminService(at: Wire): Promise<void> {
  const as = await at.serviceToken(at.adminService);
  const status = async (line: string, body?: unknown) => (await at.admin(line, { as, body })).status;
  expect(await status("POST /clients", { clientId: "billing", serviceAccountsEnabled: true })).toBe(201);
  const { body: clients } = await at.admin("GET /clients?clientId=billing", { as });
  const client = `/clients/${clients[0].id}`;
  expect(await status(`GET ${client}/client-secret`)).toBe(200);
  const { body: account } = await at.admin(`GET ${client}/service-account-user`, { as });
  const { body: role } = await at.admin("GET /roles/INTERNAL_SERVICE", { as });
  expect(await status(`POST /users/${account.id}/role-mappings/realm`, [role])).toBe(204);
  expect(await status("POST /roles", { name: "AUDITOR" })).toBe(201);
  expect(await status("GET /roles?briefRepresentation=false")).toBe(200);
  expect(await status(`DELETE ${client}`)).toBe(204);
  const { body: [person] } = await at.admin("GET /users?username=root01&exact=true", { as });
  for (const line of ["GET /events", "GET /identity-provider/instances", "POST /identity-provider/instances", `POST /users/${person.id}/impersonation`]) expect([line, await status(line, line.startsWith("GET") ? undefined : {})]).toEqual([line, 403]);
  const other = await at.send(`${at.baseUrl}/admin/realms`, { method: "POST", headers: { authorization: `Bearer ${as}`, "content-type": "application/json" }, body: JSON.stringify({ realm: `${at.realm}-x` }) });
  expect(other.status).toBe(403);
}

/** People sign in through it alone, it has its role and no other, and nobody gets a token that a lock cannot end. */
async function checkAuthService(at: Wire): Promise<void> {
  const as = await at.serviceToken(at.authService);
  const claims = JSON.parse(Buffer.from(as.split(".")[1]!, "base64url").toString());
  expect(claims).toMatchObject({ realm_access: { roles: ["INTERNAL_SERVICE"] }, resource_access: { "realm-management": { roles: ["manage-users"] } } });
  expect(Object.keys(claims.resource_access)).toEqual(["realm-management"]);
  expect((await at.admin("GET /clients", { as })).status).toBe(403);
  expect((await at.login(at.administrator, { scope: "openid offline_access" })).body.error).toBe("invalid_scope");
  for (const client of [at.userService, at.adminService]) expect((await at.token(client, { grant_type: "password", ...at.administrator })).body.error).toBe("unauthorized_client");
  expect((await at.form("token", { client_id: "admin-cli", grant_type: "password", ...at.administrator })).status).toBe(401);
  // As often as one likes, and at once: who counts guesses is not the provider.
  const logins = await Promise.all(Array.from({ length: 4 }, () => at.login(at.administrator)));
  expect(logins.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const { body: first } = await at.login(at.administrator);
  const refresh = () => at.token(at.authService, { grant_type: "refresh_token", refresh_token: first.refresh_token });
  expect([(await refresh()).status, (await refresh()).status]).toEqual([200, 400]);
}

/** The id of a client's service account. */
async function accountOf(realm: string, clientId: string): Promise<string> {
  const [client] = await keycloak(`GET /${realm}/clients?clientId=${clientId}`);
  return (await keycloak(`GET /${realm}/clients/${client.id}/service-account-user`)).id;
}

test("Killed right after every write, run after run, it comes to the same realm, and no secret is lost", SLOW, async () => {
  const { settings, file, realm } = told(undefined, { ADMIN_PASSWORD: "" });
  let [last, runs] = [await killed(settings, "after"), 1];
  for (; last.code === null && runs < 60; runs++) last = await killed(settings, "after");
  isDone(last);
  expect(runs).toBeGreaterThan(15);
  const password = /Password +(\S+)/.exec(last.output)?.[1] ?? "";
  nothingToDo(await provision(settings, "--yes"));
  const at = wireBy(file, realm);
  for (const client of [at.authService, at.userService, at.adminService]) expect((await at.token(client, { grant_type: "client_credentials" })).status).toBe(200);
  expect((await at.login({ username: "root01", password })).status).toBe(200);
  expect((await keycloak(`GET /${realm}/users`)).length).toBe(1);
  expect(Object.keys(keptIn(file))).not.toContain("PROVISION_ADMIN_PASSWORD");

  const whole = told();
  isDone(await provision({ ...whole.settings, ADMIN_PASSWORD: "" }, "--yes"));
  const alike = (content: string, of: string) => content.replaceAll(of, "REALM").replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "ID").replace(/"(secret|createdTimestamp)": [^\n]+/g, "");
  const lines = async (of: string) => alike(await contentOf(of), of).split("\n").toSorted();
  expect(await lines(realm)).toEqual(await lines(whole.realm));
});

test("What others have made is left alone and said, and brought in line when it is to be adopted", SLOW, async () => {
  const { settings, file, realm } = told();
  await keycloak("POST ", { realm, enabled: true, accessTokenLifespan: 60, attributes: { theirs: "yes" } });
  await keycloak(`POST /${realm}/clients`, { clientId: "user-service", secret: "theirs", directAccessGrantsEnabled: true, attributes: { theirs: "yes" } });
  await keycloak(`POST /${realm}/roles`, { name: "ADMIN", description: "Theirs" });
  const theirs = async () => [
    ((realm) => [realm.accessTokenLifespan, realm.bruteForceProtected, realm.attributes.theirs, realm.attributes["gatehouse.provisioned"]])(await keycloak(`GET /${realm}`)),
    ((client) => [client.secret, client.directAccessGrantsEnabled, client.attributes.theirs])((await keycloak(`GET /${realm}/clients?clientId=user-service`))[0]),
    (await keycloak(`GET /${realm}/clients?clientId=admin-cli`))[0].enabled,
    (await keycloak(`GET /${realm}/roles/ADMIN`)).description,
  ];
  const before = await theirs();
  const ran = await provision(settings, "--yes");
  expect([ran.code, await theirs()]).toEqual([3, before]);
  expect(ran.output).toContain(`The realm "${realm}" has accessTokenLifespan 60, not 300`);
  expect(ran.output).toContain(`The client "user-service" of the realm "${realm}" was not made by this command`);
  expect(keptIn(file)).not.toHaveProperty("USER_SERVICE_CLIENT_SECRET");
  // What was missing is there all the same.
  expect((await wireBy(file, realm).token(wireBy(file, realm).authService, { grant_type: "client_credentials" })).status).toBe(200);

  isDone(await provision(settings, "--yes", "--adopt"));
  expect(await theirs()).toEqual([[300, false, "yes", "true"], ["theirs", false, "yes"], false, "Theirs"]);
  expect(keptIn(file)["USER_SERVICE_CLIENT_SECRET"]).toBe("theirs");
  nothingToDo(await provision(settings, "--yes"));
  expect((await wireBy(file, realm).login(wireBy(file, realm).administrator)).status).toBe(200);
});

test("What is ours and was changed is mended, and a secret that was changed there is kept", SLOW, async () => {
  const { settings, file, realm } = told();
  isDone(await provision(settings, "--yes"));
  const [client] = await keycloak(`GET /${realm}/clients?clientId=auth-service`);
  const { value } = await keycloak(`POST /${realm}/clients/${client.id}/client-secret`);
  await keycloak(`PUT /${realm}/clients/${client.id}`, { standardFlowEnabled: true });
  for (const mapper of client.protocolMappers) await keycloak(`DELETE /${realm}/clients/${client.id}/protocol-mappers/models/${mapper.id}`);
  const offline = (await keycloak(`GET /${realm}/client-scopes`)).find(({ name }: { name: string }) => name === "offline_access");
  await keycloak(`PUT /${realm}/clients/${client.id}/optional-client-scopes/${offline.id}`);
  const account = await keycloak(`GET /${realm}/clients/${client.id}/service-account-user`);
  const mappings = await keycloak(`GET /${realm}/users/${account.id}/role-mappings/realm`);
  await keycloak(`DELETE /${realm}/users/${account.id}/role-mappings/realm`, mappings);
  await keycloak(`PUT /${realm}`, { revokeRefreshToken: false });
  isDone(await provision(settings, "--yes"));
  expect(keptIn(file)["AUTH_SERVICE_CLIENT_SECRET"]).toBe(value);
  await checkAuthService(wireBy(file, realm));
  nothingToDo(await provision(settings, "--yes"));

  const given = { ...settings, AUTH_SERVICE_CLIENT_SECRET: "what-the-operator-says" };
  isDone(await provision(given, "--yes"));
  expect(keptIn(file)["AUTH_SERVICE_CLIENT_SECRET"]).toBe("what-the-operator-says");
  expect((await keycloak(`GET /${realm}/clients/${client.id}/client-secret`)).value).toBe("what-the-operator-says");
  nothingToDo(await provision(given, "--yes"));
});

test("From a service account the roles of ordinary users are taken, also by the next run after a crash, and of others that it was given is told", SLOW, async () => {
  const { settings, file, realm } = told();
  isDone(await provision(settings, "--yes"));
  const before = await contentOf(realm);
  const auth = await accountOf(realm, "auth-service");
  const user = await accountOf(realm, "user-service");
  const [{ id: management }] = await keycloak(`GET /${realm}/clients?clientId=realm-management`);
  const right = (name: string) => keycloak(`GET /${realm}/clients/${management}/roles/${name}`);
  const everybody = await keycloak(`GET /${realm}/roles/default-roles-${realm}`);
  const at = (account: string) => `/${realm}/users/${account}/role-mappings`;
  for (const account of [auth, user]) await keycloak(`POST ${at(account)}/realm`, [everybody]);
  await keycloak(`DELETE ${at(auth)}/clients/${management}`, [await right("manage-users")]);
  expect(await rolesOf(realm, auth)).toEqual({ realm: ["INTERNAL_SERVICE", everybody.name], client: {} });

  const trial = await provision(settings, "--dry-run");
  expect([trial.code, changesIn(trial)]).toEqual([0, [
    'Give the service account of "auth-service" manage-users, and take the roles of ordinary users from it',
    'Take the roles of ordinary users from the service account of "user-service"',
  ]]);
  expect(await rolesOf(realm, user)).toMatchObject({ realm: [everybody.name] });
  // After its first write the account has what it needs, and what it should not have.
  expect((await killed(settings, "after")).code).toBe(null);
  expect(await rolesOf(realm, auth)).toEqual({ realm: ["INTERNAL_SERVICE", everybody.name], client: { "realm-management": ["manage-users"] } });
  isDone(await provision(settings, "--yes"));
  expect(await contentOf(realm)).toBe(before);
  await checkAuthService(wireBy(file, realm));

  await keycloak(`POST ${at(user)}/realm`, [await keycloak(`GET /${realm}/roles/ADMIN`)]);
  await keycloak(`POST ${at(user)}/clients/${management}`, [await right("view-events")]);
  const ran = await provision(settings, "--yes");
  nothingToDo(ran);
  expect(ran.output).toContain('   - The service account of "user-service" has ADMIN and view-events, which the platform does not need\n');
  expect(await rolesOf(realm, user)).toEqual({ realm: ["ADMIN"], client: { "realm-management": ["manage-users", "view-events"] } });
});

test("Who has the name of the first administrator without the role is not given it", SLOW, async () => {
  const { settings, realm } = told();
  await keycloak("POST ", { realm, enabled: true, users: [{ username: "root01", enabled: true }] });
  const { code, output } = await provision(settings, "--yes", "--adopt");
  expect([code, await keycloak(`GET /${realm}/roles/ADMIN/users`)]).toEqual([3, []]);
  expect(output).toContain('The user "root01" is there without the role ADMIN');
});

test("A client of the server's own can be its administrator, too", SLOW, async () => {
  const clientId = `provision-test-${crypto.randomUUID()}`;
  await keycloak("POST /master/clients", { clientId, secret: "of-the-tests", serviceAccountsEnabled: true, standardFlowEnabled: false });
  const [client] = await keycloak(`GET /master/clients?clientId=${clientId}`);
  try {
    const account = await keycloak(`GET /master/clients/${client.id}/service-account-user`);
    await keycloak(`POST /master/users/${account.id}/role-mappings/realm`, [await keycloak("GET /master/roles/admin")]);
    const { settings, realm } = told(undefined, { IDENTITY_ADMIN_USERNAME: "", IDENTITY_ADMIN_PASSWORD: "", IDENTITY_ADMIN_CLIENT_ID: clientId, IDENTITY_ADMIN_CLIENT_SECRET: "of-the-tests" });
    isDone(await provision(settings, "--yes"));
    expect(await realms()).toContain(realm);
    nothingToDo(await provision(settings, "--yes"));
  } finally {
    await keycloak(`DELETE /master/clients/${client.id}`);
  }
});

test("The realm of Keycloak's own administrators is refused, and they sign in as before", async () => {
  const { settings } = told("master");
  const { code, output } = await provision(settings, "--yes", "--adopt");
  expect([code, output]).toEqual([1, expect.stringMatching(/^Cannot use the realm "master": [^\n]+ in IDENTITY_REALM\n$/)]);
  expect((await keycloak("GET /master/clients?clientId=admin-cli"))[0].enabled).toBe(true);
});

test("An address that the provider's tokens do not name is refused", async () => {
  const { settings } = told();
  const other = new URL(KEYCLOAK);
  other.hostname = other.hostname === "localhost" ? "127.0.0.1" : "localhost";
  const { code, output } = await provision({ ...settings, IDENTITY_URL: other.origin }, "--yes");
  expect(code).toBe(1);
  expect(output).toContain(`so set IDENTITY_URL to "${KEYCLOAK}"`);
});
