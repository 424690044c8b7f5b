import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { problemOf } from "../http/problem.ts";
import { ADMIN, registered, type TestPlatform, testPlatform } from "../platform.ts";
import { type Door, fullWidth, get, guardOf, passwordsAsked, post } from "./doors.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await testPlatform();
});
afterAll(() => platform.close());

// The time stands still but for what a test adds to it, so that a lock's end can be told to the second.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

const WRONG = "Wrong-Horse-7-Battery";

/** All that a caller can see of an answer but what every answer has of its own. */
async function seen(answer: Response) {
  const { traceId: _, ...body } = (await answer.json()) as Record<string, unknown>;
  const headers = [...answer.headers].filter(([name]) => name !== "x-request-id");
  return { status: answer.status, body, headers };
}

async function guesses(door: Door, username: string, password = WRONG) {
  const guess = async () => seen(await door(platform, username, password));
  const answers = [];
  for (let count = 0; count < 6; count++) answers.push(await guess());
  for (const seconds of [59, 1, 0, 119, 1, 240, 480, 900, 899, 1]) {
    platform.clock.offset += seconds * 1000;
    answers.push(await guess());
  }
  return answers;
}

const IDP_ONLY = { username: "technical", password: "Correct-Horse-7-Technical", email: "technical@example.com" };

test("unknown names, known users, disabled ones and those of the identity provider alone follow one curve, byte for byte", { timeout: 60_000 }, async () => {
  await platform.operator.add(IDP_ONLY);
  const [byId, byEmail, disabled] = [await registered(platform), await registered(platform), await registered(platform)];
  await platform.operator.setEnabled(disabled.userId, false);
  const byDoor: [Door, [username: string, password?: string][]][] = [
    [post, [["nobody@example.com"], [byId.userId.toLowerCase()], [byEmail.emailId], [disabled.userId, disabled.password], [IDP_ONLY.username], [IDP_ONLY.email, IDP_ONLY.password]]],
    [get, [[byId.userId], [ADMIN.username]]],
  ];
  for (const [door, names] of byDoor) {
    platform.clock.offset += 3600_000;
    await platform.database.query("DELETE FROM users.login_guards");
    const reference = await guesses(door, `USR${"0".repeat(26)}`);
    // 5 failures, then locks of 60 s, 120 s, 4, 8 and 15 minutes, with one guess after each.
    expect(reference.map(({ status, headers }) => [status, headers.find(([name]) => name === "retry-after")?.[1]])).toEqual([
      ...Array.from({ length: 5 }, () => [401, undefined]),
      [403, "60"],
      [403, "1"],
      [401, undefined],
      [403, "120"],
      [403, "1"],
      ...Array.from({ length: 4 }, () => [401, undefined]),
      [403, "1"],
      [401, undefined],
    ]);
    for (const [username, password] of names) expect({ username, answers: await guesses(door, username, password) }).toEqual({ username, answers: reference });
  }
});

test("after the fifth failure one guess at a time is let through", async () => {
  const { userId } = await registered(platform);
  for (let count = 0; count < 5; count++) await post(platform, userId, WRONG);
  platform.clock.offset += 60_000;
  const asked = passwordsAsked(platform, userId);
  const answers = await Promise.all(Array.from({ length: 8 }, () => post(platform, userId, WRONG)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([401, ...Array.from({ length: 7 }, () => 403)]);
  expect(passwordsAsked(platform, userId)).toBe(asked + 1);
  expect(await guardOf(platform, userId)).toEqual({ failures: 6, pending: 0, isLocked: true });
});

test("a success ends the curve; the right password does not shorten a lock", async () => {
  const { userId, emailId, password } = await registered(platform);
  for (let count = 0; count < 4; count++) expect((await post(platform, userId, WRONG)).status).toBe(401);
  expect((await get(platform, emailId, password)).status).toBe(200);
  expect(await guardOf(platform, userId)).toEqual({ failures: 0, pending: 0, isLocked: false });

  for (let count = 0; count < 5; count++) expect((await post(platform, userId, WRONG)).status).toBe(401);
  const asked = passwordsAsked(platform, userId);
  const refused = await get(platform, userId, password);
  expect({ ...(await problemOf(refused)), wait: refused.headers.get("retry-after") }).toEqual({ status: 403, code: "ACCOUNT_LOCKED_403", wait: "60" });
  expect(passwordsAsked(platform, userId)).toBe(asked);
  platform.clock.offset += 60_000;
  expect((await get(platform, userId, password)).status).toBe(200);
  expect((await guardOf(platform, userId))?.failures).toBe(0);
  const [user] = await platform.database.query("SELECT status FROM users.users WHERE user_id = $1", [userId]);
  expect(user).toEqual({ status: "ACTIVE" });
});

test("somebody who exists only at the identity provider has one curve, whatever name is used", async () => {
  await platform.database.query("DELETE FROM users.login_guards");
  const spellings = [ADMIN.username, "ADMIN", fullWidth("Admin"), " admin\t", "aDmIn"];
  for (const [index, username] of spellings.entries()) expect((await (index % 2 ? get : post)(platform, username, WRONG)).status).toBe(401);
  for (const username of [...spellings, ADMIN.username]) expect((await post(platform, username, ADMIN.password)).status).toBe(403);

  // The e-mail is no second way in: nobody at the identity provider is asked for by it.
  for (const username of ["admin@localhost", fullWidth("admin@localhost"), "ADMIN@LOCALHOST"]) {
    expect(await problemOf(await post(platform, username, ADMIN.password))).toEqual({ status: 401, code: "SECURITY_INVALID_CREDENTIALS_401" });
  }
  expect(passwordsAsked(platform, "admin@localhost")).toBe(0);

  platform.clock.offset += 60_000;
  expect((await post(platform, ADMIN.username, ADMIN.password)).status).toBe(200);
});

test("an e-mail has one curve in all its spellings, whether a user has it or nobody", async () => {
  const domain = "xn--mnchen-3ya.example";
  await registered(platform, { emailId: `known@${domain}` });
  for (const name of ["known", "unknown"]) {
    const spellings = [`${name}@münchen.example`, `${name.toUpperCase()}@${domain}`, `${name}@mu\u0308nchen.example`, fullWidth(`${name}@${domain}`), ` ${name}@MÜNCHEN.example`];
    for (const spelling of spellings) expect({ spelling, status: (await post(platform, spelling, WRONG)).status }).toEqual({ spelling, status: 401 });
    for (const spelling of spellings) expect({ spelling, status: (await get(platform, spelling, WRONG)).status }).toEqual({ spelling, status: 403 });
  }
});

test("a blocked user is refused without an end to wait for, and nobody learns whether the password was right", async () => {
  const { userId, emailId, password } = await registered(platform);
  const asAdmin = await (await post(platform, ADMIN.username, ADMIN.password)).text();
  const locked = await platform.request(`/api/users/${userId}`, { method: "PUT", token: asAdmin, json: { isLockUser: true } });
  expect(locked.status).toBe(200);
  const asked = passwordsAsked(platform, userId);
  for (const [username, sent] of [[userId, password], [emailId, password], [userId, WRONG]] as const) {
    const refused = await post(platform, username, sent);
    expect({ ...(await problemOf(refused)), wait: refused.headers.get("retry-after") }).toEqual({ status: 403, code: "ACCOUNT_LOCKED_403", wait: null });
  }
  expect(passwordsAsked(platform, userId)).toBe(asked);
  expect(await guardOf(platform, userId)).toBeUndefined();
});

test("of unknown names a keyed hash is kept, bounded in number, the locked ones last to go, and forgotten after a day", async () => {
  const { query } = platform.database;
  await query("DELETE FROM users.login_guards");
  const { userId } = await registered(platform);
  await post(platform, userId, WRONG);
  await post(platform, "Curious.Name@example.com", WRONG);
  const subjects = await query("SELECT subject FROM users.login_guards ORDER BY subject");
  expect(subjects).toEqual([{ subject: expect.stringMatching(/^N[0-9a-f]{64}$/) }, { subject: userId }]);

  const at = [new Date(platform.clock.now()).toISOString()];
  await query(
    `INSERT INTO users.login_guards (subject, failures, locked_until, updated_at)
    SELECT 'N' || lpad(n::text, 64, '0'), 5, CASE WHEN n <= 20 THEN $1::timestamptz + interval '1 minute' END, $1::timestamptz - n * interval '1 millisecond' - interval '1 second' * (n <= 20)::int * 600
    FROM generate_series(1, 100030) AS n`,
    at,
  );
  await platform.sweep();
  const count = async (condition = "true") => Number((await query(`SELECT count(*) FROM users.login_guards WHERE ${condition}`))[0]?.["count"]);
  expect(await count()).toBe(100_001);
  expect(await count("locked_until IS NOT NULL")).toBe(20);
  expect(await count("subject > 'N' || lpad('100010', 64, '0') AND subject < 'N2'")).toBe(0);
  expect(await count(`subject = '${userId}'`)).toBe(1);

  platform.clock.offset += 24 * 3600_000 + 1000;
  await platform.sweep();
  expect(await count()).toBe(0);
});
