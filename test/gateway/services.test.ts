import { afterEach, describe, expect, test } from "vitest";
import type { Fetch } from "../../src/http/fetch.ts";
import { gatewayBefore, recorder } from "./platform.ts";
import { never, sockets, to } from "./sockets.ts";

const { overTheWire, socketService, close } = sockets();
afterEach(close);

describe("A service that", () => {
  test.each<[string, Fetch, number, string]>([
    ["is not there", () => Promise.reject(new TypeError("fetch failed: connect ECONNREFUSED 10.0.0.7:8086")), 503, "UPSTREAM_UNAVAILABLE_503"],
    ["throws at once", () => { throw new Error("10.0.0.7"); }, 503, "UPSTREAM_UNAVAILABLE_503"],
    ["never answers", never, 504, "UPSTREAM_TIMEOUT_504"],
    ["redirects", () => Response.redirect("http://10.0.0.7/", 302), 502, "UPSTREAM_BAD_ANSWER_502"],
    ["redirects for good", () => Response.redirect("http://10.0.0.7/", 308), 502, "UPSTREAM_BAD_ANSWER_502"],
    ["says not modified", () => new Response(null, { status: 304 }), 502, "UPSTREAM_BAD_ANSWER_502"],
    ["answers with HTML", () => new Response("<h1>10.0.0.7</h1>", { headers: { "content-type": "text/html" } }), 502, "UPSTREAM_BAD_ANSWER_502"],
    ["is hidden by a proxy's 404", () => new Response("<h1>10.0.0.7</h1>", { status: 404, headers: { "content-type": "text/html" } }), 502, "UPSTREAM_BAD_ANSWER_502"],
    ["is hidden by a proxy's 503", () => new Response("<h1>10.0.0.7</h1>", { status: 503, headers: { "content-type": "text/html" } }), 503, "UPSTREAM_UNAVAILABLE_503"],
    ["fails with a bare text", () => new Response("Error at 10.0.0.7", { status: 500 }), 502, "UPSTREAM_BAD_ANSWER_502"],
    ["fails without a word", () => new Response(null, { status: 500 }), 502, "UPSTREAM_BAD_ANSWER_502"],
  ])("%s becomes a documented problem that says nothing of it, in time", async (_, fetch, status, code) => {
    const { app, lines } = gatewayBefore({ users: { fetch }, timeout: 150 });
    const began = performance.now();
    const response = await app.request("/api/users/me");
    expect(performance.now() - began).toBeLessThan(1000);
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(response.headers.get("retry-after")).toBe(status === 502 ? null : "1");
    expect(response.headers.get("location")).toBeNull();
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ status, code, instance: "/api/users/me" });
    expect(text).not.toContain("10.0.0.7");
    expect(lines).toContainEqual(expect.objectContaining({ level: "warn", code }));
    expect((await app.request("/api/auth/x")).status).toBe(200);
  });

  test.each([
    [400, "VALIDATION_FAILED_400"],
    [404, "USER_NOT_FOUND_404"],
    [500, "INTERNAL_ERROR_500"],
    [503, "UPSTREAM_UNAVAILABLE_503"],
  ])("answers with a problem of its own (%i) is heard", async (status, code) => {
    const headers = { "content-type": "application/problem+json", "retry-after": "9" };
    const { app } = gatewayBefore({ users: { fetch: () => new Response(JSON.stringify({ status, code }), { status, headers }) } });
    const response = await app.request("/api/users/me");
    expect(response.status).toBe(status);
    expect(response.headers.get("retry-after")).toBe("9");
    expect(await response.json()).toEqual({ status, code });
  });

  test.each([
    ["refuses the connection", async () => "http://127.0.0.1:1", 503],
    ["hangs up at once", () => socketService(""), 503],
    ["speaks no HTTP", () => socketService("SSH-2.0-OpenSSH\r\n"), 503],
    ["redirects", () => socketService("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"), 502],
    ["never answers", () => socketService("", { hangsUp: false }), 504],
    ["never ends its headers", () => socketService("HTTP/1.1 200 OK\r\nContent-Type: ", { hangsUp: false }), 504],
  ])("%s over the network becomes a documented problem", async (_, start, status) => {
    const { app } = gatewayBefore({ users: to(await start()), timeout: 300 });
    const response = await app.request("/api/users/me");
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ status, instance: "/api/users/me" });
  });

  test.each([
    ["stops in the middle of its answer", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"a\":", false],
    ["hangs up in the middle of its answer", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"a\":", true],
  ])("%s breaks the client's off, never ends it as if it were whole", async (_, bytes, hangsUp) => {
    const { app } = gatewayBefore({ users: to(await socketService(bytes, { hangsUp })), timeout: 300 });
    const response = await app.request("/api/users/me");
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });
});

test("The deadline ends an answer also where the way to the service does not listen to it", async () => {
  const url = await socketService("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", { hangsUp: false });
  const { app } = gatewayBefore({ users: { fetch: () => fetch(url) }, timeout: 300 });
  await expect((await app.request("/api/users/me")).text()).rejects.toThrow();
}, 5000);

test("A service's 404 stays one, also beside a limited door", async () => {
  const { app } = gatewayBefore({ users: { fetch: () => Response.json({ code: "USER_NOT_FOUND_404" }, { status: 404 }) } });
  for (const method of ["GET", "PUT", "POST"]) {
    const response = await app.request("/api/users/register", { method });
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ code: "USER_NOT_FOUND_404" });
  }
});

const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;

test("Neither a hung service, nor one that answers, leaves a timer behind", async () => {
  const before = timers();
  const { app } = gatewayBefore({ users: { fetch: never }, timeout: 100 });
  await Promise.all(Array.from({ length: 20 }, () => app.request("/api/users/me")));
  await Promise.all(Array.from({ length: 20 }, () => app.request("/api/auth/x")));
  expect(timers()).toBeLessThanOrEqual(before);
  const service = await overTheWire(() => Response.json({ fine: true }));
  const remote = gatewayBefore({ users: to(service.url) }).app;
  for (let i = 0; i < 20; i++) await (await remote.request("/api/users/me")).text();
  expect(timers() - before).toBeLessThan(10);
});

test("A hung service takes at most 512 requests at once, and is asked again when they are over", async () => {
  let asked = 0;
  let isHung = true;
  const { app } = gatewayBefore({
    users: {
      fetch: () => {
        asked += 1;
        return isHung ? never() : Response.json({});
      },
    },
    timeout: 2000,
  });
  const answers = await Promise.all(Array.from({ length: 600 }, () => app.request("/api/users/me")));
  expect(asked).toBe(512);
  expect(answers.filter(({ status }) => status === 504)).toHaveLength(512);
  expect(answers.filter(({ status }) => status === 503)).toHaveLength(88);
  isHung = false;
  expect((await app.request("/api/users/me")).status).toBe(200);
});

test("HEAD is handed on, and answered without a body", async () => {
  const service = recorder();
  const response = await gatewayBefore({ users: service }).app.request("/api/users/me", { method: "HEAD" });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(await response.text()).toBe("");
  expect(service.seen).toMatchObject([{ method: "HEAD" }]);
});

test("The log has the pattern of the route, never the path or the query", async () => {
  const { app, lines } = gatewayBefore();
  await app.request("/api/auth/authenticate?username=USR1&password=canary-1");
  expect(lines).toMatchObject([{ service: "gateway", method: "GET", route: "/api/auth/*", status: 200 }]);
  expect(JSON.stringify(lines)).not.toContain("canary");
});
