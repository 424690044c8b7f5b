import { afterAll, beforeAll, expect, test } from "vitest";
import { person, type TestPlatform, testPlatform, type Wire } from "../platform.ts";
import { ADDRESS } from "../users/people.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await testPlatform();
});
afterAll(() => platform.close());

const PASSWORD = "Canary-Right-7-Password";
const WRONG = "Canary-Wrong-7-Password";
const ANSWER = "canaryanswer";
const CLIENT_SECRETS = ["secret-of-auth-service", "secret-of-user-service"];

/** Everything that was answered, but for the answers that are meant to carry tokens. */
const answered: string[] = [];

type Via = Pick<TestPlatform, "request">;

async function call(via: Via, path: string, { isToken = false, ...init }: Parameters<Via["request"]>[1] & { isToken?: boolean } = {}) {
  const answer = await via.request(path, init);
  const text = await answer.text();
  const headers = JSON.stringify([...answer.headers]);
  answered.push(isToken && answer.status === 200 ? headers : text + headers);
  return { status: answer.status, text };
}

/** An upstream that says all it was told, in its answer or in its failure. */
const ECHOES: Wire[] = [
  async (request) => new Response(await request.text(), { status: 500 }),
  async (request) => Response.json({ error: "server_error", error_description: await request.text(), message: request.headers.get("authorization") }, { status: 400 }),
  (request) => Promise.reject(new TypeError(`fetch failed: ${request.method} ${request.url} authorization: ${request.headers.get("authorization")}`)),
  (request) => Promise.reject(new Error("failed", { cause: new Error(`${request.headers.get("authorization")} client_secret=${CLIENT_SECRETS[0]}&password=${PASSWORD}`) })),
];

async function everything(via: Via) {
  const login = async (username: string, password: string) => {
    await call(via, `/api/auth/authenticate?${new URLSearchParams({ username, password })}`, { isToken: true });
    return call(via, "/api/auth/authenticate", { method: "POST", json: { username, password }, headers: { accept: "application/json" }, isToken: true });
  };
  const sent = person({ password: PASSWORD });
  const registered = await call(via, "/api/users/register", { method: "POST", json: sent, headers: { "idempotency-key": crypto.randomUUID() } });
  await call(via, "/api/users/register", { method: "POST", json: sent });
  for (const password of [`${WRONG}\n`, "Canary-Wr0ng"]) await call(via, "/api/users/register", { method: "POST", json: person({ password }) });
  await call(via, "/api/users/register", { method: "POST", headers: { "content-type": "application/json" }, body: `{"password":"${PASSWORD}"` });
  await call(via, "/api/users/register", { method: "POST", body: `password=${PASSWORD}` });
  const { userId = "USRNOBODY" } = JSON.parse(registered.text) as { userId?: string };
  for (const username of [userId, "nobody", "x".repeat(321)]) await login(username, WRONG);
  const full = await login(userId, PASSWORD);
  const tokens = full.status === 200 ? (JSON.parse(full.text) as { access_token: string; refresh_token: string }) : { access_token: "e30.e30.e30", refresh_token: "e30" };
  const { access_token: token, refresh_token } = tokens;
  await call(via, "/api/users/me", { token });
  await call(via, `/api/users/${userId}`, { token, method: "PUT", json: { updateAddressDto: ADDRESS, isLockUser: "no" } });
  await call(via, `/api/users/${userId}`, { token, method: "PUT", json: { updateAddressDto: ADDRESS } });
  for (const answer of [ANSWER, `${ANSWER}\n\t${ANSWER}`]) {
    await call(via, `/api/security-details/${userId}`, { token, method: "PUT", json: { securityQuestions: [{ question: "Which?", answer }] } });
  }
  await call(via, `/api/security-details/${userId}`, { token });
  await call(via, "/api/users/me", { token: `${token}x` });
  await call(via, `/api/users/me?access_token=${token}`);
  const service = await platform.serviceToken();
  await call(via, "/internal/api/auth/register/users", { method: "POST", token: service, json: { ...sent, username: `technical-${userId.toLowerCase()}` } });
  await call(via, "/internal/api/login-attempts", { method: "POST", token: service, json: { username: userId } });
  await call(via, "/api/auth/refresh", { method: "POST", json: { refresh_token }, isToken: true });
  await call(via, "/api/auth/refresh", { method: "POST", json: { refresh_token }, isToken: true });
  await call(via, "/api/auth/logout", { method: "POST", json: { refresh_token } });
  await call(via, `/api/users/${userId}`, { token, method: "PUT", json: { isLockUser: true } });
  for (const service of ["users", "auth"] as const) {
    for (const path of ["/actuator/health", "/v3/api-docs", `/nothing?password=${PASSWORD}`]) await call(via, path, { service });
  }
  return [token, refresh_token, service].filter((text) => text.length > 100);
}

test("no password, answer, token, secret or query of a sign-in is in any log line, event, answer, document or row", async () => {
  const tokens = await everything(platform);
  for (const echo of ECHOES) {
    await everything(platform.instance({ identity: echo }));
    await everything(platform.instance({ users: echo }));
    // The creation of an identity carries a password, its own token another secret.
    await everything(platform.instance({ identity: (request, pass) => (request.url.includes("/admin/") ? echo(request, pass) : pass(request)) }));
  }
  expect(tokens).toHaveLength(3);
  const events = await platform.database.query("SELECT outbox::text FROM events.outbox AS outbox");
  const rows = await platform.database.query("SELECT users::text FROM users.users AS users UNION ALL SELECT guard::text FROM users.login_guards AS guard UNION ALL SELECT a::text FROM users.abandoned AS a");
  const logged = platform.log.map((entry) => JSON.stringify(entry));
  expect([logged.length > 200, events.length > 5, answered.length > 200]).toEqual([true, true, true]);
  const places = { logged, events: events.map((row) => JSON.stringify(row)), rows: rows.map((row) => JSON.stringify(row)), answered };
  const canaries = [/canary/i, new RegExp(ANSWER, "i"), ...CLIENT_SECRETS.map((secret) => new RegExp(secret)), ...tokens.map((token) => new RegExp(token.slice(-60))), /eyJ[\w-]{20,}\.eyJ/];
  for (const [place, lines] of Object.entries(places)) {
    for (const canary of canaries) expect({ place, canary, found: lines.filter((line) => canary.test(line)) }).toEqual({ place, canary, found: [] });
  }
});

test("a line of the log has the route's pattern and never the path, the query or a header as they were sent", async () => {
  platform.log.length = 0;
  await platform.request(`/api/users/USRSECRETNAME?password=${PASSWORD}`, { headers: { authorization: "Bearer x.y.z", "x-request-id": "request-of-a-test" } });
  await platform.request(`/nothing/${PASSWORD}`);
  expect(platform.log.map(({ route, method, status, requestId }) => ({ route, method, status, requestId }))).toEqual([
    { route: "/api/users/:userId", method: "GET", status: 401, requestId: "request-of-a-test" },
    { route: expect.not.stringContaining("nothing"), method: "GET", status: 404, requestId: expect.stringMatching(/^[0-9a-f]{32}$/) },
  ]);
});
