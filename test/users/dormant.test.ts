import { afterEach, beforeEach, expect, test } from "vitest";
import { relayOf } from "../events/locking.ts";
import { ADMIN, registered, signedIn, type TestPlatform, testPlatform } from "../platform.ts";
import { eventsOf, profileOf, update } from "./people.ts";

const DAY = 24 * 3600_000;
const SETTINGS = { DORMANT_AFTER_DAYS: "5" };

let platform: TestPlatform;
let relay: () => Promise<void>;
let service: ReturnType<TestPlatform["instance"]>;
beforeEach(async () => {
  platform = await testPlatform({ embedded: "days" });
  relay = relayOf(platform);
  service = platform.instance({}, SETTINGS);
  // With the first events there are topics, and the consumer begins to look.
  await signIn(await registered(platform));
  await relay();
  await service.sweep();
});
afterEach(() => platform.close());

async function pass(days: number, work: () => Promise<unknown> = async () => {}): Promise<void> {
  for (let day = 0; day < days; day++) {
    platform.clock.offset += DAY;
    await work();
    await relay();
    await service.sweep();
  }
}

const signIn = ({ userId, password }: { userId: string; password: string }) => signedIn(platform, { username: userId, password });

async function statusOf({ userId }: { userId: string }): Promise<string> {
  return (await profileOf(platform, { userId, token: await signedIn(platform, ADMIN) })).status;
}

async function statusEvents({ userId }: { userId: string }) {
  const events = await eventsOf(platform, userId);
  return events.filter(({ type, data }) => type === "user.updated" && "status" in data).map(({ topic, data }) => [topic, data["status"], data["userId"]]);
}

test("each sign-in has one event, also when it is reported twice; a refused one and a refreshed token have none", async () => {
  const user = await registered(platform);
  const signInEvents = () => eventsOf(platform, user.userId, "platform.audit");
  const guess = (password: string) =>
    platform.request("/api/auth/authenticate", { method: "POST", headers: { accept: "application/json" }, json: { username: user.emailId, password } });
  expect((await guess("Wrong-Horse-7-Battery")).status).toBe(401);
  expect(await signInEvents()).toEqual([]);
  const { refresh_token } = (await (await guess(user.password)).json()) as { refresh_token: string };
  await platform.request("/api/auth/refresh", { method: "POST", json: { refresh_token } });
  const [{ identity_id } = {}] = await platform.database.query("SELECT identity_id FROM users.users WHERE user_id = $1", [user.userId]);
  const event = { topic: "platform.audit", type: "user.signed-in", data: { userId: user.userId, identityId: identity_id, requestId: expect.any(String) } };
  expect(await signInEvents()).toEqual([event]);

  const token = await platform.serviceToken();
  const reserved = await platform.request("/internal/api/login-attempts", { method: "POST", token, json: { username: user.userId } });
  const { attemptId } = (await reserved.json()) as { attemptId: string };
  for (let report = 0; report < 3; report++) {
    await platform.request(`/internal/api/security-details/${user.userId}?loginFailed=false&attemptId=${attemptId}`, { method: "PUT", token });
  }
  expect(await signInEvents()).toEqual([event, event]);
});

test("nobody is dormant unless a time is set", async () => {
  const user = await registered(platform);
  service = platform.instance();
  await pass(3);
  platform.clock.offset += 400 * DAY;
  await service.sweep();
  expect(await statusOf(user)).toBe("ACTIVE");
});

test("who does not sign in for the time that is set is dormant, with one event; a sign-in makes them active at once", async () => {
  const [idle, regular] = [await registered(platform), await registered(platform)];
  await pass(3);
  await signIn(regular);
  await pass(1);
  expect([await statusOf(idle), await statusOf(regular)]).toEqual(["ACTIVE", "ACTIVE"]);
  await pass(2);
  expect([await statusOf(idle), await statusOf(regular)]).toEqual(["DORMANT", "ACTIVE"]);
  expect(await statusEvents(idle)).toEqual([["platform.users", "DORMANT", idle.userId]]);

  const wrong = await platform.request("/api/auth/authenticate", { method: "POST", json: { username: idle.userId, password: "Wrong-Horse-7-Battery" } });
  expect(wrong.status).toBe(401);
  expect(await statusOf(idle)).toBe("DORMANT");
  const token = await signIn(idle);
  expect((await profileOf(platform, { ...idle, token })).status).toBe("ACTIVE");
  expect(await statusEvents(idle)).toEqual([["platform.users", "DORMANT", idle.userId], ["platform.users", "ACTIVE", idle.userId]]);
  await pass(4);
  expect([await statusOf(idle), await statusOf(regular)]).toEqual(["ACTIVE", "DORMANT"]);
});

test("it is no lock: the identity stays enabled, and a lock goes before it", async () => {
  const [dormant, locked] = [await registered(platform), await registered(platform)];
  const setLock = async (userId: string, isLockUser: boolean) => {
    const response = await update(platform, { userId, token: await signedIn(platform, ADMIN) }, { isLockUser });
    expect(response.status).toBe(200);
  };
  await setLock(locked.userId, true);
  await pass(7);
  expect([await statusOf(dormant), await statusOf(locked)]).toEqual(["DORMANT", "BLOCKED"]);
  expect((await platform.operator.named(dormant.userId)).enabled).toBe(true);
  await setLock(dormant.userId, true);
  await pass(1);
  expect(await statusOf(dormant)).toBe("BLOCKED");
  await setLock(dormant.userId, false);
  expect(await statusOf(dormant)).toBe("ACTIVE");
  await signIn(dormant);
  await pass(1);
  expect(await statusOf(dormant)).toBe("ACTIVE");
});

test("time before the service began to look counts for nobody", async () => {
  const user = await registered(platform);
  await platform.database.query("DELETE FROM events.positions");
  platform.clock.offset += 100 * DAY;
  await pass(4);
  expect(await statusOf(user)).toBe("ACTIVE");
  await pass(3);
  expect(await statusOf(user)).toBe("DORMANT");
});

test("sign-ins that the service cannot read for days make nobody dormant", async () => {
  const [regular, idle] = [await registered(platform), await registered(platform)];
  let isAway = true;
  service = platform.instance({ broker: (request, pass) => (isAway ? Promise.reject(new TypeError("fetch failed")) : pass(request)) }, SETTINGS);
  await pass(12, () => signIn(regular));
  expect([await statusOf(regular), await statusOf(idle)]).toEqual(["ACTIVE", "ACTIVE"]);
  isAway = false;
  await pass(1);
  expect([await statusOf(regular), await statusOf(idle)]).toEqual(["ACTIVE", "DORMANT"]);
  expect(await statusEvents(regular)).toEqual([]);
});

test("sign-ins that the relay keeps back for days make nobody dormant", async () => {
  const [regular, idle] = [await registered(platform), await registered(platform)];
  const sendLater = relay;
  relay = async () => {};
  await pass(12, () => signIn(regular));
  expect([await statusOf(regular), await statusOf(idle)]).toEqual(["ACTIVE", "DORMANT"]);
  relay = sendLater;
  await pass(1);
  expect(await statusOf(regular)).toBe("ACTIVE");
  expect(await statusEvents(regular)).toEqual([]);
});

test("a sign-in that is learned of late takes the mark away again", async () => {
  const user = await registered(platform);
  await pass(4);
  await signIn(user);
  // As if the relay had sent it, and the broker not yet shown it.
  await platform.database.query("UPDATE events.outbox SET sent_at = now() + interval '1 year' WHERE type = 'user.signed-in' AND key = $1", [user.userId]);
  await pass(2);
  expect(await statusOf(user)).toBe("DORMANT");
  await platform.database.query("UPDATE events.outbox SET sent_at = NULL WHERE type = 'user.signed-in' AND key = $1", [user.userId]);
  await pass(1);
  expect(await statusOf(user)).toBe("ACTIVE");
  expect((await statusEvents(user)).at(-1)).toEqual(["platform.users", "ACTIVE", user.userId]);
});

test("a thousand who are due become dormant once each, however many sweepers there are", async () => {
  await platform.database.query(
    `INSERT INTO users.users (user_id, status, first_name, last_name, email_id, email_key, primary_contact_number, fingerprint, created_at, updated_at, registered_at)
    SELECT 'USRBULK' || n, 'ACTIVE', 'A', 'B', n || '@example.com', n || '@example.com', 'bulk-' || n, '', now(), now(), now() FROM generate_series(1, 1200) AS n`,
  );
  platform.clock.offset += 6 * DAY;
  await relay();
  const sweepers = Array.from({ length: 4 }, () => platform.instance({}, SETTINGS));
  for (let round = 0; round < 3; round++) await Promise.all(sweepers.map(({ sweep }) => sweep()));
  const [counts] = await platform.database.query(
    `SELECT (SELECT count(*) FROM users.users WHERE user_id LIKE 'USRBULK%' AND status = 'DORMANT') AS marked,
      (SELECT count(DISTINCT key) FROM events.outbox WHERE key LIKE 'USRBULK%' AND data->>'status' = 'DORMANT') AS users,
      (SELECT count(*) FROM events.outbox WHERE key LIKE 'USRBULK%') AS events`,
  );
  expect(counts).toEqual({ marked: "1200", users: "1200", events: "1200" });
});
