import { afterAll, beforeAll, expect, test } from "vitest";
import { problemOf } from "../http/problem.ts";
import { registered, type TestPlatform, testPlatform, tokenOf, type Wire } from "../platform.ts";
import { ADDRESS, adminToken, eventsOf, member, profileOf, update } from "./people.ts";

let platform: TestPlatform;
let admin: string;
beforeAll(async () => {
  platform = await testPlatform();
  admin = await adminToken(platform);
});
afterAll(() => platform.close());

const never = new Promise<never>(() => {});

/** The row and the identity of a user, from both stores. */
async function standing(userId: string) {
  const [row] = await platform.database.query("SELECT status, identity_id FROM users.users WHERE user_id = $1", [userId]);
  const { id, enabled } = await platform.operator.named(userId);
  expect(id).toBe(row?.["identity_id"]);
  return { status: row?.["status"], isEnabled: enabled, sessions: await platform.operator.sessionsOf(id) };
}

async function signedInFully({ userId, password }: { userId: string; password: string }) {
  const headers = { accept: "application/json" };
  const response = await platform.request("/api/auth/authenticate", { method: "POST", headers, json: { username: userId, password } });
  expect(response.status).toBe(200);
  return (await response.json()) as { access_token: string; refresh_token: string };
}

const refresh = (refresh_token: string) => platform.request("/api/auth/refresh", { method: "POST", json: { refresh_token } });
const lock = (userId: string, token: string, isLockUser = true) => update(platform, { userId, token }, { isLockUser });
const lockEvents = async (userId: string) => (await eventsOf(platform, userId)).map(({ type }) => type).filter((type) => type.endsWith("locked"));

test("a user locks themself: their identity, their sessions and their tokens are worth nothing at once", async () => {
  const user = await registered(platform);
  const [one, other] = [await signedInFully(user), await signedInFully(user)];
  const response = await lock(user.userId, one.access_token);
  expect({ status: response.status, body: await response.json() }).toEqual({
    status: 200,
    body: { userId: user.userId, responseMessage: "User updated", responseCode: "USER_UPDATED_200" },
  });
  expect(await standing(user.userId)).toEqual({ status: "BLOCKED", isEnabled: false, sessions: 0 });
  for (const { refresh_token } of [one, other]) expect(await problemOf(await refresh(refresh_token))).toEqual({ status: 401, code: "REFRESH_TOKEN_INVALID_401" });
  for (const path of ["/api/users/me", `/api/users/${user.userId}`, `/api/security-details/${user.userId}`]) {
    expect(await problemOf(await platform.request(path, { token: other.access_token }))).toEqual({ status: 403, code: "ACCOUNT_LOCKED_403" });
  }
  const changes = [{ isLockUser: false }, { isLockUser: true }, {}, { updateAddressDto: ADDRESS }];
  for (const change of changes) {
    expect(await problemOf(await update(platform, { ...user, token: other.access_token }, change))).toEqual({ status: 403, code: "ACCOUNT_LOCKED_403" });
  }
  const questions = { securityQuestions: [{ question: "Which?", answer: "This" }] };
  const secured = await platform.request(`/api/security-details/${user.userId}`, { method: "PUT", token: one.access_token, json: questions });
  expect(await problemOf(secured)).toEqual({ status: 403, code: "ACCOUNT_LOCKED_403" });
  expect(await profileOf(platform, { ...user, token: admin })).toMatchObject({ status: "BLOCKED", isLockUser: true, addresses: [] });
  expect(await lockEvents(user.userId)).toEqual(["user.locked"]);
});

test("only an administrator unlocks; the sessions from before stay dead", async () => {
  const [user, stranger] = [await registered(platform), await member(platform)];
  const before = await signedInFully(user);
  expect((await lock(user.userId, admin)).status).toBe(200);
  for (const token of [stranger.token, await tokenOf(platform, "user-service")]) {
    expect(await problemOf(await lock(user.userId, token, false))).toEqual({ status: 403, code: "FORBIDDEN_403" });
  }
  expect((await lock(user.userId, admin)).status).toBe(200);
  expect((await standing(user.userId)).status).toBe("BLOCKED");

  expect((await lock(user.userId, admin, false)).status).toBe(200);
  expect(await standing(user.userId)).toEqual({ status: "ACTIVE", isEnabled: true, sessions: 0 });
  expect(await problemOf(await refresh(before.refresh_token))).toEqual({ status: 401, code: "REFRESH_TOKEN_INVALID_401" });
  const after = await signedInFully(user);
  expect((await refresh(after.refresh_token)).status).toBe(200);
  // Unlocking whoever is not locked changes nothing, also for the owner.
  expect((await lock(user.userId, after.access_token, false)).status).toBe(200);
  expect(await lockEvents(user.userId)).toEqual(["user.locked", "user.unlocked"]);
});

test("a lock holds for an administrator as for everybody: with the old token they see nobody and cannot take it back", async () => {
  const [user, stranger] = [await registered(platform), await registered(platform)];
  await platform.operator.giveRoles(user.userId, "ADMIN");
  const { access_token: token } = await signedInFully(user);
  expect((await platform.request(`/api/users/${stranger.userId}`, { token })).status).toBe(200);
  expect((await lock(user.userId, admin)).status).toBe(200);

  for (const userId of [user.userId, stranger.userId]) {
    expect(await problemOf(await lock(userId, token, false))).toEqual({ status: 403, code: "ACCOUNT_LOCKED_403" });
    expect(await problemOf(await platform.request(`/api/users/${userId}`, { token }))).toEqual({ status: 403, code: "ACCOUNT_LOCKED_403" });
  }
  expect((await lock(user.userId, admin, false)).status).toBe(200);
  for (const userId of [user.userId, stranger.userId]) {
    expect(await problemOf(await platform.request(`/api/users/${userId}`, { token }))).toEqual({ status: 401, code: "UNAUTHENTICATED_401" });
    expect(await problemOf(await lock(userId, token))).toEqual({ status: 401, code: "UNAUTHENTICATED_401" });
  }
});

const changing = ({ method, url }: Request) => method === "PUT" && url.includes("/users/");
const ending = ({ method, url }: Request) => method === "POST" && url.endsWith("/logout");
const OUTAGES: Record<string, [at: (request: Request) => boolean, wire: Wire, status: number, code: string]> = {
  "disabling refused": [changing, () => Promise.reject(new TypeError("fetch failed")), 503, "UPSTREAM_UNAVAILABLE_503"],
  "disabling answered with 500": [changing, () => new Response("oops", { status: 500 }), 502, "UPSTREAM_BAD_ANSWER_502"],
  "disabling without an answer": [changing, () => never, 504, "UPSTREAM_TIMEOUT_504"],
  "ending sessions answered with 503": [ending, () => new Response("busy", { status: 503 }), 503, "UPSTREAM_UNAVAILABLE_503"],
  "ending sessions without an answer": [ending, () => never, 504, "UPSTREAM_TIMEOUT_504"],
};

const signIn = (username: string, password: string) => platform.request("/api/auth/authenticate", { method: "POST", json: { username, password } });

test("with the identity provider away a lock is refused as unfinished, holds here at once, and is finished by the sweeper", async () => {
  const locked = await Promise.all(
    Object.entries(OUTAGES).map(async ([outage, [at, wire, status, code]]) => {
      const user = await registered(platform);
      const tokens = await signedInFully(user);
      const broken = platform.instance({ identity: (request, pass) => (at(request) ? wire(request, pass) : pass(request)) });
      const headers = { "x-deadline-ms": "1000" };
      const json = { isLockUser: true };
      const response = await broken.request(`/api/users/${user.userId}`, { method: "PUT", token: admin, headers, json });
      expect({ outage, ...(await problemOf(response)) }).toEqual({ outage, status, code });
      expect({ outage, mayRetry: response.headers.has("retry-after") }).toEqual({ outage, mayRetry: status !== 502 });
      expect(await problemOf(await platform.request("/api/users/me", { token: tokens.access_token }))).toEqual({ status: 403, code: "ACCOUNT_LOCKED_403" });
      expect(await problemOf(await signIn(user.userId, user.password))).toEqual({ status: 403, code: "ACCOUNT_LOCKED_403" });
      return { outage, userId: user.userId, refresh_token: tokens.refresh_token };
    }),
  );
  platform.clock.offset += 6000;
  await platform.sweep();
  for (const { outage, userId, refresh_token } of locked) {
    expect({ outage, ...(await standing(userId)) }).toEqual({ outage, status: "BLOCKED", isEnabled: false, sessions: 0 });
    expect((await refresh(refresh_token)).status).toBe(401);
    expect(await lockEvents(userId)).toEqual(["user.locked"]);
  }
});

test("a disabling that reaches the identity provider after the unlocking is set right", async () => {
  const user = await registered(platform);
  const late = Promise.withResolvers<() => Promise<void>>();
  const slow = platform.instance({
    identity: (request, pass) => {
      if (!changing(request)) return pass(request);
      const sent = new Request(request, { signal: null });
      late.resolve(async () => void (await pass(sent)));
      return never;
    },
  });
  const headers = { "x-deadline-ms": "1000" };
  const response = await slow.request(`/api/users/${user.userId}`, { method: "PUT", token: admin, headers, json: { isLockUser: true } });
  expect(response.status).toBe(504);
  expect((await lock(user.userId, admin, false)).status).toBe(200);
  await (await late.promise)();
  expect(await standing(user.userId)).toMatchObject({ status: "ACTIVE", isEnabled: false });
  platform.clock.offset += 61_000;
  await platform.sweep();
  expect(await standing(user.userId)).toMatchObject({ status: "ACTIVE", isEnabled: true });
});

test("a session that the identity provider makes after the lock has ended them all is dead after the unlocking too", async () => {
  const user = await registered(platform);
  const { refresh_token } = await signedInFully(user);
  const blind = platform.instance({ identity: (request, pass) => (ending(request) ? new Response(null, { status: 204 }) : pass(request)) });
  expect((await update(blind, { userId: user.userId, token: admin }, { isLockUser: true })).status).toBe(200);
  expect(await standing(user.userId)).toEqual({ status: "BLOCKED", isEnabled: false, sessions: 1 });
  expect((await lock(user.userId, admin, false)).status).toBe(200);
  expect(await standing(user.userId)).toEqual({ status: "ACTIVE", isEnabled: true, sessions: 0 });
  expect(await problemOf(await refresh(refresh_token))).toEqual({ status: 401, code: "REFRESH_TOKEN_INVALID_401" });
});

test.each([
  ["and stays", false],
  ["and is taken back", true],
])("who signs in while the lock comes %s is told of the lock, and has no session", async (_, isUnlocked) => {
  const user = await registered(platform);
  const slow = platform.instance({
    async identity(request, pass) {
      const isSignIn = request.url.endsWith("/token") && (await request.clone().text()).includes("grant_type=password");
      const response = await pass(request);
      if (!isSignIn) return response;
      expect((await lock(user.userId, admin)).status).toBe(200);
      if (isUnlocked) expect((await lock(user.userId, admin, false)).status).toBe(200);
      return response;
    },
  });
  const signedIn = await slow.request("/api/auth/authenticate", { method: "POST", json: { username: user.userId, password: user.password } });
  expect(await problemOf(signedIn)).toEqual({ status: 403, code: "ACCOUNT_LOCKED_403" });
  expect((await standing(user.userId)).sessions).toBe(0);
  const events = (await eventsOf(platform, user.userId)).map(({ type }) => type);
  expect(events).not.toContain("user.signed-in");
  if (isUnlocked) expect((await signIn(user.userId, user.password)).status).toBe(200);
});

test("100 parallel locks, unlocks and updates from two instances leave both systems in agreement", { timeout: 60_000 }, async () => {
  const user = await registered(platform);
  const instances = [platform, platform.instance()];
  const types = ["PERMANENT", "OFFICE", "RESIDENTIAL"];
  const changes = Array.from({ length: 100 }, (_, index) => {
    if (index % 4 === 0) return { isLockUser: true };
    if (index % 4 === 1) return { isLockUser: false };
    if (index % 4 === 2) return { updateAddressDto: { ...ADDRESS, city: `City ${index}`, addressType: types[index % 3] } };
    return { updateContactDto: { contactNumber: String(8_000_000_000 + (index % 16)), isPrimary: index % 5 === 0 } };
  });
  const answers = await Promise.all(changes.map((change, index) => update(instances[index % 2]!, { userId: user.userId, token: admin }, change)));
  const statuses = answers.map(({ status }) => status);
  expect([...new Set(statuses)]).toEqual([200]);

  const profile = await profileOf(platform, { userId: user.userId, token: admin });
  const { status, isEnabled } = await standing(user.userId);
  expect({ status, isEnabled }).toEqual({ status: profile.status, isEnabled: profile.status === "ACTIVE" });
  const shown = profile.contacts.map(({ contactNumber }) => contactNumber);
  expect(shown.toSorted()).toEqual([...new Set([user.primaryContactNumber, ...changes.flatMap(({ updateContactDto }) => updateContactDto?.contactNumber ?? [])])].toSorted());
  expect(profile.contacts.map(({ type }) => type)).toEqual(["PRIMARY", "SECONDARY", ...shown.slice(2).map(() => "OTHERS")]);
  expect(profile.addresses.map(({ addressType }) => addressType).toSorted()).toEqual(types.toSorted());

  // One event per change that happened: locks and unlocks in turn, an update each.
  const events = await lockEvents(user.userId);
  expect(events).toEqual(events.map((_, index) => (index % 2 === 0 ? "user.locked" : "user.unlocked")));
  expect(events.length % 2 === 1).toBe(profile.status === "BLOCKED");
  expect((await eventsOf(platform, user.userId)).filter(({ type }) => type === "user.updated")).toHaveLength(50);
  const [due] = await platform.database.query("SELECT sync_due, lease_holder FROM users.users WHERE user_id = $1", [user.userId]);
  expect(due).toEqual({ sync_due: null, lease_holder: null });
});
