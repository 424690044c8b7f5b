import { afterAll, beforeAll, expect, test } from "vitest";
import { problemOf } from "../http/problem.ts";
import { registered, type TestPlatform, testPlatform, tokenOf, type Wire } from "../platform.ts";
import { type Door, fullWidth, get, guardOf, passwordsAsked, post, type Sender } from "./doors.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await testPlatform();
});
afterAll(() => platform.close());

const WRONG = "Wrong-Horse-7-Battery";
const never = new Promise<never>(() => {});

/** Every way to name one user, through both doors. */
function waysIn({ userId, emailId }: { userId: string; emailId: string }): [Door, string][] {
  const names = [userId, userId.toLowerCase(), ` ${userId} `, fullWidth(userId), emailId, emailId.toUpperCase(), fullWidth(emailId), `\t${emailId}\n`];
  return names.flatMap((name): [Door, string][] => [[post, name], [get, name]]);
}

/** Wrong passwords sent at once, by every way in turn, through each instance in turn. */
function guesses(count: number, { user, via }: { user: { userId: string; emailId: string }; via: Sender[] }): Promise<Response>[] {
  const ways = waysIn(user);
  return Array.from({ length: count }, (_, index) => {
    const [door, name] = ways[index % ways.length]!;
    return door(via[index % via.length]!, name, WRONG);
  });
}

async function statusesOf(answers: Promise<Response>[]): Promise<Record<number, number>> {
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  return Object.fromEntries([...new Set(statuses)].toSorted().map((status) => [status, statuses.filter((same) => same === status).length]));
}

/** A wire in front of the token endpoint, for passwords only: the service's own tokens pass. */
function onPasswords(wire: Wire): Wire {
  return async (request, pass) => {
    const isAsked = request.url.endsWith("/token") && (await request.clone().text()).includes("grant_type=password");
    return isAsked ? wire(request, pass) : pass(request);
  };
}

test("of 100 parallel wrong passwords through every door and three instances at most 5 reach the identity provider", async () => {
  const user = await registered(platform);
  const instances = [platform, platform.instance(), platform.instance()];
  const statuses = await statusesOf(guesses(100, { user, via: instances }));
  const { 401: judged = 0, 403: refused = 0, 504: late = 0 } = statuses;
  // On a slow machine some wait for the database longer than the deadline, which gives no guess away either.
  expect({ judged: judged <= 5, all: judged + refused + late }).toEqual({ judged: true, all: 100 });
  const asked = passwordsAsked(platform, user.userId, user.emailId);
  expect(asked).toBeLessThanOrEqual(5);
  const { failures = 0 } = (await guardOf(platform, user.userId)) ?? {};
  expect(failures).toBeGreaterThanOrEqual(judged);
  expect(failures).toBeLessThanOrEqual(asked);
});

test("of parallel wrong passwords exactly 5 are judged and counted, each with its event", async () => {
  const user = await registered(platform);
  expect(await statusesOf(guesses(20, { user, via: [platform, platform.instance()] }))).toEqual({ 401: 5, 403: 15 });
  expect(passwordsAsked(platform, user.userId, user.emailId)).toBe(5);
  expect(await guardOf(platform, user.userId)).toEqual({ failures: 5, pending: 0, isLocked: true });
  const events = await platform.database.query("SELECT data->>'loginFailedAttempts' AS nth FROM events.outbox WHERE key = $1 AND type = 'user.login-failed' ORDER BY nth", [user.userId]);
  expect(events.map(({ nth }) => nth)).toEqual(["1", "2", "3", "4", "5"]);
});

test("an instance that dies in the middle gives nobody more guesses, and takes none from the user for good", async () => {
  const user = await registered(platform);
  let isDead = false;
  const died = Promise.withResolvers<void>();
  const mortal: Wire = async (request, pass) => {
    const answer = isDead ? never : await pass(request);
    return isDead ? never : answer;
  };
  const death = onPasswords(async (request, pass) => {
    isDead = true;
    died.resolve();
    await pass(request);
    return never;
  });
  const dying = platform.instance({ identity: (request, pass) => (isDead ? never : death(request, pass)), users: mortal, database: mortal });
  const alive = [platform, platform.instance()];
  void guesses(34, { user, via: [dying] });
  await died.promise;
  const statuses = await statusesOf(guesses(20, { user, via: alive }));
  expect(Object.keys(statuses).filter((status) => status !== "401" && status !== "403")).toEqual([]);
  expect(passwordsAsked(platform, user.userId)).toBeLessThanOrEqual(5);

  // What the dead instance held is free once its lease has run out, and was not counted.
  const before = await guardOf(platform, user.userId);
  expect(before!.failures).toBe(statuses[401] ?? 0);
  expect(before!.failures + before!.pending).toBe(5);
  platform.clock.offset += 13_000;
  expect(await statusesOf(guesses(10, { user, via: alive }))).toEqual({ 401: before!.pending, 403: 10 - before!.pending });
  expect(await guardOf(platform, user.userId)).toEqual({ failures: 5, pending: 0, isLocked: true });
});

test("an identity provider that is away, slow or set up wrongly never counts against a user", async () => {
  const user = await registered(platform);
  const faults: Record<string, [Wire, status: number, code: string]> = {
    refused: [() => Promise.reject(new TypeError("fetch failed")), 503, "UPSTREAM_UNAVAILABLE_503"],
    "answered with 503": [() => new Response("busy", { status: 503 }), 503, "UPSTREAM_UNAVAILABLE_503"],
    "answered with 429": [() => Response.json({ error: "slow_down" }, { status: 429 }), 503, "UPSTREAM_UNAVAILABLE_503"],
    "answered with 500": [() => Response.json({ error: "unknown_error" }, { status: 500 }), 502, "UPSTREAM_BAD_ANSWER_502"],
    "client unknown": [() => Response.json({ error: "invalid_client" }, { status: 401 }), 502, "UPSTREAM_BAD_ANSWER_502"],
    "client not allowed": [() => Response.json({ error: "unauthorized_client" }, { status: 400 }), 502, "UPSTREAM_BAD_ANSWER_502"],
    "401 of something else": [() => new Response("<h1>Unauthorized</h1>", { status: 401 }), 502, "UPSTREAM_BAD_ANSWER_502"],
    "200 without a token": [() => Response.json({ ok: true }), 502, "UPSTREAM_BAD_ANSWER_502"],
    silent: [() => never, 504, "UPSTREAM_TIMEOUT_504"],
  };
  await Promise.all(
    Object.entries(faults).map(async ([fault, [wire, status, code]]) => {
      const name = `nobody-${status}-${fault.replaceAll(" ", "-")}`;
      const broken = platform.instance({ identity: onPasswords(wire) });
      for (const username of [user.userId, ...Array.from({ length: fault === "silent" ? 1 : 6 }, () => name)]) {
        const answer = await post(broken, username, WRONG);
        // Five who wait at once are as many as may: whoever comes then is told to come again.
        const refusal = await problemOf(answer);
        expect({ fault, ...refusal }).toEqual({ fault, ...(refusal.status === 403 ? { status: 403, code: "ACCOUNT_LOCKED_403" } : { status, code }) });
        expect({ fault, retryAfter: answer.headers.has("retry-after") }).toEqual({ fault, retryAfter: refusal.status !== 502 });
      }
    }),
  );
  expect(await guardOf(platform, user.userId)).toEqual({ failures: 0, pending: 0, isLocked: false });
  expect(await platform.database.query("SELECT subject FROM users.login_guards WHERE failures > 0 AND updated_at > now() AND subject LIKE 'N%'")).toEqual([]);
  expect((await post(platform, user.userId, user.password)).status).toBe(200);
});

test("bad credentials count whichever status the identity provider gives them", async () => {
  const user = await registered(platform);
  for (const [index, status] of [400, 401].entries()) {
    const body = { error: "invalid_grant", error_description: "Invalid user credentials" };
    const version = platform.instance({ identity: onPasswords(() => Response.json(body, { status })) });
    expect(await problemOf(await post(version, user.userId, WRONG))).toEqual({ status: 401, code: "SECURITY_INVALID_CREDENTIALS_401" });
    expect((await guardOf(platform, user.userId))?.failures).toBe(index + 1);
  }
});

test("a guess whose settlement was lost on the way back is settled again and counted once", async () => {
  const user = await registered(platform);
  let isLost = false;
  const losing = platform.instance({
    users: async (request, pass) => {
      const answer = await pass(request);
      if (request.method !== "PUT" || isLost) return answer;
      isLost = true;
      throw new TypeError("fetch failed");
    },
  });
  expect((await post(losing, user.userId, WRONG)).status).toBe(401);
  expect(isLost).toBe(true);
  expect(await guardOf(platform, user.userId)).toEqual({ failures: 1, pending: 0, isLocked: false });
});

test("a report with an attempt id counts once however often it is delivered, one without it always", async () => {
  const { userId } = await registered(platform);
  const token = await tokenOf(platform, "auth-service");
  const reserve = async () => {
    const response = await platform.request("/internal/api/login-attempts", { method: "POST", token, json: { username: userId } });
    expect(response.status).toBe(201);
    return ((await response.json()) as { attemptId: string }).attemptId;
  };
  const report = async (query: Record<string, string>) => {
    const response = await platform.request(`/internal/api/security-details/${userId}?${new URLSearchParams(query)}`, { method: "PUT", token });
    expect(response.status).toBe(200);
    return (await response.json()) as { loginFailedAttempts: number };
  };
  const attemptId = await reserve();
  const deliveries = await Promise.all(Array.from({ length: 8 }, () => report({ loginFailed: "true", attemptId })));
  expect(deliveries).toEqual(deliveries.map(() => ({ userId, responseCode: "SUCCESS", response: "Failed sign-in counted", loginFailedAttempts: 1 })));
  expect((await report({ loginFailed: "true", attemptId: crypto.randomUUID() })).loginFailedAttempts).toBe(1);

  const reports = await Promise.all(Array.from({ length: 4 }, () => report({ loginFailed: "true" })));
  expect(reports.map(({ loginFailedAttempts }) => loginFailedAttempts).toSorted()).toEqual([2, 3, 4, 5]);
  expect(reports.filter((answer) => "disableUser" in answer)).toEqual([expect.objectContaining({ loginFailedAttempts: 5, disableUser: "true" })]);
  const events = await platform.database.query("SELECT type, count(*) FROM events.outbox WHERE key = $1 AND type LIKE 'user.login-%' GROUP BY type ORDER BY type", [userId]);
  expect(events).toEqual([{ type: "user.login-failed", count: "5" }, { type: "user.login-locked", count: "1" }]);

  expect(await report({ loginFailed: "false" })).toEqual({ userId, responseCode: "SUCCESS", response: "Sign-in recorded", loginFailedAttempts: 0 });
  const given = await reserve();
  const release = () => platform.request(`/internal/api/login-attempts/${userId}/${given}`, { method: "DELETE", token });
  expect([(await release()).status, (await release()).status]).toEqual([204, 204]);
  expect((await report({ loginFailed: "true", attemptId: given })).loginFailedAttempts).toBe(0);
});

test("a success is settled as often as it is delivered, also of a name that no user has", async () => {
  const token = await tokenOf(platform, "auth-service");
  const reserved = await platform.request("/internal/api/login-attempts", { method: "POST", token, json: { username: `nobody-${crypto.randomUUID()}` } });
  const { userId, attemptId } = (await reserved.json()) as { userId: string; attemptId: string };
  const settle = () => platform.request(`/internal/api/security-details/${userId}?loginFailed=false&attemptId=${attemptId}`, { method: "PUT", token });
  expect([(await settle()).status, (await settle()).status]).toEqual([200, 200]);
});

test("a report about nobody is refused and leaves nothing", async () => {
  const token = await tokenOf(platform, "auth-service");
  for (const query of ["loginFailed=true", "loginFailed=false", `loginFailed=true&attemptId=${crypto.randomUUID()}`]) {
    const response = await platform.request(`/internal/api/security-details/USRNOBODY?${query}`, { method: "PUT", token });
    expect(await problemOf(response)).toEqual({ status: 404, code: "USER_NOT_FOUND_404" });
  }
  expect(await guardOf(platform, "USRNOBODY")).toBeUndefined();
});
