import { afterAll, beforeAll, expect, test } from "vitest";
import { fullWidth } from "../auth/doors.ts";
import { problemOf } from "../http/problem.ts";
import { ADMIN, person, registered, signedIn, type TestPlatform, testPlatform, type Wire } from "../platform.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await testPlatform();
});
afterAll(() => platform.close());

type Sent = ReturnType<typeof person>;
type Via = Pick<TestPlatform, "request">;

const register = (sent: Sent, { via = platform as Via, key }: { via?: Via; key?: string } = {}) =>
  via.request("/api/users/register", { method: "POST", json: sent, headers: key === undefined ? {} : { "idempotency-key": key } });

const EXISTS = { status: 409, code: "USER_ALREADY_EXISTS_409" };

/** How many users, identities and events there are of an e-mail, and how they stand. */
async function kept(emailKey: string) {
  const [row] = await platform.database.query(
    `SELECT (SELECT string_agg(status, ',') FROM users.users WHERE email_key = $1) AS status,
      (SELECT count(*) FROM events.outbox o JOIN users.users u ON o.key = u.user_id WHERE email_key = $1 AND type = 'user.registered') AS events`,
    [emailKey],
  );
  return { status: row?.["status"], events: row?.["events"], enabled: (await platform.operator.withEmail(emailKey)).map(({ enabled }) => enabled) };
}

const ONE = { status: "ACTIVE", enabled: [true], events: "1" };
const NONE = { status: null, enabled: [], events: "0" };

/** An instance whose first creation of an identity waits at the door until `go`. */
function held(after: Wire = (request, pass) => pass(request)) {
  const [arrived, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const via = platform.instance({
    identity: async (request, pass) => {
      if (request.method !== "POST" || !request.url.endsWith("/users")) return pass(request);
      arrived.resolve();
      await go.promise;
      return after(request, pass);
    },
  });
  return { via, arrived: arrived.promise, go: () => go.resolve() };
}

test("three steps make a user whose registration is complete", async () => {
  const sent = person();
  const response = await register(sent);
  const body = (await response.json()) as { userId: string };
  expect({ status: response.status, body }).toEqual({
    status: 201,
    body: { userId: expect.stringMatching(/^USR[0-9A-HJKMNP-TV-Z]{26}$/), responseMessage: "User registered", responseCode: "USER_CREATED_201" },
  });
  expect(response.headers.get("location")).toBe(`/api/users/${body.userId}`);

  const token = await signedIn(platform, { username: body.userId, password: sent.password });
  const me = await platform.request("/api/users/me", { token });
  expect(me.status).toBe(200);
  expect(await me.json()).toMatchObject({ userId: body.userId, status: "ACTIVE", registration: { status: "REGISTRATION_IN_PROGRESS", nextStep: "ADDRESS_ADDED" } });
});

test("an administrator who exists only at the identity provider signs in", async () => {
  const token = await signedIn(platform, ADMIN);
  const { userId } = await registered(platform);
  const response = await platform.request(`/api/users/${userId}`, { token });
  expect(response.status).toBe(200);
});

/** All that a caller can see of an answer but what every answer has of its own. */
async function seen(answer: Response): Promise<string> {
  const { traceId: _, ...body } = (await answer.json()) as Record<string, unknown>;
  return JSON.stringify({ body, headers: [...answer.headers].filter(([name]) => name !== "x-request-id") });
}

test("64 parallel registrations of one e-mail in many spellings make one user, one identity, one event", async () => {
  const spellings = ["race@münchen.example", "race@xn--mnchen-3ya.example", "RACE@MÜNCHEN.EXAMPLE", "race@mu\u0308nchen.example", fullWidth("race@xn--mnchen-3ya.example"), " race@münchen.example\t"];
  const instances = [platform, platform.instance(), platform.instance()];
  const sent = Array.from({ length: 64 }, (_, index) => person({ emailId: spellings[index % spellings.length] }));
  const answers = await Promise.all(sent.map((one, index) => register(one, { via: instances[index % 3]! })));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array.from({ length: 63 }, () => 409)]);
  expect(await kept("race@xn--mnchen-3ya.example")).toEqual(ONE);

  // Whoever lost sees what everybody sees who comes later, byte for byte.
  const later = await register(person({ emailId: spellings[2] }));
  const refused = await Promise.all([...answers.filter(({ status }) => status === 409), later].map(seen));
  expect(new Set(refused).size).toBe(1);
  expect(refused[0]).toContain(EXISTS.code);
  const known = new Set((await platform.database.query("SELECT identity_id FROM users.users")).map(({ identity_id }) => identity_id));
  const unknown = (await platform.operator.people()).filter(({ id }) => !known.has(id));
  expect(unknown.map(({ username }) => username)).toEqual([ADMIN.username]);
});

test("of parallel registrations with one primary number one is made, and the e-mails of the others stay free", async () => {
  const sent = Array.from({ length: 12 }, () => person({ primaryContactNumber: "6000000001" }));
  const answers = await Promise.all(sent.map((one, index) => register(one, { via: index % 2 ? platform : platform.instance() })));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array.from({ length: 11 }, () => 409)]);
  for (const [index, { emailId }] of sent.entries()) expect(await kept(emailId)).toEqual(answers[index]?.status === 201 ? ONE : NONE);
  const free = sent.find((_, index) => answers[index]?.status === 409)!;
  expect((await register({ ...free, primaryContactNumber: "6000000002" })).status).toBe(201);
});

test("a registration repeated with its idempotency key has the same answer and no second effect", async () => {
  const [sent, key] = [person(), crypto.randomUUID()];
  const answers = await Promise.all(Array.from({ length: 8 }, () => register(sent, { key, via: platform.instance() })));
  const first = answers.find(({ status }) => status === 201)!;
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    expect({ ...(await problemOf(answer)), wait: answer.headers.get("retry-after") }).toEqual({ status: 409, code: "REGISTRATION_IN_PROGRESS_409", wait: "5" });
  }
  const again = await register({ ...sent, emailId: ` ${sent.emailId.toUpperCase()}` }, { key });
  expect({ status: again.status, body: await again.json(), location: again.headers.get("location") }).toEqual({ status: 201, body: await first.json(), location: first.headers.get("location") });
  expect(await kept(sent.emailId)).toEqual(ONE);
});

test("the key of a finished registration gives nobody another's account: its password stays", async () => {
  const [sent, key] = [person(), crypto.randomUUID()];
  const { userId } = (await (await register(sent, { key })).json()) as { userId: string };
  expect((await register({ ...sent, password: "Another-Horse-8-Battery" }, { key })).status).toBe(201);
  await signedIn(platform, { username: userId, password: sent.password });
  await expect(signedIn(platform, { username: userId, password: "Another-Horse-8-Battery" })).rejects.toThrow("INVALID_CREDENTIALS");
});

test("an idempotency key belongs to one registration of one e-mail", async () => {
  const [sent, key] = [person(), crypto.randomUUID()];
  expect((await register(sent, { key })).status).toBe(201);
  for (const change of [{ firstName: "Other" }, { lastName: "Other" }, { primaryContactNumber: "6000000003" }]) {
    expect(await problemOf(await register({ ...sent, ...change }, { key }))).toEqual({ status: 422, code: "IDEMPOTENCY_KEY_REUSED_422" });
  }
  expect(await problemOf(await register(sent))).toEqual(EXISTS);
  expect(await problemOf(await register(sent, { key: `${key}x` }))).toEqual(EXISTS);
  // Two people may choose the same key.
  const other = person();
  expect((await register(other, { key })).status).toBe(201);
  expect(await kept(other.emailId)).toEqual(ONE);
});

test("while a registration is under way its e-mail is taken, and nobody can sign in, see it or sweep it", async () => {
  const { via, arrived, go } = held();
  const [sent, key] = [person(), crypto.randomUUID()];
  const answer = register(sent, { via, key });
  await arrived;
  expect(await problemOf(await register(sent))).toEqual(EXISTS);
  expect(await problemOf(await register({ ...sent, password: "Another-Horse-8-Battery" }, { key }))).toEqual({ status: 409, code: "REGISTRATION_IN_PROGRESS_409" });
  await Promise.all([platform.sweep(), platform.instance().sweep()]);
  expect(await kept(sent.emailId)).toEqual({ status: "PENDING", enabled: [], events: "0" });
  const [row] = await platform.database.query("SELECT user_id FROM users.users WHERE email_key = $1", [sent.emailId]);
  const admin = await signedIn(platform, ADMIN);
  expect((await platform.request(`/api/users/${row?.["user_id"]}`, { token: admin })).status).toBe(404);
  expect((await platform.request("/api/auth/authenticate", { method: "POST", json: { username: sent.emailId, password: sent.password } })).status).toBe(401);
  go();
  expect((await answer).status).toBe(201);
  expect(await kept(sent.emailId)).toEqual(ONE);
});

test("a registration that was swept while it hung is refused and leaves nothing behind", async () => {
  const { via, arrived, go } = held();
  const sent = person();
  const answer = register(sent, { via });
  await arrived;
  platform.clock.offset += 16_000;
  await Promise.all([platform.sweep(), platform.instance().sweep()]);
  expect((await kept(sent.emailId)).status).toBeNull();
  go();
  const refused = await answer;
  expect({ ...(await problemOf(refused)), wait: refused.headers.get("retry-after") }).toEqual({ status: 503, code: "UPSTREAM_UNAVAILABLE_503", wait: "5" });
  // What arrived late was never enabled, and goes.
  expect(await kept(sent.emailId)).toEqual({ ...NONE, enabled: [false] });
  platform.clock.offset += 31_000;
  await platform.sweep();
  expect(await kept(sent.emailId)).toEqual(NONE);
  expect((await register(sent)).status).toBe(201);
});

test("one with a key that hung is taken over by whoever comes with the key, and cannot finish any more", async () => {
  const [first, second] = [held(), held()];
  const [sent, key] = [person(), crypto.randomUUID()];
  const hanging = register(sent, { via: first.via, key });
  await first.arrived;
  platform.clock.offset += 16_000;
  await platform.sweep();
  const resumed = register({ ...sent, password: "Another-Horse-8-Battery" }, { via: second.via, key });
  await second.arrived;
  first.go();
  expect(await problemOf(await hanging)).toEqual({ status: 503, code: "UPSTREAM_UNAVAILABLE_503" });
  expect(await kept(sent.emailId)).toEqual({ status: "PENDING", enabled: [false], events: "0" });
  second.go();
  expect((await resumed).status).toBe(201);
  expect(await kept(sent.emailId)).toEqual(ONE);
  await signedIn(platform, { username: sent.emailId, password: "Another-Horse-8-Battery" });
});

test("several sweepers at once finish what crashes left, each piece once", async () => {
  const never = new Promise<never>(() => {});
  const crashed = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const died = Promise.withResolvers<void>();
      const { via, arrived, go } = held(async (request, pass) => {
        await pass(request);
        died.resolve();
        return never;
      });
      const sent = person();
      void register(sent, { via });
      await arrived;
      go();
      await died.promise;
      return sent;
    }),
  );
  platform.clock.offset += 16_000;
  const before = platform.journal.length;
  await Promise.all([platform, platform.instance(), platform.instance()].map(({ sweep }) => sweep()));
  for (const { emailId } of crashed) expect(await kept(emailId)).toEqual(ONE);
  const enabled = platform.journal.slice(before).filter(({ method, path }) => method === "PUT" && path.includes("/users/"));
  expect(enabled).toHaveLength(6);
});

test("what the identity provider refuses is refused with its field, and the e-mail is free at once", async () => {
  const answers: [string, unknown, string][] = [
    ["email", { field: "email", errorMessage: "error-invalid-email" }, "emailId"],
    ["password", { error: "invalidPasswordHistoryMessage", error_description: "Canary-of-an-upstream" }, "password"],
    ["several", { errors: [{ field: "lastName", errorMessage: "error-person-name-invalid-character" }] }, "lastName"],
  ];
  for (const [, body, field] of answers) {
    const via = platform.instance({ identity: (request, pass) => (request.method === "POST" && request.url.endsWith("/users") ? Response.json(body, { status: 400 }) : pass(request)) });
    const sent = person();
    const refused = await register(sent, { via });
    expect(await refused.clone().text()).not.toContain("Canary");
    expect(await problemOf(refused)).toEqual({ status: 400, code: "VALIDATION_FAILED_400", fields: [field] });
    expect(await kept(sent.emailId)).toEqual(NONE);
    expect((await register(sent)).status).toBe(201);
  }
});

test("an e-mail that somebody has at the identity provider alone is taken, and theirs stays as it is", async () => {
  const email = "technical@example.com";
  await platform.operator.add({ username: "technical", email, password: "Correct-Horse-7-Technical" });
  expect(await problemOf(await register(person({ emailId: "Technical@Example.com" })))).toEqual(EXISTS);
  expect(await kept(email)).toEqual({ ...NONE, enabled: [true] });
});
