import { execFile } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import type { Fetch } from "../../src/http/fetch.ts";
import { gatewayBefore, listen, recorder } from "./platform.ts";

const healthy = { status: "UP", components: { db: { status: "UP" }, identityProvider: { status: "UP" } } };
const ailing = { status: "DOWN", components: { db: { status: "UP" }, identityProvider: { status: "DOWN", details: { error: "Not available" } } } };

const saying = (body: unknown, status = 200) => recorder((c) => c.json(body as object, status as 200));

describe("The health of the gateway", () => {
  test("is that of its services, each with its components", async () => {
    const response = await gatewayBefore({ users: saying(healthy), auth: saying(healthy) }).app.request("/actuator/health");
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ status: "UP", components: { "user-service": healthy, "auth-service": healthy } });
  });

  test("names the service that is down, and why", async () => {
    const { app } = gatewayBefore({ users: saying(healthy), auth: saying(ailing, 503), admin: saying(healthy) });
    const response = await app.request("/actuator/health");
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ status: "DOWN", components: { "user-service": healthy, "auth-service": ailing, "admin-service": healthy } });
    expect(await (await app.request("/actuator/health/user-service")).json()).toEqual({ ...healthy, groups: ["liveness", "readiness"] });
    expect((await app.request("/actuator/health/auth-service")).status).toBe(503);
  });

  test.each<[string, Fetch, string]>([
    ["is not there", () => Promise.reject(new TypeError("connect ECONNREFUSED 10.0.0.7:8086")), "Not available"],
    ["never answers", () => new Promise<Response>(() => {}), "No answer in time"],
    ["answers with HTML", () => new Response("<h1>It works</h1>"), "No usable answer"],
    ["answers with something else", () => Response.json({ status: "GREAT" }), "No usable answer"],
    ["redirects", () => Response.redirect("http://10.0.0.7/", 302), "No usable answer"],
  ])("has a service that %s as a component that is down, and the gateway stays live and ready", async (_, fetch, error) => {
    const { app } = gatewayBefore({ users: { fetch }, auth: saying(healthy) });
    const began = performance.now();
    const response = await app.request("/actuator/health");
    expect(performance.now() - began).toBeLessThan(1400);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ components: { "user-service": { status: "DOWN", details: { error } }, "auth-service": healthy } });
    for (const group of ["liveness", "readiness"]) {
      const probe = await app.request(`/actuator/health/${group}`);
      expect(probe.status).toBe(200);
      expect(await probe.json()).toEqual({ status: "UP" });
    }
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

describe("What the gateway says of its services", () => {
  test("is how they are and why: none of the numbers and versions that a service tells at its own port", async () => {
    const details = { partitions: { "platform.users/0": 17 }, freshAt: "2026-07-23T00:00:00.000Z", version: "0123abcd" };
    const told = { status: "DOWN", details, commit: "x", components: { db: { status: "UP", details }, broker: { status: "DOWN", details: { ...details, error: "Not available" } } } };
    const text = await (await gatewayBefore({ users: saying(told, 503) }).app.request("/actuator/health/user-service")).text();
    const broker = { details: { error: "Not available" }, status: "DOWN" };
    expect(JSON.parse(text)).toEqual({ components: { broker, db: { status: "UP" } }, groups: ["liveness", "readiness"], status: "DOWN" });
  });

  test("arrives within the second that a prober waits, with the name of the one that hangs", async () => {
    const silent = { fetch: () => new Promise<Response>(() => {}) };
    for (const [ms, limit, sharesPending] of [["1000", 990, false], ["300", 600, false], ["1000", 990, true], ["", 990, true]] as const) {
      const { app } = gatewayBefore({ users: silent, auth: saying(healthy), sharesPending });
      const headers = { "x-deadline-ms": ms };
      const began = performance.now();
      const response = await app.request("/actuator/health", { headers });
      expect(performance.now() - began).toBeLessThan(limit);
      expect(await response.json()).toMatchObject({ status: "DOWN", components: { "user-service": { status: "DOWN", details: { error: "No answer in time" } } } });
    }
  });

  test("costs each service one question a second, on the start page too, however many ask, and whoever reads documents", async () => {
    const silent: (() => void)[] = [];
    const users = recorder(async (c) => (c.req.path === "/v3/api-docs" ? new Promise(() => {}) : (await new Promise<void>((resolve) => silent.push(resolve)), c.json(healthy))));
    const { app } = gatewayBefore({ users, sharesPending: true });
    const reading = Array.from({ length: 32 }, () => app.request("/v3/api-docs/user-service"));
    const asking = Array.from({ length: 64 }, (_, i) => app.request(i % 2 === 0 ? "/" : "/actuator/health/user-service"));
    while (silent.length === 0) await pause(1);
    for (const answer of silent) answer();
    expect(new Set((await Promise.all(asking)).map(({ status }) => status))).toEqual(new Set([200]));
    expect(users.seen.filter(({ path }) => path === "/actuator/health")).toHaveLength(1);
    await Promise.all(reading);
  });
});

describe("The API description of a service", () => {
  const refers = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const me = { get: { tags: ["Users"], responses: { 200: { content: { "application/json": { schema: refers("User") } } } } } };
  const attempts = { post: { tags: ["Internal"], requestBody: { content: { "application/json": { schema: refers("Attempt") } } } } };
  const open = { User: { properties: { addresses: { items: refers("Address") }, friends: { items: refers("User") } } }, Address: { type: "object" } };
  const bearer = { type: "http", scheme: "bearer" };
  const document = {
    openapi: "3.1.0",
    info: { title: "User service", version: "1" },
    servers: [{ url: "http://users.internal:8086" }],
    tags: [{ name: "Users", description: "People" }, { name: "Internal" }],
    paths: { "/api/users/me": me, "/api/usersx": { get: {} }, "/internal/api/login-attempts": attempts, "/actuator/health": { get: {} } },
    components: { schemas: { ...open, Attempt: refers("Address"), constructor: {} }, securitySchemes: { bearer } },
  };

  test("has the gateway as its server, and only what can be reached through it", async () => {
    const users = saying(document);
    const response = await gatewayBefore({ users }).app.request("/v3/api-docs/user-service");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toEqual({
      ...document,
      servers: [{ url: "/" }],
      tags: [{ name: "Users", description: "People" }],
      paths: { "/api/users/me": me },
      components: { schemas: open, securitySchemes: { bearer } },
    });
    expect(users.seen).toMatchObject([{ method: "GET", path: "/v3/api-docs" }]);
  });

  test.each<[string, Fetch, number]>([
    ["is not there", () => Promise.reject(new TypeError("refused")), 503],
    ["never answers", () => new Promise<Response>(() => {}), 504],
    ["answers with something else", () => Response.json([]), 502],
    ["refuses", () => Response.json({}, { status: 401 }), 502],
  ])("of one that %s is a documented problem", async (_, fetch, status) => {
    const response = await gatewayBefore({ users: { fetch } }).app.request("/v3/api-docs/user-service");
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ status });
  });

  test.each(["admin-service", "users", "user-service/x", "__proto__"])("of %s does not exist", async (name) => {
    const users = recorder();
    const response = await gatewayBefore({ users }).app.request(`/v3/api-docs/${name}`);
    expect(response.status).toBe(404);
    expect(users.seen).toEqual([]);
  });
});

describe("The start page", () => {
  const links = [{ title: "Discovery <dashboard>", url: "http://127.0.0.1:8761/?a=1&b=2" }];
  const { app } = gatewayBefore({ users: saying(healthy), auth: saying(ailing, 503), links });

  test("says how each service is, and leads to health, descriptions and the given links", async () => {
    const response = await app.request("/");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=UTF-8");
    expect(response.headers.get("cache-control")).toBe("no-store");
    const text = await response.text();
    expect(text).toMatch(/User service<\/b> <span class="status good">Up</);
    expect(text).toMatch(/Authentication service<\/b> <span class="status bad">Down</);
    expect(text).toContain("Not well: authentication service.");
    expect(text).toContain("identityProvider: down");
    expect(text).not.toContain("Administration service");
    for (const href of ["/actuator/health", "/swagger-ui/index.html", "/swagger-ui/index.html?urls.primaryName=user-service", "/v3/api-docs/user-service", "/v3/api-docs/auth-service", "http://127.0.0.1:8761/?a=1&amp;b=2"]) {
      expect(text).toContain(`href="${href}"`);
    }
    expect(text).toContain("Discovery &lt;dashboard&gt;");
  });

  test("loads its style and its icon from the gateway, and may load and run nothing else", async () => {
    const response = await app.request("/");
    const policy = response.headers.get("content-security-policy")!;
    expect(policy.split("; ").toSorted()).toEqual(["base-uri 'none'", "default-src 'none'", "form-action 'none'", "frame-ancestors 'none'", "img-src 'self'", "style-src 'self'"]);
    const text = await response.text();
    expect(text).not.toMatch(/<script|<style|\sstyle=|\son\w+=|javascript:/i);
    const loaded = [...text.matchAll(/(?:src|<link[^>]*href)="([^"]*)"/g)].map(([, url]) => url!);
    expect([...new Set(loaded)].toSorted()).toEqual(["/icon.svg", "/style.css"]);
    expect((await app.request("/style.css")).headers.get("content-type")).toBe("text/css; charset=utf-8");
    expect((await app.request("/icon.svg")).headers.get("content-type")).toBe("image/svg+xml");
  });

  test("appears in time, with what is known, while services are silent", async () => {
    const silent = { fetch: () => new Promise<Response>(() => {}) };
    const { app } = gatewayBefore({ users: silent, auth: saying(healthy) });
    const began = performance.now();
    const text = await (await app.request("/")).text();
    expect(performance.now() - began).toBeLessThan(1400);
    expect(text).toContain("Not well: user service.");
    expect(text).toContain("No answer in time");
  });

  test("shows a service's words as text", async () => {
    const hostile = { status: "DOWN", details: { error: "<script>alert(1)</script>" }, components: { '"><img src=x>': { status: "DOWN" } } };
    const text = await (await gatewayBefore({ users: saying(hostile, 503) }).app.request("/")).text();
    expect(text).not.toContain("<script>");
    expect(text).not.toContain("<img src=x>");
    expect(text).toContain("&lt;script&gt;");
  });

  test("prints calls that work as they stand, at the gateway's own address", async () => {
    const users = recorder((c) => (c.req.path === "/actuator/health" ? c.json(healthy) : c.json({ fine: true }, 201)));
    const auth = recorder((c) => (c.req.path === "/actuator/health" ? c.json(healthy) : c.text("the.access.token")));
    const front = await listen(gatewayBefore({ users, auth }).app.fetch);
    const page = await (await fetch(`${front.url}/`)).text();
    const printed = [...page.matchAll(/<code>([^]*?)<\/code>/g)].map(([, code]) => unescape(code!));
    expect(printed).toHaveLength(3);
    const { stdout } = await run(printed.join("\n"));
    await front.close();
    expect(stdout).toBe('{"fine":true}{"fine":true}');
    const asked = (of: typeof users) => of.seen.filter(({ path }) => path.startsWith("/api/"));
    expect(asked(users)).toMatchObject([
      { method: "POST", path: "/api/users/register", headers: { "content-type": "application/json" } },
      { method: "GET", path: "/api/users/me", headers: { authorization: "Bearer the.access.token" } },
    ]);
    expect(asked(auth)).toMatchObject([{ method: "POST", path: "/api/auth/authenticate" }]);
    expect(Object.keys(JSON.parse(asked(users)[0]!.body))).toEqual(["firstName", "lastName", "emailId", "password", "primaryContactNumber"]);
    expect(Object.keys(JSON.parse(asked(auth)[0]!.body))).toEqual(["username", "password"]);
  });

  test("prints the configured address where there is one", async () => {
    const text = await (await gatewayBefore({ origin: "https://gatehouse.example" }).app.request("/")).text();
    expect(text.match(/curl -sS https:\/\/gatehouse\.example\/api\//g)).toHaveLength(3);
  });
});

/** Runs `script` as a person's shell would. */
function run(script: string): Promise<{ stdout: string }> {
  return promisify(execFile)("sh", ["-c", script], { timeout: 10_000 });
}

function unescape(text: string): string {
  return text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
