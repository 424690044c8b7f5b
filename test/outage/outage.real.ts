import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PLATFORM } from "../command.ts";
import { person } from "../platform.ts";
import { client } from "../runtime/client.ts";
import { freePorts, type Launched, launch } from "../runtime/launch.ts";
import { provisioned } from "../wire/provisioned.ts";
import { beginLoad, type Done, isSuccess, type Kind } from "./load.ts";
import { expectWhole } from "./state.ts";
import { type Name, startSystems, type Systems } from "./systems.ts";

const ADMINISTRATOR = { username: "admin", password: "Correct-Horse-1-Admin" };

/** How long all is well before a system is killed, and how long it is away at least. */
const BEFORE_MS = 3000;
const AWAY_MS = 5000;
/** From when a system is ready again until everything works. */
const RECOVERED_MS = 5000;
/** A request's own deadline, at the gateway, and what a slow machine adds. */
const ANSWERED_MS = 12_000;

/** How long it is waited for what may take no more than `RECOVERED_MS`. */
const PATIENCE_MS = 30_000;

const KINDS: readonly Kind[] = ["registration", "sign-in", "secret", "topic"];

/** What fails while a system is away; everything else goes on as if nothing were. */
const AFFECTED: Record<Name, Kind[]> = {
  keycloak: ["registration", "sign-in"],
  vault: ["secret"],
  kafka: ["topic"],
  postgres: ["registration", "sign-in", "secret", "topic"],
  redis: [],
};

let systems: Systems;
let settings: Record<string, string>;
let platform: Launched;
/** Of one account no more than five sign-ins are under way at once, however long the identity provider takes. */
const members = Array.from({ length: 20 }, () => person());

beforeAll(async () => {
  systems = await startSystems();
  const { KEYCLOAK_URL, VAULT_URL, VAULT_TOKEN, KAFKA_BROKERS, TEST_DATABASE_URL, TEST_REDIS_URL, KEYCLOAK_ADMIN, KEYCLOAK_ADMIN_PASSWORD } = systems.environment as Record<string, string>;
  settings = await provisioned({
    IDENTITY_URL: KEYCLOAK_URL!,
    IDENTITY_ADMIN_USERNAME: KEYCLOAK_ADMIN!,
    IDENTITY_ADMIN_PASSWORD: KEYCLOAK_ADMIN_PASSWORD!,
    SECRETS_URL: VAULT_URL!,
    SECRETS_ADMIN_TOKEN: VAULT_TOKEN!,
    KAFKA_BROKERS: KAFKA_BROKERS!,
    DATABASE_URL: TEST_DATABASE_URL!,
    REDIS_URL: TEST_REDIS_URL!,
    ADMIN_USERNAME: ADMINISTRATOR.username,
    ADMIN_PASSWORD: ADMINISTRATOR.password,
  });
  const data = join(systems.folder, "platform");
  mkdirSync(data);
  const many = { RATE_LIMIT_PER_MINUTE: "100000", RATE_LIMIT_LOCAL_PER_MINUTE: "100000" };
  platform = await launch(PLATFORM, { ...settings, ...many, ...(await freePorts()), GATEHOUSE_DATA: data });
  for (const member of members) expect((await client(platform.gateway)("/api/users/register", { json: member })).status).toBe(201);
}, 300_000);

afterAll(async () => {
  await platform?.stop();
  await systems?.close();
}, 60_000);

test.each(Object.keys(AFFECTED) as Name[])("%s is killed under load, and comes again", { timeout: 240_000 }, async (name) => {
  const signIn = { username: ADMINISTRATOR.username, password: ADMINISTRATOR.password };
  const { text: token } = await client(platform.gateway)("/api/auth/authenticate", { json: signIn });
  const load = beginLoad({ gateway: platform.gateway, token, members: members.map(({ emailId: username, password }) => ({ username, password })) });
  await pause(BEFORE_MS);
  const killed = performance.now();
  await systems.crash(name);
  await pause(AWAY_MS);
  await systems.start(name);
  const ready = performance.now();
  const recovered = (kind: Kind) => load.done.find((call) => call.kind === kind && call.began >= killed + AWAY_MS && call.began + call.ms >= ready && isSuccess(call));
  const isBack = () => KINDS.every((kind) => recovered(kind));
  for (const until = ready + PATIENCE_MS; !isBack() && performance.now() < until; ) await pause(50);
  await pause(BEFORE_MS);
  await load.stop();

  const seconds = (ms: number) => (ms / 1000).toFixed(1);
  const within = Math.max(...KINDS.map((kind) => (recovered(kind) ? recovered(kind)!.began + recovered(kind)!.ms - ready : Infinity)));
  const failures = load.done.filter((call) => !isSuccess(call));
  console.log(`${name}: away for ${seconds(ready - killed)} s, all well ${seconds(within)} s after; ${load.done.length} calls, ${table(failures)}`);

  expect(within).toBeLessThan(RECOVERED_MS);
  expect(failures.filter(({ kind }) => !AFFECTED[name].includes(kind))).toEqual([]);
  expect(failures.filter(({ status, retryAfter }) => ![502, 503, 504].includes(status) || (status === 503 && retryAfter === null))).toEqual([]);
  expect(load.done.filter(({ ms }) => ms > ANSWERED_MS)).toEqual([]);
  expect(failures.filter(({ began, ms }) => began + ms < killed || began > ready + RECOVERED_MS)).toEqual([]);
  const { BROKER_PASSWORD = "" } = JSON.parse(readFileSync(join(systems.folder, "platform", "secrets.json"), "utf8")) as Record<string, string>;
  const broker = { url: platform.broker, authorization: `Basic ${btoa(`gatehouse:${BROKER_PASSWORD}`)}` };
  await expectWhole({ systems: systems.environment, settings, broker }, load.kept);
  for (const { email, password } of load.kept.users.slice(-3)) {
    expect((await client(platform.gateway)("/api/auth/authenticate", { json: { username: email, password } })).status).toBe(200);
  }
});

/** How many failed how. */
function table(failures: Done[]): string {
  const groups = Object.groupBy(failures, ({ kind, status, code }) => `${kind} ${status} ${String(code)}`);
  return Object.entries(groups).map(([how, calls = []]) => `${calls.length} × ${how}`).join(", ") || "none failed";
}
