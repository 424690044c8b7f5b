import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PLATFORM, type Settings } from "../command.ts";
import { diagnosis } from "../doctor/command.ts";
import { freePorts, launch } from "../runtime/launch.ts";
import { keycloak } from "../systems/keycloak.ts";
import { type OwnDatabase, ownDatabase } from "../systems/postgres.ts";
import { keptIn, provision } from "./command.ts";
import { identitySettings, realms } from "./keycloak.ts";
import { newVault, secretsSettings } from "./vault.ts";

const SLOW = { timeout: 240_000 };
const PASSWORD = "Correct-Horse-7-Battery";
const DATABASE = process.env["TEST_DATABASE_URL"];

const realm = `provision-test-${crypto.randomUUID()}`;
const data = mkdtempSync(join(tmpdir(), "gatehouse-"));
let database: OwnDatabase | undefined;

beforeAll(async () => {
  await newVault();
  if (DATABASE) database = await ownDatabase(DATABASE);
});
afterAll(async () => {
  await database?.drop();
  if ((await realms()).includes(realm)) await keycloak(`DELETE /${realm}`);
  await newVault();
  rmSync(data, { recursive: true, force: true });
});

/** Every real system that this run has. */
function systems(): Settings {
  const { TEST_REDIS_URL: redis, KAFKA_REST_URL: broker, KAFKA_REST_CREDENTIALS: credentials } = process.env;
  return {
    ...identitySettings(realm),
    ...secretsSettings(),
    ...(database && { DATABASE_URL: database.url }),
    ...(redis && { REDIS_URL: redis }),
    ...(broker && { BROKER_URL: broker, ...(credentials && { BROKER_AUTHORIZATION: `Basic ${btoa(credentials)}` }) }),
  };
}

test("The platform starts from what was provisioned, with nothing else set, and people register and sign in", SLOW, async () => {
  const file = join(data, "settings.env");
  const made = await provision({ ...systems(), GATEHOUSE_DATA: data }, "--yes");
  expect(made.code, made.output).toBe(0);
  const password = /Password +(\S+)/.exec(made.output)?.[1] ?? "";
  const again = await provision({ ...systems(), GATEHOUSE_DATA: data }, "--yes");
  expect(again.output).toMatch(/^Nothing to do\./);
  const written = Object.values(keptIn(file)).join("\n");
  for (const credential of [process.env["KEYCLOAK_ADMIN_PASSWORD"], process.env["VAULT_TOKEN"], password]) expect(written.split("\n")).not.toContain(credential);

  const platform = await launch(PLATFORM, { ...(await freePorts()), SETTINGS_FILE: file, GATEHOUSE_DATA: data });
  try {
    const call = async (path: string, body?: unknown, token?: string) => {
      const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
      const answer = await fetch(`${platform.gateway}${path}`, { headers, ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }) });
      return { status: answer.status, text: await answer.text() };
    };
    const person = { firstName: "Asha", lastName: "Rao", emailId: "asha.rao@example.com", password: PASSWORD, primaryContactNumber: "9876543210" };
    expect((await call("/api/users/register", person)).status).toBe(201);
    const { text: token } = await call("/api/auth/authenticate", { username: person.emailId, password: PASSWORD });
    expect(await call("/api/users/me", undefined, token)).toMatchObject({ status: 200, text: expect.stringContaining("asha.rao@example.com") });

    const { text: admin } = await call("/api/auth/authenticate", { username: "admin", password });
    const secrets = { service: "user-service", secrets: [{ key: "smtp.password", secret: "s3cret" }] };
    expect((await call("/api/admin/vault-secrets", secrets, admin)).status).toBe(200);
    expect(await call("/api/admin/vault-secrets?service=user-service", undefined, admin)).toEqual({ status: 200, text: '{"smtp.password":"s3cret"}' });
    expect((await call("/api/admin/inter-service-clients?clientName=billing", {}, admin)).status).toBe(200);
    expect((await call("/api/admin/vault/policies?service=user-service", {}, admin)).status).toBe(200);
    const health = await call("/actuator/health");
    expect(health.status, health.text).toBe(200);
  } finally {
    await platform.stop();
  }
});

test.skipIf(DATABASE === undefined)("Of a user whose identity Keycloak has lost, the doctor tells", SLOW, async () => {
  const settings = { SETTINGS_FILE: join(data, "settings.env"), GATEHOUSE_DATA: data };
  const whole = await diagnosis(settings);
  expect(whole.having("identity", "users")).toMatchObject([{ status: "ok", sentence: "The newest users have their identities (1 looked at)" }]);
  const [user] = await keycloak(`GET /${realm}/users?email=asha.rao@example.com`);
  await keycloak(`DELETE /${realm}/users/${user.id}`);
  const { exit, having } = await diagnosis(settings);
  expect(exit).toBe(1);
  expect(having("identity", "users-lost")).toMatchObject([{ sentence: `It does not know 1 of the newest 1 users: ${user.username.toUpperCase()} cannot sign in` }]);
});
