import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { begun, runToEnd, type Settings, worker } from "../command.ts";
import { provision } from "../provision/command.ts";
import { identitySettings, realms } from "../provision/keycloak.ts";
import { newVault, secretsSettings } from "../provision/vault.ts";
import { client } from "../runtime/client.ts";
import { KEYCLOAK, keycloak } from "../systems/keycloak.ts";
import { asOwner, type OwnDatabase, ownDatabase } from "../systems/postgres.ts";
import { VAULT, vault } from "../systems/vault.ts";
import { countsIn, linesOf, LIMIT_MS, query, run, STANDING_STILL, totalOf } from "./commands.ts";
import { type Filled, filled, ODD, PASSWORD, started } from "./filled.ts";

const { TEST_DATABASE_URL: DATABASE = "", KAFKA_BROKERS = "" } = process.env;
const SLOW = { timeout: 2 * LIMIT_MS };
/** People whom nobody registered, and rows of which only the database hears: Keycloak takes minutes to remove a realm of some thousands. */
const CROWD = 200;
const ROWS = 5000;

const realm = `moving-test-${crypto.randomUUID()}`;
const data = mkdtempSync(join(tmpdir(), "gatehouse-"));
const out = join(data, "exported");
let database: OwnDatabase;
let made: Filled;
let before: Record<string, { value: string }[]>;

describe.skipIf(!KEYCLOAK || !DATABASE || !VAULT)("From embedded to real", () => {
  beforeAll(async () => {
    made = await filled(data);
    await query({ data }, CROWDED);
    await query({ data }, MANY_ROWS);
    await query({ data }, UNFINISHED);
    await query({ data }, STANDING_STILL);
    before = { audit: (await query({ data }, "SELECT id AS value FROM admin.audit_entries ORDER BY sequence")) as { value: string }[] };
    expect((await run("export", [out], { GATEHOUSE_DATA: data })).code).toBe(0);
    await newVault();
    database = await ownDatabase(DATABASE);
    const ready = await provision({ ...systems(), GATEHOUSE_DATA: data, ADMIN_USERNAME: "operator" }, "--yes");
    expect(ready.code, ready.output).toBe(0);
  }, 2 * LIMIT_MS);

  afterAll(async () => {
    await database?.drop();
    if ((await realms()).includes(realm)) await keycloak(`DELETE /${realm}`);
    await newVault();
    rmSync(data, { recursive: true, force: true });
  }, LIMIT_MS);

  test("An import that is killed after each of its changes goes on, and in the end everything is there once", SLOW, async () => {
    const [first, second] = [await killedWhen(async () => (await people()) > CROWD / 2), await killedWhen(async () => (await rows()) > 0)];
    expect([first, second]).toEqual(["SIGKILL", "SIGKILL"]);
    expect(await people()).toBe(CROWD + 7);
    for (let changes = 1, isDone = false; !isDone; changes++) {
      const { code, output } = await runToEnd(worker("import", out, "--only", "secrets,broker"), settings(), { dies: `after:${changes}` });
      expect(code, output).toSatisfy((status) => status === null || status === 0);
      isDone = code === 0;
    }
    const last = await run("import", [out], settings());
    expect({ code: last.code, output: last.output }).toEqual({ code: 0, output: expect.not.stringContaining("canary") });
    const again = await run("import", [out], settings());
    expect({ code: again.code, ...totalOf(countsIn(again.output)) }).toMatchObject({ code: 0, made: 0, changed: 0, different: 0, failed: 0 });
    expect(countsIn(again.output)).toMatchObject({ users: { same: CROWD + 6 }, clients: { same: 1 }, roles: { same: 1 }, approles: { same: 1 }, "users.users": { same: ROWS + CROWD + 5 } });
  });

  test("What somebody has changed since is told and left alone, and replaced when that is asked for", SLOW, async () => {
    const { id: person } = await identityOf(made.odd.userId);
    const [{ id: service }] = await keycloak(`GET /${realm}/clients?clientId=${made.billing.clientId}`);
    await keycloak(`PUT /${realm}/users/${person}`, { lastName: "Changed" });
    await keycloak(`PUT /${realm}/clients/${service}`, { clientId: made.billing.clientId, secret: "changed-since-then" });
    await vault("POST auth/approle/role/user-service", { token_ttl: 60 });
    const left = await run("import", [out, "--only", "identity,secrets"], settings());
    expect({ code: left.code, ...totalOf(countsIn(left.output)) }).toMatchObject({ code: 3, made: 0, changed: 0, different: 3, failed: 0 });
    expect(left.output).toContain(`users: "${made.odd.userId.toLowerCase()}" is there with another profile or other roles\n`);
    expect((await identityOf(made.odd.userId)).lastName).toBe("Changed");

    const replaced = await run("import", [out, "--only", "identity,secrets", "--overwrite"], settings());
    expect({ code: replaced.code, ...totalOf(countsIn(replaced.output)) }).toMatchObject({ code: 0, made: 0, changed: 3, different: 0, failed: 0 });
    expect(await identityOf(made.odd.userId)).toMatchObject({ id: person, lastName: "Rao" });
    expect((await vault("GET auth/approle/role/user-service")).data).toMatchObject({ token_ttl: 3600, token_policies: ["user-service-policy"] });
  });

  test("Who had a password signs in with it, and with no other; who was locked stays so; what a token was, it is no longer", SLOW, async () => {
    const platform = await started(data, { ...settings(), TOKEN_TIMEOUT_MS: "20000" });
    try {
      const request = client(platform.gateway);
      const signIn = (username: string, password: string) => patiently(() => request("/api/auth/authenticate", { json: { username, password } }));
      const wrong = await signIn(made.plain.userId, `${PASSWORD}!`);
      expect({ status: wrong.status, code: wrong.body["code"] }).toEqual({ status: 401, code: "SECURITY_INVALID_CREDENTIALS_401" });
      const { status, text: token } = await signIn(made.plain.emailId, PASSWORD);
      expect(status).toBe(200);
      expect((await request("/api/users/me", { token })).body).toEqual(made.profile);
      expect((await signIn(made.odd.userId, PASSWORD)).status).toBe(200);
      expect((await signIn(made.locked.userId, PASSWORD)).body["code"]).toBe("ACCOUNT_LOCKED_403");
      expect((await identityOf(made.locked.userId)).enabled).toBe(false);
      for (const { token } of [made.plain, made.locked]) expect((await request("/api/users/me", { token })).status).toBe(401);
      const left = () => asOwner(database.url, "SELECT user_id, status FROM users.users WHERE user_id IN ('USRHALFWAY', 'USRBEGUN')");
      await expect.poll(left, { timeout: 60_000 }).toEqual([{ user_id: "USRHALFWAY", status: "ACTIVE" }]);
      await expect.poll(async () => (await identityOf("USRHALFWAY")).enabled, { timeout: 60_000 }).toBe(true);
      await administered(request, (await signIn("admin", made.adminPassword)).text);
    } finally {
      await platform.stop();
    }
    const credentials = new URLSearchParams({ grant_type: "client_credentials", client_id: made.billing.clientId, client_secret: made.billing.clientSecret });
    const granted = await fetch(`${KEYCLOAK}/realms/${realm}/protocol/openid-connect/token`, { method: "POST", body: credentials });
    const { access_token = "" } = (await granted.json()) as { access_token?: string };
    expect(JSON.parse(Buffer.from(access_token.split(".")[1] ?? "", "base64url").toString()).realm_access.roles).toContain("INTERNAL_SERVICE");
  });

  test("Versions of secrets and the ids of AppRoles are what they were", async () => {
    const read = async (query: string) => (await vault(`GET secret/data/platform/user-service/dev${query}`)).data;
    expect([(await read("?version=1")).data, (await read("")).data]).toEqual([{ "smtp.password": "canary-secret-one" }, { "smtp.password": "canary-secret-one", "smtp.user": ODD }]);
    expect((await vault("GET auth/approle/role/user-service/role-id")).data.role_id).toBe(made.approle.roleId);
  });
});

/** What an administrator, who has the same password as before, finds. */
async function administered(request: ReturnType<typeof client>, token: string): Promise<void> {
  const admin = async (path: string) => (await request(`/api/admin${path}`, { token })).body;
  expect((await admin("/webhooks"))["webhooks"]).toMatchObject([{ id: made.webhook.id, disabledAt: null }]);
  expect(await admin("/realm-role?roleName=Auditor%20%2F%20Pr%C3%BCfer")).toMatchObject({ composite: false });
  expect(await admin("/vault-secrets?service=user-service")).toEqual({ "smtp.password": "canary-secret-one", "smtp.user": ODD });
  expect(await admin("/topics/describe?topicNames=orders")).toMatchObject([{ name: "orders", partitions: 3 }]);
  // Among them what no consumer had read before the move.
  const expected = [...before["audit"]!.map(({ value }) => value), ...linesOf(out, "events").filter(({ topic }) => topic === "platform.audit").map(({ id }) => id as string)];
  const entries = async () => (await admin("/audit?limit=100"))["entries"] as { id: string }[];
  await expect.poll(async () => (await entries()).map(({ id }) => id), { timeout: 60_000 }).toEqual(expect.arrayContaining(expected));
  const ids = (await entries()).map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(await admin("/audit/verify")).toMatchObject({ valid: true });
}

const CROWDED = `
  WITH made AS (
    INSERT INTO identity.users (id, username, email, email_verified, first_name, last_name, enabled, created_timestamp, required_actions, password)
    SELECT gen_random_uuid(), 'usrcrowd' || i, 'crowd' || i || '@example.com', false, 'Of', 'Many', true, 1700000000000, '[]',
      (SELECT password FROM identity.users WHERE email = 'mover1@example.com')
    FROM generate_series(1, ${CROWD}) i RETURNING id, username, email
  ), given AS (
    INSERT INTO identity.user_roles ("user", role) SELECT made.id, r.id FROM made, identity.roles r WHERE r.name = 'default-roles-platform'
  )
  INSERT INTO users.users (user_id, identity_id, status, first_name, last_name, email_id, email_key, primary_contact_number, fingerprint, created_at, updated_at, registered_at)
  SELECT upper(username), id, 'ACTIVE', 'Of', 'Many', email, email, '7' || lpad(substr(username, 9), 9, '0'), 'x', now(), now(), now() FROM made`;

const MANY_ROWS = `
  INSERT INTO users.users (user_id, identity_id, status, first_name, last_name, email_id, email_key, primary_contact_number, fingerprint, created_at, updated_at, registered_at)
  SELECT 'USRROW' || i, gen_random_uuid(), 'ACTIVE', 'Of', 'Many', mail, mail, '6' || lpad(i::text, 9, '0'), 'x', now(), now(), now()
  FROM generate_series(1, ${ROWS}) i, concat('row', i, '@example.com') mail`;

/** Registrations that a crash has left: one whose identity was made, disabled, and one that had got no further than its row. */
const UNFINISHED = `
  WITH made AS (
    INSERT INTO identity.users (id, username, email, email_verified, first_name, last_name, enabled, created_timestamp, required_actions, password)
    SELECT gen_random_uuid(), 'usrhalfway', 'halfway@example.com', true, 'Half', 'Way', false, 1700000000000, '[]', password
    FROM identity.users WHERE email = 'mover1@example.com'
  )
  INSERT INTO users.users (user_id, status, first_name, last_name, email_id, email_key, primary_contact_number, fingerprint, created_at, updated_at, sync_due)
  SELECT user_id, 'PENDING', 'Half', 'Way', mail, mail, number, 'x', now(), now(), now()
  FROM (VALUES ('USRHALFWAY', 'halfway@example.com', '7999999998'), ('USRBEGUN', 'begun@example.com', '7999999999')) AS v(user_id, mail, number)`;

/** Every real system that this run has. */
function systems(): Settings {
  return { ...identitySettings(realm), ...secretsSettings(), DATABASE_URL: database.url, ...(KAFKA_BROKERS && { KAFKA_BROKERS }) };
}

function settings(): Settings {
  return { ...systems(), GATEHOUSE_DATA: data, SETTINGS_FILE: join(data, "settings.env") };
}

/** Runs the import and kills it once `isReached`; answers what ended it. */
async function killedWhen(isReached: () => Promise<boolean>): Promise<string | null> {
  const { child, ended } = begun(worker("import", out, "--only", "identity,database"), settings());
  while (child.exitCode === null && !(await isReached())) await pause(20);
  child.kill("SIGKILL");
  await ended;
  return child.signalCode;
}

const people = (): Promise<number> => keycloak(`GET /${realm}/users/count`);

async function rows(): Promise<number> {
  const [row] = await asOwner(database.url, "SELECT CASE WHEN to_regclass('users.users') IS NULL THEN 0 ELSE 1 END AS is_there");
  if (!row?.["is_there"]) return 0;
  const [{ count } = { count: 0 }] = await asOwner(database.url, "SELECT count(*)::int AS count FROM users.users");
  return count as number;
}

async function identityOf(userId: string): Promise<{ id: string; enabled: boolean; lastName: string }> {
  return (await keycloak(`GET /${realm}/users?username=${userId.toLowerCase()}&exact=true`))[0];
}

/** Hashing anew takes a while on a machine that does other things too. */
async function patiently<Answer extends { status: number }>(send: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 0; tries < 10; tries++) {
    const answer = await send();
    if (answer.status < 500) return answer;
  }
  return send();
}
