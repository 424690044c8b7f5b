import { afterAll, beforeAll, expect, test } from "vitest";
import { recordReader } from "../../src/broker/reading.ts";
import { envelopeOf } from "../../src/events/envelope.ts";
import { revocations } from "../../src/events/revocations.ts";
import { type Signer, signer } from "../http/signing.ts";
import { problemOf } from "../http/problem.ts";
import { ADMIN, registered, signedIn, type TestPlatform, testPlatform, type Wire } from "../platform.ts";
import { openWire } from "../wire/broker/wire.ts";
import { doorsOf, knockAll, OPEN, relayOf, SHUT } from "./locking.ts";

let platform: TestPlatform;
let sign: Signer;
let relay: () => Promise<void>;
beforeAll(async () => {
  platform = await testPlatform({ embedded: "issuing" });
  sign = await signer(platform);
  relay = relayOf(platform);
});
afterAll(() => platform.close());

/** The time within which a lock is known everywhere. */
const STATED_MS = 10_000;
const SECOND = 1000;

const pass = (milliseconds: number) => void (platform.clock.offset += milliseconds);
const seconds = () => Math.floor(platform.clock.now() / 1000);

async function signIn({ userId, password }: { userId: string; password: string }) {
  const headers = { accept: "application/json" };
  const response = await platform.request("/api/auth/authenticate", { method: "POST", headers, json: { username: userId, password } });
  expect(response.status).toBe(200);
  return (await response.json()) as { access_token: string; refresh_token: string };
}

/** A user who may pass every door, with tokens. */
async function officer() {
  const user = await registered(platform);
  const identityId = await platform.operator.giveRoles(user.userId, "ADMIN", "INTERNAL_SERVICE");
  return { ...user, identityId, ...(await signIn(user)) };
}

async function setLock(userId: string, isLockUser: boolean): Promise<void> {
  const token = await signedIn(platform, ADMIN);
  const response = await platform.request(`/api/users/${userId}`, { method: "PUT", token, json: { isLockUser } });
  expect(response.status).toBe(200);
}

test("a locked user's token is refused by every service within ten seconds, and other users' are not", async () => {
  const doors = doorsOf(platform);
  const [locked, other] = [await officer(), await officer()];
  expect(await knockAll(doors, locked.access_token)).toEqual(OPEN);
  await setLock(locked.userId, true);
  const lockedAt = platform.clock.now();
  // Views are as fresh as they can be without having the lock, and the relay comes as late as it may.
  expect(await knockAll(doors, other.access_token)).toEqual(OPEN);
  pass(3 * SECOND);
  await relay();
  pass(lockedAt + STATED_MS - platform.clock.now());
  expect(await knockAll(doors, locked.access_token)).toEqual(SHUT);
  const refused = await doors[0]!.knock(locked.access_token);
  expect(refused.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
  expect(await problemOf(refused)).toEqual({ status: 401, code: "UNAUTHENTICATED_401" });
  expect(await knockAll(doors, other.access_token)).toEqual(OPEN);
  // An instance that starts now knows it from its first request.
  expect(await knockAll(doorsOf(platform), locked.access_token)).toEqual(SHUT);
});

test("a locked user's own doors and sessions are shut at once", async () => {
  const user = await officer();
  await setLock(user.userId, true);
  const refreshed = await platform.request("/api/auth/refresh", { method: "POST", json: { refresh_token: user.refresh_token } });
  expect(await problemOf(refreshed)).toEqual({ status: 401, code: "REFRESH_TOKEN_INVALID_401" });
  expect(await problemOf(await platform.request("/api/users/me", { token: user.access_token }))).toEqual({ status: 403, code: "ACCOUNT_LOCKED_403" });
  const again = await platform.request("/api/auth/authenticate", { method: "POST", json: { username: user.userId, password: user.password } });
  expect(await problemOf(again)).toEqual({ status: 403, code: "ACCOUNT_LOCKED_403" });
});

test("after unlocking, tokens from before stay dead and new ones are good within two seconds of the event", async () => {
  const doors = doorsOf(platform);
  const user = await officer();
  await setLock(user.userId, true);
  await relay();
  expect(await knockAll(doors, user.access_token)).toEqual(SHUT);
  await setLock(user.userId, false);
  await relay();
  const fresh = await signIn(user);
  pass(SECOND);
  expect(await knockAll(doors, fresh.access_token)).toEqual(OPEN);
  expect(await knockAll(doors, user.access_token)).toEqual(SHUT);
  pass(60 * SECOND);
  expect(await knockAll(doors, user.access_token)).toEqual(SHUT);
  expect(await knockAll(doors, fresh.access_token)).toEqual(OPEN);
});

test("a token that the identity provider gave out between the lock and its own following is dead during the lock and after it", async () => {
  const doors = doorsOf(platform);
  const user = await officer();
  const tokenOf = (iat: number) => sign.good({ sub: user.identityId, iat, exp: iat + 300 });
  await setLock(user.userId, true);
  await relay();
  const straddling = await tokenOf(seconds() + 2);
  pass(6 * SECOND);
  expect(await knockAll(doors, straddling)).toEqual(SHUT);
  await setLock(user.userId, false);
  await relay();
  const after = await tokenOf(seconds());
  pass(6 * SECOND);
  expect(await knockAll(doors, straddling)).toEqual(SHUT);
  expect(await knockAll(doors, after)).toEqual(OPEN);
});

test("whoever guesses a user's password five times does not sign them out", async () => {
  const doors = doorsOf(platform);
  const user = await officer();
  for (let guess = 0; guess < 5; guess++) {
    await platform.request("/api/auth/authenticate", { method: "POST", json: { username: user.userId, password: "Wrong-Horse-7-Battery" } });
  }
  await relay();
  pass(STATED_MS);
  expect(await knockAll(doors, user.access_token)).toEqual(OPEN);
  expect((await platform.request("/api/auth/refresh", { method: "POST", json: { refresh_token: user.refresh_token } })).status).toBe(200);
});

/** Puts events of one subject into the topic, in this order. */
async function publish(...events: { type: "user.locked" | "user.unlocked"; identityId: string; revision: number; at: number; id?: string }[]): Promise<void> {
  const wire = await openWire({ fetch: platform.broker, baseUrl: platform.brokerUrl });
  const records = events.map(({ type, identityId, revision, at, id = crypto.randomUUID() }) => {
    const data = { userId: "USR1", identityId, revision, by: identityId, requestId: "request-1" };
    return { key: { type: "STRING", data: identityId }, value: { type: "JSON", data: envelopeOf({ id, type, key: "USR1", data, traceparent: null, createdAt: at }) } };
  });
  const reports = await wire.produce("platform.users", ...records);
  expect(reports.map(({ error_code }) => error_code)).toEqual(events.map(() => 200));
}

const ORDERS: Record<string, number[]> = { "in order": [0, 1, 2], "the lock replayed last": [1, 2, 0], "the first unlock replayed last": [0, 2, 1], "backwards": [2, 1, 0] };

test.each(Object.keys(ORDERS))("a lock, an unlock and a lock end in the last one, whichever order they come in: %s", async (order) => {
  const identityId = crypto.randomUUID();
  const at = platform.clock.now() - 60 * SECOND;
  const events = [
    { type: "user.locked" as const, identityId, revision: 2, at },
    // By a clock that is behind.
    { type: "user.unlocked" as const, identityId, revision: 3, at: at - 5 * SECOND },
    { type: "user.locked" as const, identityId, revision: 4, at: at + SECOND },
  ];
  await publish(...ORDERS[order]!.map((place) => events[place]!));
  const token = await sign.good({ sub: identityId });
  expect(await knockAll(doorsOf(platform), token)).toEqual(SHUT);
  await publish({ type: "user.unlocked", identityId, revision: 5, at: at + 2 * SECOND }, events[0]!);
  expect(await knockAll(doorsOf(platform), token)).toEqual(OPEN);
  expect(await knockAll(doorsOf(platform), await sign.good({ sub: identityId, iat: Math.floor(at / 1000) + 1 }))).toEqual(SHUT);
});

test("a lock and an unlock within one second kill the tokens of that second", async () => {
  const identityId = crypto.randomUUID();
  const second = (seconds() - 20) * SECOND;
  const tokenOf = (iat: number) => sign.good({ sub: identityId, iat: iat / 1000 });
  await publish({ type: "user.locked", identityId, revision: 2, at: second + 200 }, { type: "user.unlocked", identityId, revision: 3, at: second + 700 });
  const doors = doorsOf(platform);
  expect(await knockAll(doors, await tokenOf(second))).toEqual(SHUT);
  expect(await knockAll(doors, await tokenOf(second + SECOND))).toEqual(OPEN);
});

test("with the broker away the last view holds, nobody waits for it twice, and health says so", async () => {
  let isAway = false;
  let asked = 0;
  const broker: Wire = (request, pass) => {
    asked += 1;
    return isAway ? Promise.reject(new TypeError("fetch failed")) : pass(request);
  };
  const doors = doorsOf(platform, { broker });
  const [locked, other] = [await officer(), await officer()];
  await setLock(locked.userId, true);
  await relay();
  expect(await knockAll(doors, locked.access_token)).toEqual(SHUT);
  isAway = true;
  pass(2 * STATED_MS);
  asked = 0;
  const [administration, , users] = doors;
  for (let round = 0; round < 20; round++) {
    expect((await users!.knock(other.access_token)).status).toBe(201);
    expect((await users!.knock(locked.access_token)).status).toBe(401);
  }
  expect(asked).toBeLessThanOrEqual(3);
  const { request } = platform.instance({ broker });
  expect((await request("/actuator/health/revocations", { service: "users" })).status).toBe(503);
  isAway = false;
  pass(STATED_MS);
  expect((await request("/actuator/health/revocations", { service: "users" })).status).toBe(200);
  expect((await request("/actuator/health/revocations", { service: "auth" })).status).toBe(200);
  expect((await administration!.knock(other.access_token)).status).toBe(200);
});

test("with a broker that is silent one request waits a second, and no other does", async () => {
  let isSilent = false;
  const broker: Wire = (request, pass) => (isSilent ? new Promise<never>(() => {}) : pass(request));
  const [, , users] = doorsOf(platform, { broker });
  const { access_token } = await officer();
  expect((await users!.knock(access_token)).status).toBe(201);
  isSilent = true;
  const waits: number[] = [];
  for (let round = 0; round < 6; round++) {
    pass(6 * SECOND);
    const began = performance.now();
    expect((await users!.knock(access_token)).status).toBe(201);
    waits.push(performance.now() - began);
  }
  expect(waits.filter((wait) => wait > 600)).toHaveLength(1);
});

test("before there is any view nobody is let in", async () => {
  let isAway = true;
  const database: Wire = async (request, pass) => (isAway && (await request.clone().text()).includes("revocations") ? new Response("{}", { status: 503 }) : pass(request));
  const [, authentication, users] = doorsOf(platform, { database });
  const { access_token } = await officer();
  for (const { knock } of [authentication!, users!]) expect(await problemOf(await knock(access_token))).toEqual({ status: 503, code: "UPSTREAM_UNAVAILABLE_503" });
  isAway = false;
  expect((await authentication!.knock(access_token)).status).toBe(200);
  expect((await users!.knock(access_token)).status).toBe(201);
});

/** As a service on Workers has it: no request waits for another's promises. */
function isolated() {
  const { database, clock, broker, brokerUrl: url } = platform;
  const { db } = database;
  const reader = recordReader({ url, fetch: broker, now: clock.now });
  return revocations({ db, reader, now: clock.now, sharesPending: false, log: () => {}, service: "tests" });
}

test("of many requests that come first and at once to an isolate none slips in", async () => {
  const identityId = crypto.randomUUID();
  await publish({ type: "user.locked", identityId, revision: 2, at: platform.clock.now() });
  const verify = isolated().guarding(async () => ({ sub: identityId, client: "auth-service", isServiceAccount: false, issuedAt: seconds(), roles: [] }));
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => verify("token")));
  expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => "rejected"));
});

test("ten thousand users locked at once are all known; a day later, when no token from before can live, none is kept", async () => {
  await platform.database.query(
    `INSERT INTO events.revocations (subject, revision, locked_at, until, version)
    SELECT 'bulk-' || n, 2, now(), to_timestamp($1::float8 / 1000) + interval '25 hours', 1000 + n / 200 FROM generate_series(1, 12000) AS n`,
    [String(platform.clock.now())],
  );
  const revoked = isolated();
  const judge = (sub: string) => revoked.guarding(async () => ({ sub, client: "auth-service", isServiceAccount: false, issuedAt: 0, roles: [] }))("token").then(() => "passes", () => "refused");
  const names = ["bulk-1", "bulk-5000", "bulk-9999", "bulk-12000"];
  for (const name of names) expect([name, await judge(name)]).toEqual([name, "refused"]);
  pass(26 * 3600 * SECOND);
  for (const name of names) expect([name, await judge(name)]).toEqual([name, "passes"]);
  expect(await platform.database.query("SELECT count(*) FROM events.revocations")).toEqual([{ count: "0" }]);
});
