import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPostgres } from "../../workers/postgres.ts";
import { testDatabaseOn } from "../database.ts";
import { ADMIN, type TestPlatform, testPlatform } from "../platform.ts";
import { asOwner } from "../systems/postgres.ts";
import { type Load, type Sample, steadyLoad } from "./load.ts";
import { type PostgresServer, postgresServer } from "./server.ts";

const RECOVERY_MS = 5000;
/** What a request of ours may take. */
const REQUEST_MS = 8000;
const TIMEOUT_MS = 1000;


let server: PostgresServer;
let platform: TestPlatform;
let instance: ReturnType<TestPlatform["instance"]>;

beforeAll(async () => {
  server = await postgresServer();
  const backend = await openPostgres(server.url, { timeout: TIMEOUT_MS, log: () => {} });
  platform = await testPlatform({ database: testDatabaseOn(backend) });
  instance = platform.instance({}, { DATABASE_TIMEOUT_MS: String(TIMEOUT_MS), SERVICE_TIMEOUT_MS: String(TIMEOUT_MS) });
});
afterAll(async () => {
  await platform.close();
  await server.close();
});

/** Takes the database away under load with `away`, which settles when it is ready again. */
async function outage(name: string, away: () => Promise<void>) {
  const load = steadyLoad(instance);
  await pause(2000);
  const gone = performance.now();
  await away();
  const ready = performance.now();
  const isServed = () => (["register", "sign in"] as const).every((kind) => load.samples.some((sample) => sample.kind === kind && sample.status < 400 && sample.began > ready));
  while (!isServed() && performance.now() < ready + RECOVERY_MS) await pause(50);
  await pause(2000);
  await load.stop();
  const failed = load.samples.filter(({ status }) => status >= 400);
  const first = (kind: Sample["kind"]) =>
    Math.min(...load.samples.flatMap(({ kind: of, status, began, took }) => (of === kind && status < 400 && began + took >= ready ? [began + took - ready] : [])));
  const recovery = { register: first("register"), "sign in": first("sign in") };
  const longest = Math.max(...load.samples.map(({ took }) => took));
  const kinds = Object.entries(Object.groupBy(failed, ({ status }) => status)).map(([status, all]) => `${all?.length} × ${status}`);
  console.log(
    `${name}: away ${Math.round(ready - gone)} ms; ${load.samples.length - failed.length} answered, ${kinds.join(", ")}, the longest after ${Math.round(longest)} ms; ` +
      `first registration ${Math.round(recovery.register)} ms and sign-in ${Math.round(recovery["sign in"])} ms after it was ready`,
  );
  return { load, failed, recovery, longest, gone, ready };
}

type Outage = Awaited<ReturnType<typeof outage>>;

function expectServed({ load, failed, recovery, longest, gone, ready }: Outage): void {
  expect(load.registered.length).toBeGreaterThan(20);
  expect(failed.filter(({ code, retryAfter }) => !/^UPSTREAM_(UNAVAILABLE_503|TIMEOUT_504)$/.test(code ?? "") || retryAfter === null)).toEqual([]);
  expect(failed.filter(({ began, took }) => began + took < gone || began > ready + RECOVERY_MS)).toEqual([]);
  expect(longest).toBeLessThan(REQUEST_MS);
  expect(recovery.register).toBeLessThan(RECOVERY_MS);
  expect(recovery["sign in"]).toBeLessThan(RECOVERY_MS);
}

/** What breaks a promise of the registration once all is swept, straight from both stores. */
async function violations({ registered }: Load) {
  for (let round = 0; round < 12; round++) {
    await platform.sweep();
    platform.clock.offset += 6000;
  }
  const rows = await platform.database.query(`SELECT user_id, status, identity_id, email_key,
    (SELECT count(*) FROM events.outbox o WHERE o.key = user_id AND o.type = 'user.registered') AS events FROM users.users`);
  const people = (await platform.operator.people()).filter(({ username }) => username !== ADMIN.username);
  const whole = new Set(people.filter(({ enabled }) => enabled).map(({ id, username, email }) => [id, username, email].join()));
  const active = new Set(rows.filter(({ status }) => status === "ACTIVE").map(({ user_id }) => user_id));
  return {
    lost: registered.filter(({ userId }) => !active.has(userId)),
    unsettled: rows.filter(({ status }) => status !== "ACTIVE"),
    withoutIdentity: rows.filter(({ user_id, identity_id, email_key }) => !whole.has([identity_id, user_id?.toLowerCase(), email_key].join())),
    withoutRow: people.filter(({ username }) => !active.has(username.toUpperCase())),
    notOneEvent: rows.filter(({ events }) => events !== "1"),
  };
}

const NONE = { lost: [], unsettled: [], withoutIdentity: [], withoutRow: [], notOneEvent: [] };

describe("A Postgres that goes away under registrations and sign-ins: 503 or 504 meanwhile, nothing lost, served again by itself", () => {
  test("killed and started again", { timeout: 60_000 }, async () => {
    const came = await outage("killed", async () => {
      await server.kill();
      await pause(1500);
      await server.start();
    });
    expect(came.failed.length).toBeGreaterThan(0);
    expectServed(came);
    expect(await violations(came.load)).toEqual(NONE);
  });

  test("every connection ended, three times", { timeout: 60_000 }, async () => {
    const came = await outage("connections ended", async () => {
      for (let round = 0; round < 3; round++) {
        await asOwner(server.superuser, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'");
        await pause(300);
      }
    });
    expectServed(came);
    expect(await violations(came.load)).toEqual(NONE);
  });

  test("hanging for ten seconds", { timeout: 60_000 }, async () => {
    const came = await outage("hanging", async () => {
      server.freeze();
      await pause(10_000);
      server.thaw();
    });
    expect(came.failed.length).toBeGreaterThan(0);
    expectServed(came);
    expect(await violations(came.load)).toEqual(NONE);
  });

  test("that only follows another after a failover: 503 for what writes, and served again as soon as it leads", { timeout: 60_000 }, async () => {
    const came = await outage("following", async () => {
      await asOwner(server.superuser, "ALTER ROLE app SET default_transaction_read_only = on", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'");
      await pause(1500);
      await asOwner(server.superuser, "ALTER ROLE app RESET default_transaction_read_only");
    });
    expect(came.failed.length).toBeGreaterThan(0);
    expectServed(came);
    expect(await violations(came.load)).toEqual(NONE);
  });
});
