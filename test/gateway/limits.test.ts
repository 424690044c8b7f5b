import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Hono } from "hono";
import type { GatewayNeeds } from "../../src/gateway/app.ts";
import { type Count, localCounter } from "../../src/gateway/counters.ts";
import { redis } from "../../src/gateway/redis.ts";
import { sourceKey } from "../../src/gateway/source.ts";
import type { Fetch } from "../../src/http/fetch.ts";
import { gatewayBefore, recorder } from "./platform.ts";

const WINDOW_MS = 60_000;

let source: string | undefined;
beforeEach(() => {
  source = "192.0.2.1";
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 0, 1) });
});
afterEach(() => {
  vi.useRealTimers();
});

function limited(parts: Partial<GatewayNeeds> = {}) {
  const auth = recorder();
  const users = recorder();
  const { app, lines } = gatewayBefore({ auth, users, limits: { shared: 6, local: 3 }, source: () => source, ...parts });
  const ask = (path = "/api/auth/authenticate", method = "POST") => app.request(path, { method });
  const statuses = async (count: number, ...asked: Parameters<typeof ask>) => {
    const all: number[] = [];
    for (let i = 0; i < count; i++) all.push((await ask(...asked)).status);
    return all;
  };
  return { app, lines, auth, users, ask, statuses };
}

describe("Alone", () => {
  test("An answer says how many calls are left, and the one too many is refused and reaches no service", async () => {
    const { ask, auth } = limited();
    const first = await ask();
    expect(first.status).toBe(200);
    expect(await first.json()).toEqual({ fine: true });
    expect(first.headers.get("ratelimit-policy")).toBe("3;w=60");
    expect(first.headers.get("ratelimit")).toBe("limit=3, remaining=2, reset=60");
    await ask();
    await ask();
    vi.setSystemTime(Date.now() + 20_500);
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(refused.headers.get("content-type")).toBe("application/problem+json");
    expect(refused.headers.get("retry-after")).toBe("40");
    expect(refused.headers.get("ratelimit")).toBe("limit=3, remaining=0, reset=40");
    expect(await refused.json()).toMatchObject({ code: "TOO_MANY_REQUESTS_429", status: 429 });
    expect(auth.seen).toHaveLength(3);
  });

  test("After a minute a source may call again", async () => {
    const { statuses } = limited();
    expect(await statuses(4)).toEqual([200, 200, 200, 429]);
    vi.setSystemTime(Date.now() + WINDOW_MS - 1);
    expect(await statuses(1)).toEqual([429]);
    vi.setSystemTime(Date.now() + 1);
    expect(await statuses(4)).toEqual([200, 200, 200, 429]);
  });

  test.each([
    ["POST", "/api/users/register"],
    ["POST", "/api/auth/authenticate"],
    ["GET", "/api/auth/authenticate?username=a&password=b"],
    ["HEAD", "/api/auth/authenticate?username=a&password=b"],
    ["POST", "/api/auth/refresh"],
    ["POST", "/api/auth/logout"],
    ["POST", "/api/auth"],
  ])("%s %s is limited", async (method, path) => {
    const { statuses } = limited();
    expect(await statuses(4, path, method)).toEqual([200, 200, 200, 429]);
  });

  test.each([
    ["GET", "/api/users/me"],
    ["PUT", "/api/users/USR1"],
    ["GET", "/api/users/register"],
    ["PUT", "/api/security-details/USR1"],
  ])("%s %s, which needs a token, is not", async (method, path) => {
    const { statuses } = limited();
    expect(await statuses(8, path, method)).toEqual(Array(8).fill(200));
  });

  test("All public doors share one count of a source, and sources do not share theirs", async () => {
    const { statuses } = limited();
    expect(await statuses(2, "/api/users/register")).toEqual([200, 200]);
    expect(await statuses(2, "/api/auth/refresh")).toEqual([200, 429]);
    source = "192.0.2.2";
    expect(await statuses(1)).toEqual([200]);
  });

  test("A spelling of the path that is refused does not open another count", async () => {
    const { statuses, auth } = limited();
    expect(await statuses(3)).toEqual([200, 200, 200]);
    expect(await statuses(2, "/api/auth/./authenticate")).toEqual([429, 429]);
    expect(await statuses(2, "/api/%61uth/authenticate")).toEqual([404, 404]);
    expect(auth.seen).toHaveLength(3);
  });

  test("An address in a header opens no other count", async () => {
    const { app, auth } = limited();
    for (let i = 0; i < 6; i++) await app.request("/api/auth/refresh", { method: "POST", headers: { "x-forwarded-for": `10.0.0.${i}`, forwarded: `for=10.0.0.${i}` } });
    expect(auth.seen).toHaveLength(3);
  });

  test("100 parallel calls are counted exactly", async () => {
    const { ask, auth } = limited();
    const answers = await Promise.all(Array.from({ length: 100 }, () => ask()));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(auth.seen).toHaveLength(3);
  });

  test("The defaults are 300 a minute alone", async () => {
    expect((await limited({ limits: undefined }).ask()).headers.get("ratelimit")).toBe("limit=300, remaining=299, reset=60");
  });

  test("Of very many sources the first are forgotten, not the memory filled", () => {
    const count = localCounter({ now: Date.now, windowMs: WINDOW_MS });
    const hits = (key: string) => (count(key) as Count).totalHits;
    hits("first");
    for (let i = 0; i < 9999; i++) hits(`source ${i}`);
    expect(hits("first")).toBe(2);
    hits("one more");
    expect(hits("first")).toBe(1);
    expect(hits("source 9998")).toBe(2);
  });
});

describe("With Redis", () => {
  test("instances count together", async () => {
    const { fetch, commands } = fakeRedis();
    const [one, other] = [limited(behind(fetch)), limited(behind(fetch))];
    expect(await one.statuses(3)).toEqual([200, 200, 200]);
    expect((await other.ask()).headers.get("ratelimit")).toBe("limit=6, remaining=2, reset=60");
    expect(await one.statuses(3)).toEqual([200, 200, 429]);
    expect((await other.ask()).headers.get("retry-after")).toBe("60");
    expect(commands).toHaveLength(8);
    expect(commands[0]!.slice(2)).toEqual([1, "gatehouse:limit:192.0.2.1", "60000"]);
  });

  test("the default is 600 a minute", async () => {
    const answer = await limited({ ...behind(fakeRedis().fetch), limits: undefined }).ask();
    expect(answer.headers.get("ratelimit")).toBe("limit=600, remaining=599, reset=60");
  });

  test.each<[string, Fetch]>([
    ["refused", () => Promise.reject(new TypeError("fetch failed"))],
    ["silent", () => new Promise<Response>(() => {})],
    ["in trouble", () => new Response("no", { status: 500 })],
    ["lying", () => Response.json({ result: "PONG" })],
    ["no Redis", () => new Response("<html>", { headers: { "content-type": "text/html" } })],
    ["of another token", () => Response.json({ error: "WRONGPASS" }, { status: 401 })],
  ])("that is %s, each instance limits on its own, stricter, in time, and says so once", async (_, fetch) => {
    const { ask, statuses, lines, auth } = limited(behind(fetch));
    const began = performance.now();
    const first = await ask();
    expect(performance.now() - began).toBeLessThan(1000);
    expect(first.status).toBe(200);
    expect(first.headers.get("ratelimit")).toBe("limit=3, remaining=2, reset=60");
    expect(await statuses(3)).toEqual([200, 200, 429]);
    expect(auth.seen).toHaveLength(3);
    vi.setSystemTime(Date.now() + 2001);
    await ask();
    const warnings = lines.filter(({ message }) => message.startsWith("Redis is not available"));
    expect(warnings).toMatchObject([{ level: "warn", service: "gateway" }]);
    expect(JSON.stringify(lines)).not.toContain("the-token");
  });

  test("that is away, it is asked again only every two seconds, and counts again when it is back", async () => {
    const { fetch, commands } = fakeRedis();
    let isAway = true;
    let asked = 0;
    const { statuses, ask } = limited(
      behind((request) => {
        asked += 1;
        return isAway ? Promise.reject(new TypeError("fetch failed")) : fetch(request);
      }),
    );
    expect(await statuses(4)).toEqual([200, 200, 200, 429]);
    expect(asked).toBe(1);
    isAway = false;
    vi.setSystemTime(Date.now() + 2001);
    expect((await ask()).headers.get("ratelimit")).toBe("limit=6, remaining=5, reset=60");
    expect(commands).toHaveLength(1);
  });
});

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["2001:db8:1:2::1", "2001:db8:1:2::/64"],
  ["2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"],
  ["2001:DB8:1:2:0:0:0:1", "2001:db8:1:2::/64"],
  ["2001:db8:1:3::1", "2001:db8:1:3::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["::ffff:c000:201", "192.0.2.1"],
  ["1:2:3:4:5:6:7:8", "1:2:3:4::/64"],
  ["1::", "1:0:0:0::/64"],
  ["x:y", "unknown"],
  ["", "unknown"],
  [undefined, "unknown"],
])("The address %s is counted as %s", (address, key) => {
  expect(sourceKey(address)).toBe(key);
});

function behind(fetch: Fetch): Partial<GatewayNeeds> {
  return { redis: redis({ url: "http://redis.test", token: "the-token", fetch, now: Date.now }) };
}

/** Speaks as much of Upstash's wire as one command needs: EVAL of a counter with an end. */
function fakeRedis() {
  const commands: unknown[][] = [];
  const counters = new Map<string, { hits: number; until: number }>();
  const app = new Hono();
  app.post("/", async (c) => {
    if (c.req.header("authorization") !== "Bearer the-token") return c.json({ error: "WRONGPASS" }, 401);
    const command = await c.req.json<[string, string, number, string, string]>();
    commands.push(command);
    const [name, , , key, window] = command;
    if (name !== "eval") return c.json({ error: "ERR unknown command" }, 400);
    let counter = counters.get(key);
    if (!counter || counter.until <= Date.now()) counters.set(key, (counter = { hits: 0, until: Date.now() + Number(window) }));
    counter.hits += 1;
    return c.json({ result: [counter.hits, counter.until - Date.now()] });
  });
  return { commands, fetch: (request: Request) => app.fetch(request) };
}
