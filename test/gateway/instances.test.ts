import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Fetch } from "../../src/http/fetch.ts";
import { gatewayBefore, type Listening, listen, recorder } from "./platform.ts";
import { gatewayWithRegistry, refused } from "./registered.ts";

type Platform = ReturnType<typeof gatewayWithRegistry>;

const MINUTE = 60_000;

/** Three instances, and how often each was asked. */
function three(platform: Platform) {
  const services = [8081, 8082, 8083].map((port) => platform.instance({ port }));
  return { services, counts: () => services.map(({ seen }) => seen.splice(0).length) };
}

async function ask({ app }: Pick<Platform, "app">, times: number, init?: RequestInit): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < times; i++) statuses.push((await app.request("/orders/x", init)).status);
  return statuses;
}

describe("Instances", () => {
  test("are asked in turn", async () => {
    const platform = gatewayWithRegistry();
    const { services, counts } = three(platform);
    await ask(platform, 3);
    expect(services.map(({ seen }) => seen.length)).toEqual([1, 1, 1]);
    await ask(platform, 27);
    expect(counts()).toEqual([10, 10, 10]);
  });

  test.each(["DOWN", "OUT_OF_SERVICE", "STARTING", "UNKNOWN"])("that are %s are not asked, and are again once they are up", async (status) => {
    const platform = gatewayWithRegistry();
    const { counts } = three(platform);
    const ill = [...platform.registry.instances.values()][1]!;
    ill.status = status;
    await ask(platform, 10);
    expect(counts()).toEqual([5, 0, 5]);
    ill.status = "UP";
    platform.clock.offset += 5001;
    await ask(platform, 9);
    expect(counts()).toEqual([3, 3, 3]);
  });

  test("that have left are not asked after five seconds", async () => {
    const platform = gatewayWithRegistry();
    const { counts } = three(platform);
    await ask(platform, 3);
    counts();
    platform.registry.instances.delete("ORDERS/10.0.0.7:orders:8082");
    platform.clock.offset += 5001;
    await ask(platform, 10);
    expect(counts()).toEqual([5, 0, 5]);
  });

  test("that refuse the connection cost nobody a GET, and are left alone for ten seconds", async () => {
    const platform = gatewayWithRegistry();
    const { services, counts } = three(platform);
    let knocks = 0;
    platform.hosts["10.0.0.7:8082"] = { fetch: () => ((knocks += 1), refused()) };
    expect(new Set(await ask(platform, 30))).toEqual(new Set([200]));
    expect(knocks).toBe(1);
    expect(counts().reduce((sum, count) => sum + count)).toBe(30);
    platform.clock.offset += 10_001;
    platform.hosts["10.0.0.7:8082"] = services[1]!;
    await ask(platform, 9);
    expect(counts()).toEqual([3, 3, 3]);
  });

  test.each(["POST", "PUT", "PATCH", "DELETE"])("that refuse the connection are not replaced for a %s: it fails, and the next one goes elsewhere", async (method) => {
    const platform = gatewayWithRegistry();
    const { counts } = three(platform);
    platform.hosts["10.0.0.7:8081"] = { fetch: refused };
    expect(await ask(platform, 3, { method, body: "{}" })).toEqual([503, 200, 200]);
    expect(counts()).toEqual([0, 1, 1]);
  });

  test("that all refuse the connection are tried no more than twice a request, and soon again", async () => {
    const platform = gatewayWithRegistry();
    const { services } = three(platform);
    let knocks = 0;
    for (const port of [8081, 8082, 8083]) platform.hosts[`10.0.0.7:${port}`] = { fetch: () => ((knocks += 1), refused()) };
    expect(await ask(platform, 1)).toEqual([503]);
    expect(knocks).toBe(2);
    await ask(platform, 1);
    platform.hosts["10.0.0.7:8081"] = services[0]!;
    platform.hosts["10.0.0.7:8082"] = services[1]!;
    platform.hosts["10.0.0.7:8083"] = services[2]!;
    expect(await ask(platform, 3)).toEqual([200, 200, 200]);
  });

  test.each<[string, Fetch]>([
    ["resets the connection", () => Promise.reject(new TypeError("fetch failed", { cause: Object.assign(new Error("reset"), { code: "ECONNRESET" }) }))],
    ["fails without a word", () => Promise.reject(new Error("Network connection lost"))],
    ["cannot be reached from a Worker", () => new Response(null, { status: 522 })],
  ])("one that %s after something may have been sent is not replaced for the one who asked, and left alone by the next", async (_, fetch) => {
    const platform = gatewayWithRegistry();
    const { counts } = three(platform);
    platform.hosts["10.0.0.7:8081"] = { fetch };
    expect(await ask(platform, 6)).toEqual([expect.toSatisfy((status) => status >= 502), 200, 200, 200, 200, 200]);
    expect(counts().reduce((sum, count) => sum + count)).toBe(5);
  });

  test("one that has vanished costs one request a time, ever less often, until it answers; then it has its turn again", async () => {
    const platform = gatewayWithRegistry({ timeout: 100 });
    const { services, counts } = three(platform);
    const PERIODS = [10_001, 20_001, 40_001, 80_001, 120_001];
    let knocks = 0;
    platform.hosts["10.0.0.7:8082"] = { fetch: () => ((knocks += 1), new Promise(() => {})) };
    expect((await ask(platform, 9)).filter((status) => status === 504)).toHaveLength(1);
    for (const period of PERIODS) {
      platform.clock.offset += period - 1000;
      expect(new Set(await ask(platform, 6))).toEqual(new Set([200]));
      platform.clock.offset += 1000;
      const together = await Promise.all(Array.from({ length: 9 }, () => ask(platform, 1)));
      expect(together.flat().filter((status) => status === 504)).toHaveLength(1);
    }
    expect(knocks).toBe(1 + PERIODS.length);
    platform.clock.offset += 120_001;
    platform.hosts["10.0.0.7:8082"] = services[1]!;
    counts();
    expect(new Set(await ask(platform, 9))).toEqual(new Set([200]));
    expect(counts()).toEqual([3, 3, 3]);
    platform.hosts["10.0.0.7:8082"] = { fetch: refused };
    await ask(platform, 3);
    platform.hosts["10.0.0.7:8082"] = services[1]!;
    platform.clock.offset += 10_001;
    counts();
    await ask(platform, 9);
    expect(counts()).toEqual([3, 3, 3]);
  });

  test("one whose caller goes away keeps its turn", async () => {
    const platform = gatewayWithRegistry();
    const { services, counts } = three(platform);
    platform.hosts["10.0.0.7:8081"] = { fetch: () => new Promise(() => {}) };
    const leaving = new AbortController();
    const left = platform.app.request("/orders/x", { signal: leaving.signal });
    await pause(5);
    leaving.abort();
    await left;
    platform.hosts["10.0.0.7:8081"] = services[0]!;
    await ask(platform, 9);
    expect(counts()).toEqual([3, 3, 3]);
  });

  test("one that was lost and is then left by its caller has not answered", async () => {
    const platform = gatewayWithRegistry();
    const { counts } = three(platform);
    platform.hosts["10.0.0.7:8081"] = { fetch: refused };
    await ask(platform, 3);
    platform.clock.offset += 10_001;
    let knocks = 0;
    platform.hosts["10.0.0.7:8081"] = { fetch: () => ((knocks += 1), new Promise(() => {})) };
    const leaving = Array.from({ length: 3 }, () => new AbortController());
    const left = leaving.map(({ signal }) => platform.app.request("/orders/x", { signal }));
    await pause(5);
    for (const one of leaving) one.abort();
    await Promise.all(left);
    expect(knocks).toBe(1);
    counts();
    await ask(platform, 6);
    expect(counts()).toEqual([0, 3, 3]);
  });

  test("all of which are lost are still asked, in turn", async () => {
    const platform = gatewayWithRegistry();
    const { counts } = three(platform);
    const knocked: string[] = [];
    for (const port of [8081, 8082, 8083]) {
      platform.hosts[`10.0.0.7:${port}`] = { fetch: ({ url }) => (knocked.push(new URL(url).port), Promise.reject(new Error("Network connection lost"))) };
    }
    await ask(platform, 9);
    expect(counts()).toEqual([0, 0, 0]);
    expect(["8081", "8082", "8083"].map((port) => knocked.filter((one) => one === port).length)).toEqual([3, 3, 3]);
  });

  test("one that answers 503 has answered", async () => {
    const platform = gatewayWithRegistry();
    platform.instance({ port: 8081 }, (c) => c.text("busy", 503));
    platform.instance({ port: 8082 });
    expect(await ask(platform, 4)).toEqual([503, 200, 503, 200]);
  });
});

test("Of two instances under load one can be killed: no GET fails but those that were under way there", async () => {
  const platform = gatewayWithRegistry({ names: ["orders"] });
  const instances: (Listening & { underway: Set<Request> })[] = [];
  for (const _ of [1, 2]) {
    const underway = new Set<Request>();
    const slowly = async (request: Request) => {
      underway.add(request);
      await pause(5);
      underway.delete(request);
      return Response.json({ fine: true });
    };
    instances.push(Object.assign(await listen(slowly), { underway }));
  }
  for (const { port } of instances) {
    platform.instance({ host: "127.0.0.1", port });
    platform.hosts[`127.0.0.1:${port}`] = { fetch };
  }
  const statuses: number[] = [];
  const codes: unknown[] = [];
  let lost = Infinity;
  const client = async () => {
    for (let i = 0; i < 40; i++) {
      const response = await platform.app.request("/orders/x");
      statuses.push(response.status);
      if (response.status !== 200) codes.push(((await response.json()) as { code: string }).code);
      else await response.text();
    }
  };
  const load = Array.from({ length: 16 }, client);
  while (statuses.length < 100) await pause(1);
  lost = instances[0]!.underway.size;
  await instances[0]!.close();
  await Promise.all(load);
  await instances[1]!.close();
  expect(statuses).toHaveLength(640);
  // Also those whose bytes were on their way to it.
  expect(codes.length).toBeLessThanOrEqual(Math.max(lost, 1) + 8);
  expect(codes.length).toBeLessThanOrEqual(16);
  expect(new Set(codes)).toEqual(new Set(codes.length > 0 ? ["UPSTREAM_UNAVAILABLE_503"] : []));
  expect(statuses.slice(-300).every((status) => status === 200)).toBe(true);
});

describe("The registry", () => {
  test("is asked once in five seconds, however many requests come", async () => {
    const platform = gatewayWithRegistry();
    three(platform);
    await Promise.all(Array.from({ length: 64 }, () => ask(platform, 2)));
    platform.clock.offset += 4000;
    await ask(platform, 1);
    expect(platform.registry.seen).toHaveLength(1);
    platform.clock.offset += 1001;
    await Promise.all(Array.from({ length: 64 }, () => ask(platform, 1)));
    expect(platform.registry.seen).toHaveLength(2);
  });

  test("is asked by each request for itself where one may not wait for another's", async () => {
    const platform = gatewayWithRegistry({ sharesPending: false });
    three(platform);
    const { server } = platform.registry;
    let isFirst = true;
    server.wire = (request, pass) => {
      const isHanging = isFirst;
      isFirst = false;
      return isHanging ? new Promise<Response>(() => {}) : pass(request);
    };
    const hanging = platform.app.request("/orders/x");
    expect(await ask(platform, 2)).toEqual([200, 200]);
    expect(platform.registry.seen).toHaveLength(1);
    expect((await hanging).status).toBe(504);
  });

  const FAULTS: [string, Fetch][] = [
    ["is not there", refused],
    ["never answers", () => new Promise(() => {})],
    ["refuses the credential", () => new Response(null, { status: 401 })],
    ["fails", () => new Response("<h1>", { status: 500 })],
    ["redirects", () => Response.redirect("http://169.254.169.254/", 302)],
    ["answers with nonsense", () => new Response("\0{")],
    ["answers with 50 MiB", () => new Response(new Uint8Array(50 * 1024 * 1024).fill(32))],
    ["ends in the middle", () => new Response('{"application":{"name":"ORDERS","instance":[')],
  ];

  test.each(FAULTS)("that %s is done without for five minutes by what it said, asked seldom, and logged once", async (_, fault) => {
    const platform = gatewayWithRegistry();
    const { counts } = three(platform);
    await ask(platform, 3);
    let asked = 0;
    platform.registry.server.wire = (request) => ((asked += 1), fault(request));
    for (const minute of [2, 4]) {
      platform.clock.offset = minute * MINUTE;
      expect(await ask(platform, 6)).toEqual([200, 200, 200, 200, 200, 200]);
    }
    // Twice, and the first time again where it is a connection that broke.
    expect(asked).toBeLessThanOrEqual(3);
    expect(counts()).toEqual([5, 5, 5]);
    expect(platform.lines.filter(({ message }) => message !== "request").map(({ level }) => level)).toEqual(["warn"]);
    expect(JSON.stringify(platform.lines)).not.toMatch(/correct|horse/);
    platform.clock.offset = 5 * MINUTE + 1000;
    expect((await ask(platform, 1))[0]).toBeGreaterThanOrEqual(502);
    platform.registry.server.wire = undefined;
    platform.clock.offset += 5001;
    expect(await ask(platform, 3)).toEqual([200, 200, 200]);
    expect(platform.lines.filter(({ message, code }) => message !== "request" && code === undefined).map(({ level }) => level)).toEqual(["warn", "info"]);
  });

  test.each(FAULTS)("that %s from the start is a documented problem, in time, and our own services are there", async (_, fault) => {
    const platform = gatewayWithRegistry();
    platform.registry.server.wire = fault;
    const began = performance.now();
    const responses = await Promise.all(Array.from({ length: 8 }, () => platform.app.request("/orders/x")));
    expect(performance.now() - began).toBeLessThan(2500);
    for (const response of responses) {
      expect([502, 503, 504]).toContain(response.status);
      expect(response.headers.get("content-type")).toBe("application/problem+json");
      expect(await response.text()).not.toMatch(/correct|horse|registry\.test/);
    }
    expect((await platform.app.request("/api/users/me")).status).toBe(200);
  });

  test("that does not know the application any more is believed", async () => {
    const platform = gatewayWithRegistry();
    three(platform);
    await ask(platform, 1);
    platform.registry.instances.clear();
    platform.clock.offset += 5001;
    expect(await ask(platform, 1)).toEqual([503]);
  });

  test("is asked again after the clock was set back", async () => {
    const platform = gatewayWithRegistry();
    three(platform);
    await ask(platform, 1);
    platform.registry.instances.clear();
    platform.clock.offset = -60 * MINUTE;
    expect(await ask(platform, 1)).toEqual([503]);
  });
});

describe("The documents to choose from", () => {
  const healthy = () => recorder((c) => c.json({ status: "UP" }));
  const offered = async ({ app }: Pick<Platform, "app">) => {
    const { urls } = (await (await app.request("/v3/api-docs/swagger-config")).json()) as { urls: { name: string; url: string }[] };
    return urls.map(({ name, url }) => `${name} ${url}`);
  };
  const GATEWAY = "gateway /v3/api-docs";
  const OWN = ["user-service /v3/api-docs/user-service", "auth-service /v3/api-docs/auth-service"];

  test("are those of all our services where there is no registry", async () => {
    const all = [...OWN, "admin-service /v3/api-docs/admin-service", "discovery-service /v3/api-docs/discovery-service", "config-server /v3/api-docs/config-server", GATEWAY];
    expect(await offered(gatewayBefore({ admin: healthy(), discovery: healthy(), config: healthy() }))).toEqual(all);
  });

  test("are those of what is registered, of other applications only the allowed ones", async () => {
    const platform = gatewayWithRegistry({ names: ["orders", "payments"], admin: healthy(), discovery: healthy() });
    platform.instance({ app: "USER-SERVICE", port: 8086 });
    platform.instance({ app: "ORDERS" });
    platform.instance({ app: "BILLING", port: 8090 });
    expect(await offered(platform)).toEqual([OWN[0], "discovery-service /v3/api-docs/discovery-service", "orders /orders/v3/api-docs", GATEWAY]);
    platform.instance({ app: "AUTH-SERVICE", port: 8087 });
    platform.instance({ app: "PAYMENTS", port: 8091 });
    platform.clock.offset += 5001;
    expect(await offered(platform)).toEqual([...OWN, "discovery-service /v3/api-docs/discovery-service", "orders /orders/v3/api-docs", "payments /payments/v3/api-docs", GATEWAY]);
  });

  test("are our own too where these do not register, as on Workers", async () => {
    const platform = gatewayWithRegistry({ holdsPlatform: false });
    expect(await offered(platform)).toEqual([...OWN, GATEWAY]);
    platform.instance();
    platform.clock.offset += 5001;
    expect(await offered(platform)).toEqual([...OWN, "orders /orders/v3/api-docs", GATEWAY]);
  });

  test("are our own while the registry is away", async () => {
    const platform = gatewayWithRegistry();
    platform.registry.server.wire = refused;
    expect(await offered(platform)).toEqual([...OWN, GATEWAY]);
  });

  const document = {
    openapi: "3.1.0",
    info: { title: "Orders", version: "7" },
    servers: [{ url: "http://10.0.0.7:8080" }],
    paths: { "/api/orders": { get: {} }, "/internal/api/x": { post: {} }, "/actuator/health": { get: {} } },
  };

  test("hold, of an application, what the gateway leads to, at the gateway", async () => {
    const platform = gatewayWithRegistry();
    const orders = platform.instance({}, (c) => c.json(document));
    const response = await platform.app.request("/orders/v3/api-docs");
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ ...document, servers: [{ url: "/orders" }], paths: { "/api/orders": { get: {} } } });
    expect(orders.seen).toMatchObject([{ path: "/v3/api-docs" }]);
  });

  test("keep, of an application, what its operations refer to by way of other components", async () => {
    const refer = (to: string) => ({ $ref: `#/components/${to}` });
    const paths = { "/api/orders": { get: { responses: { 200: refer("responses/Orders") } } } };
    const components = { responses: { Orders: { content: { "application/json": { schema: refer("schemas/Order") } } } }, schemas: { Order: { properties: { line: refer("schemas/Line") } }, Line: {} } };
    const platform = gatewayWithRegistry();
    platform.instance({}, (c) => c.json({ ...document, paths, components: { ...components, schemas: { ...components.schemas, Unused: {} } } }));
    expect(await (await platform.app.request("/orders/v3/api-docs")).json()).toMatchObject({ paths, components });
  });

  test("of an application without one are a 404", async () => {
    const platform = gatewayWithRegistry();
    platform.instance({}, (c) => c.text("no", 404));
    expect((await platform.app.request("/orders/v3/api-docs")).status).toBe(404);
  });

  test("of what the gateway does not lead to are for reading", async () => {
    const config = recorder((c) => c.json({ ...document, paths: { "/{application}/{profile}": { get: {} }, "/internal/x": { get: {} } } }));
    const { app } = gatewayBefore({ config });
    const shown = (await (await app.request("/v3/api-docs/config-server")).json()) as typeof document;
    expect(shown.servers).toEqual([{ url: "/", description: expect.stringContaining("For reading") }]);
    expect(Object.keys(shown.paths)).toEqual(["/{application}/{profile}"]);
    for (const path of ["/eureka/apps", "/orders/default", "/config-server/x"]) expect((await app.request(path)).status).toBe(404);
  });
});

test("The gateway's health has the discovery service and the configuration server as components", async () => {
  const up = recorder((c) => c.json({ status: "UP" }));
  const down = recorder((c) => c.json({ status: "DOWN" }, 503));
  const { app } = gatewayBefore({ users: up, auth: up, discovery: up, config: down });
  const response = await app.request("/actuator/health");
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({ components: { "discovery-service": { status: "UP" }, "config-server": { status: "DOWN" } } });
  expect((await app.request("/actuator/health/discovery-service")).status).toBe(200);
});
