import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { registered, type TestPlatform, testPlatform, type Wire } from "../platform.ts";
import { member, type Member } from "../users/people.ts";
import { problemOf } from "./problem.ts";

let platform: TestPlatform;
let user: Member;
beforeAll(async () => {
  platform = await testPlatform();
  user = await member(platform);
});
afterAll(() => platform.close());

const never = new Promise<never>(() => {});
type Sender = Pick<TestPlatform, "request">;

const CANARY = "Canary-of-an-upstream";

/** Bytes handed out of the 50 MiB that this answer would have. */
const handedOut = { bytes: 0 };
const huge: Wire = () => {
  let left = 50 * 1024 * 1024;
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    if (left <= 0) return controller.close();
    left -= 65_536;
    handedOut.bytes += 65_536;
    controller.enqueue(new Uint8Array(65_536).fill(32));
  };
  return new Response(new ReadableStream({ pull }), { headers: { "content-type": "application/json" } });
};

const cut: Wire = () =>
  new Response(
    new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode('{"access_'));
        controller.error(new TypeError("terminated"));
      },
    }),
  );

const FAULTS: Record<string, [wire: Wire, code: string]> = {
  refused: [() => Promise.reject(new TypeError("fetch failed", { cause: new Error(CANARY) })), "UPSTREAM_UNAVAILABLE_503"],
  "answered with 429": [() => new Response(CANARY, { status: 429 }), "UPSTREAM_UNAVAILABLE_503"],
  "answered with 503": [() => new Response(CANARY, { status: 503 }), "UPSTREAM_UNAVAILABLE_503"],
  "answered with 500": [() => new Response(CANARY, { status: 500 }), "UPSTREAM_BAD_ANSWER_502"],
  "cut off": [cut, "UPSTREAM_UNAVAILABLE_503"],
  "HTML instead of JSON": [() => new Response(`<h1>${CANARY}</h1>`, { headers: { "content-type": "text/html" } }), "UPSTREAM_BAD_ANSWER_502"],
  "JSON of another shape": [() => Response.json([CANARY]), "UPSTREAM_BAD_ANSWER_502"],
  redirected: [() => new Response(CANARY, { status: 307, headers: { location: "http://attacker.test/" } }), "UPSTREAM_BAD_ANSWER_502"],
  "50 MiB": [huge, "UPSTREAM_BAD_ANSWER_502"],
  silent: [() => never, "UPSTREAM_TIMEOUT_504"],
};

const isPassword = async (request: Request) => request.url.endsWith("/token") && (await request.clone().text()).includes("grant_type=password");
const ASKING: Record<string, (wire: Wire) => { via: Sender; ask: (headers?: Record<string, string>) => Promise<Response> }> = {
  "the identity provider, signing in": (wire) => {
    const via = platform.instance({ identity: async (request, pass) => ((await isPassword(request)) ? wire(request, pass) : pass(request)) });
    return { via, ask: (headers) => signIn(via, headers) };
  },
  "the identity provider for the service's own token": (wire) => {
    const via = platform.instance({ identity: (request, pass) => (request.url.endsWith("/token") ? wire(request, pass) : pass(request)) });
    return { via, ask: (headers) => signIn(via, headers) };
  },
  "the identity provider, renewing": (wire) => {
    const via = platform.instance({ identity: (request, pass) => (request.url.endsWith("/token") ? wire(request, pass) : pass(request)) });
    return { via, ask: (headers) => via.request("/api/auth/refresh", { method: "POST", ...(headers && { headers }), json: { refresh_token: "x" } }) };
  },
  "the user service": (wire) => {
    const via = platform.instance({ users: wire });
    return { via, ask: (headers) => signIn(via, headers) };
  },
  "the database": (wire) => {
    const via = platform.instance({ database: wire }, { DATABASE_TIMEOUT_MS: "400" });
    return { via, ask: () => via.request(`/api/users/${user.userId}`, { token: user.token }) };
  },
};

/** So that nobody waits for what never comes. */
const soon = { "x-deadline-ms": "1000" };
let guesses = 0;
const signIn = ({ request }: Sender, headers: Record<string, string> = {}) => {
  guesses += 1;
  return request("/api/auth/authenticate", { method: "POST", headers, json: { username: `nobody-${guesses}`, password: "Wrong-Horse-7-Battery" } });
};

/** A database server that fails is one that is away: its own refusals come with another status. */
const expectedOf = (system: string, fault: string, code: string) => (system === "the database" && fault === "answered with 500" ? "UPSTREAM_UNAVAILABLE_503" : code);

test.for(Object.entries(ASKING))("%s: whatever it does wrong is a documented problem in time, nothing else suffers, and all is well once it is", async ([system, asking]) => {
  await Promise.all(
    Object.entries(FAULTS).map(async ([fault, [wire, usual]]) => {
      const code = expectedOf(system, fault, usual);
      let isBroken = true;
      const { via, ask } = asking((request, pass) => (isBroken ? wire(request, pass) : pass(request)));
      const answer = await ask(soon);
      const text = await answer.clone().text();
      expect({ fault, system, ...(await problemOf(answer)) }).toEqual({ fault, system, code, status: Number(code.slice(-3)) });
      expect({ fault, wait: answer.headers.get("retry-after"), leaks: text.includes(CANARY) }).toEqual({ fault, wait: code.endsWith("502") ? null : "1", leaks: false });

      expect((await via.request("/api/users/register", { method: "POST", json: {} })).status).toBe(400);
      expect((await via.request("/actuator/health/liveness")).status).toBe(200);
      isBroken = false;
      const after = await ask();
      expect({ fault, system, ok: after.status === 200 || after.status === 401 }).toEqual({ fault, system, ok: true });
    }),
  );
});

test("an answer of 50 MiB is given up after its first one or two, from the database after eight", async () => {
  handedOut.bytes = 0;
  await signIn(platform.instance({ users: huge }));
  expect(handedOut.bytes).toBeLessThan(2 * 1024 * 1024);
  handedOut.bytes = 0;
  await platform.instance({ database: huge }).request(`/api/users/${user.userId}`, { token: user.token });
  expect(handedOut.bytes).toBeLessThan(10 * 1024 * 1024);
});

test("the 33rd exchange under way is refused at once, and the places are free again afterwards", async () => {
  const gate = Promise.withResolvers<void>();
  let waiting = 0;
  const via = platform.instance({
    identity: async (request, pass) => {
      if (!(await isPassword(request))) return pass(request);
      waiting += 1;
      if (waiting === 32) full.resolve();
      await gate.promise;
      return Response.json({ error: "invalid_grant", error_description: "Invalid user credentials" }, { status: 401 });
    },
  });
  const full = Promise.withResolvers<void>();
  const ask = (name: string) => via.request("/api/auth/authenticate", { method: "POST", json: { username: name, password: "Wrong-Horse-7-Battery" } });
  const under = Array.from({ length: 32 }, (_, index) => ask(`under-way-${index}`));
  await full.promise;
  const refused = await ask("one-too-many");
  expect({ ...(await problemOf(refused)), wait: refused.headers.get("retry-after") }).toEqual({ status: 503, code: "UPSTREAM_UNAVAILABLE_503", wait: "1" });
  expect(waiting).toBe(32);
  gate.resolve();
  const statuses = (await Promise.all(under)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([401]));
  expect((await ask("one-too-many")).status).toBe(401);
  expect(waiting).toBe(33);
});

const refused = () => Response.json({ error: "invalid_grant", error_description: "Invalid user credentials" }, { status: 401 });
const renewed = ({ request }: Sender) => request("/api/auth/refresh", { method: "POST", json: { refresh_token: "x" } });

test("an identity provider that has more passwords to hash than it can is sent fewer, until it answers in time; all else goes on", async () => {
  const COST_MS = 100;
  let idleAt = 0;
  // One after the other, each to its end, whether somebody still waits for it or not.
  const hashing: Wire = async (request, pass) => {
    if (!(await isPassword(request))) return pass(request);
    idleAt = Math.max(idleAt, Date.now()) + COST_MS;
    await pause(idleAt - Date.now());
    return refused();
  };
  const via = platform.instance({ identity: hashing }, { TOKEN_TIMEOUT_MS: "800" });
  const statuses: number[] = [];
  const others: number[] = [];
  const recovered = () => (statuses.includes(504) ? statuses.slice(statuses.indexOf(504)).filter((status) => status === 401).length : 0);
  const calls: Promise<unknown>[] = [];
  // Four times as many as it can do, all the while.
  for (const until = Date.now() + 12_000; recovered() < 10 && Date.now() < until; await pause(COST_MS / 4)) {
    calls.push(signIn(via).then(({ status }) => statuses.push(status)), renewed(via).then(({ status }) => others.push(status)));
  }
  await Promise.all(calls);
  expect(recovered()).toBeGreaterThanOrEqual(10);
  expect([...new Set(statuses)].toSorted()).toEqual([401, 503, 504]);
  expect(new Set(others)).toEqual(new Set([401]));
});

test("where all passwords under way are late, two are tried next, and a minute later as many as ever", async () => {
  let asked = 0;
  const hanging: Wire = async (request, pass) => {
    if (!(await isPassword(request))) return pass(request);
    asked += 1;
    return never;
  };
  const via = platform.instance({ identity: hanging }, { TOKEN_TIMEOUT_MS: "400" });
  const eight = async () => {
    asked = 0;
    const answers = await Promise.all(Array.from({ length: 8 }, () => signIn(via)));
    return { asked, statuses: answers.map(({ status }) => status).toSorted() };
  };
  expect(await eight()).toEqual({ asked: 8, statuses: Array(8).fill(504) });
  expect(await eight()).toEqual({ asked: 2, statuses: [...Array(6).fill(503), 504, 504] });
  platform.clock.offset += 61_000;
  expect(await eight().finally(() => (platform.clock.offset -= 61_000))).toEqual({ asked: 8, statuses: Array(8).fill(504) });
});

test("one password that is late, while those after it are not, keeps nobody out", async () => {
  let isFirst = true;
  const oneHangs: Wire = async (request, pass) => {
    if (!(await isPassword(request))) return pass(request);
    if (isFirst) {
      isFirst = false;
      return never;
    }
    await pause(50);
    return refused();
  };
  const via = platform.instance({ identity: oneHangs }, { TOKEN_TIMEOUT_MS: "400" });
  const statuses: number[] = [];
  const one = async () => void statuses.push((await signIn(via)).status);
  const several = async () => {
    while (!statuses.includes(504)) await one();
  };
  await Promise.all(Array.from({ length: 8 }, several));
  await Promise.all(Array.from({ length: 12 }, one));
  expect(statuses.filter((status) => status !== 401)).toEqual([504]);
});

test("nothing is asked twice that may not be: as many calls as requests, while a system fails", async () => {
  const calls: string[] = [];
  const counting = (system: string, fails: (request: Request) => boolean | Promise<boolean>): Wire => async (request, pass) => {
    const isFailing = await fails(request);
    if (isFailing) calls.push(`${system} ${request.method} ${new URL(request.url).pathname.replace(/USR\w+|N[0-9a-f]{64}|[0-9a-f-]{36}/g, "*")}`);
    return isFailing ? new Response("busy", { status: 503 }) : pass(request);
  };
  const asked = async (wires: Parameters<TestPlatform["instance"]>[0], ask: (via: Sender) => Promise<Response>) => {
    const via = platform.instance(wires);
    calls.length = 0;
    for (let count = 0; count < 10; count++) expect((await ask(via)).status).toBe(503);
    return calls.length;
  };
  const token = await platform.serviceToken();
  const technical = { username: "technical", password: "Correct-Horse-7-Technical", firstName: "Tech", lastName: "Account", emailId: "technical@example.com" };
  expect(await asked({ identity: counting("identity", isPassword) }, (via) => signIn(via))).toBe(10);
  expect(await asked({ users: counting("users", () => true) }, (via) => signIn(via))).toBe(10);
  expect(await asked({ identity: counting("identity", ({ url }) => url.endsWith("/token")) }, ({ request }) => request("/api/auth/refresh", { method: "POST", json: { refresh_token: "x" } }))).toBe(10);
  expect(await asked({ identity: counting("identity", ({ url }) => url.endsWith("/logout")) }, ({ request }) => request("/api/auth/logout", { method: "POST", json: { refresh_token: "x" } }))).toBe(10);
  const create = ({ request }: Sender) => request("/internal/api/auth/register/users", { method: "POST", token, json: technical });
  expect(await asked({ identity: counting("identity", ({ url, method }) => method === "POST" && url.endsWith("/users")) }, create)).toBe(10);
  expect(await asked({ database: counting("database", () => true) }, ({ request }) => request(`/api/users/${user.userId}`, { token: user.token }))).toBe(10);
  expect(await asked({ database: counting("database", () => true) }, ({ request }) => request(`/api/users/${user.userId}`, { method: "PUT", token: user.token, json: {} }))).toBe(10);
});

test("a service token that is refused is replaced once, and parallel callers fetch it once", async () => {
  const target = await registered(platform);
  let tokens = 0;
  let refusals = 0;
  const via = platform.instance({
    identity: (request, pass) => {
      if (request.url.endsWith("/token")) tokens += 1;
      if (!request.url.includes("/admin/")) return pass(request);
      refusals += 1;
      return Response.json({ error: "HTTP 401 Unauthorized" }, { status: 401 });
    },
  });
  const admin = await (await platform.request("/api/auth/authenticate", { method: "POST", json: { username: "admin", password: "Correct-Horse-1-Admin" } })).text();
  const answer = await via.request(`/api/users/${target.userId}`, { method: "PUT", token: admin, json: { isLockUser: true } });
  expect(await problemOf(answer)).toEqual({ status: 502, code: "UPSTREAM_BAD_ANSWER_502" });
  expect({ tokens, refusals }).toEqual({ tokens: 2, refusals: 2 });

  tokens = 0;
  const fresh = platform.instance({ identity: async (request, pass) => ((await isPassword(request)) ? Response.json({ error: "invalid_grant" }, { status: 401 }) : ((tokens += request.url.endsWith("/token") ? 1 : 0), pass(request))) });
  const answers = await Promise.all(Array.from({ length: 16 }, () => signIn(fresh)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
  expect(tokens).toBe(1);
});
