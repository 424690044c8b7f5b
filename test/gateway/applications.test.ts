import { describe, expect, test } from "vitest";
import { gatewayBefore, listen, raw, targetOnNode } from "./platform.ts";
import { gatewayWithRegistry, refused, type RegisteredPlatform } from "./registered.ts";

describe("An allowed application", () => {
  test.each([
    ["/orders", "/", ""],
    ["/orders/api/orders/7", "/api/orders/7", ""],
    ["/orders/orders", "/orders", ""],
    ["/orders?page=2&sort=a%20b", "/", "?page=2&sort=a%20b"],
    ["/orders/api?x=../../internal", "/api", "?x=../../internal"],
    ["/orders/internals", "/internals", ""],
    ["/orders/actuators/x", "/actuators/x", ""],
  ])("is asked for %s without its prefix", async (path, handedOn, search) => {
    const { app, instance } = gatewayWithRegistry();
    const orders = instance();
    const response = await app.request(path);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ fine: true });
    expect(orders.seen).toMatchObject([{ method: "GET", path: handedOn, search }]);
  });

  test.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])("gets a %s with its body", async (method) => {
    const { app, instance } = gatewayWithRegistry();
    const orders = instance();
    const body = method === "OPTIONS" ? undefined : '{"a":1}';
    expect((await app.request("/orders/api", { method, body })).status).toBe(200);
    expect(orders.seen).toMatchObject([{ method, path: "/api", body: body ?? "" }]);
  });

  test("is one in other case, and has its instances by its upper-case name", async () => {
    const { app, instance, registry } = gatewayWithRegistry({ names: ["order-desk_2"] });
    const desk = instance({ app: "ORDER-DESK_2" });
    expect((await app.request("/order-desk_2/x")).status).toBe(200);
    expect((await app.request("/ORDER-DESK_2/x")).status).toBe(404);
    expect(desk.seen).toHaveLength(1);
    expect(registry.seen).toMatchObject([{ path: "/eureka/apps/ORDER-DESK_2" }]);
  });
});

describe("What an application is sent", () => {
  const CLAIMS: Record<string, string> = {
    cookie: "session=1",
    forwarded: "for=10.0.0.1;host=evil",
    "x-forwarded-for": "10.0.0.1",
    "x-forwarded-host": "evil.test",
    "x-forwarded-prefix": "/evil",
    "x-forwarded-proto": "gopher",
    "x-forwarded-port": "1",
    "x-forwarded-ssl": "on",
    "x-user": "admin",
    "x-remote-user": "admin",
    "x-roles": "ROLE_ADMIN",
    "x-http-method-override": "DELETE",
    "x-original-url": "/internal",
    "proxy-authorization": "Basic YTpi",
    te: "trailers",
    "keep-alive": "timeout=5",
    "x-real-ip": "10.0.0.1",
    origin: "https://evil.test",
    referer: "https://evil.test",
  };

  test("names the gateway, the prefix and the caller's address, and nothing that the caller claims of them or of itself", async () => {
    const { app, instance } = gatewayWithRegistry({ origin: "https://gatehouse.example" });
    const orders = instance();
    const sent = { accept: "text/html", authorization: "Bearer abc", "if-none-match": '"7"', range: "bytes=0-9", "user-agent": "curl/8" };
    const response = await app.request("/orders/api", { headers: { ...CLAIMS, ...sent } });
    expect(response.status).toBe(200);
    const { headers } = orders.seen[0]!;
    const forwarded = {
      "x-forwarded-for": "192.0.2.1",
      "x-forwarded-host": "gatehouse.example",
      "x-forwarded-proto": "https",
      "x-forwarded-prefix": "/orders",
    };
    expect(headers).toMatchObject({ ...sent, ...forwarded });
    const own = ["traceparent", "x-deadline-ms", "x-request-id"];
    expect(Object.keys(headers).toSorted()).toEqual([...Object.keys(sent), ...Object.keys(forwarded), ...own].toSorted());
  });

  test("over the wire holds no hop-by-hop header, and the address that the request was sent to", async () => {
    const { app, instance } = gatewayWithRegistry({ target: targetOnNode });
    const orders = instance();
    const front = await listen(app.fetch);
    const lines = Object.entries(CLAIMS).map(([name, value]) => `${name.toUpperCase()}: ${value}\r\n`);
    const request = `GET /orders/api HTTP/1.1\r\nHost: gatehouse.test:81\r\n${lines.join("")}Connection: close, authorization, x-request-id\r\nAuthorization: Bearer a\r\n\r\n`;
    const { status } = await raw(front.port, request);
    await front.close();
    expect(status).toBe(200);
    const { headers } = orders.seen[0]!;
    expect(headers).toMatchObject({ authorization: "Bearer a", "x-forwarded-host": "gatehouse.test:81", "x-forwarded-proto": "http", "x-forwarded-prefix": "/orders" });
    for (const name of Object.keys(CLAIMS).filter((name) => !name.startsWith("x-forwarded-"))) expect(Object.keys(headers)).not.toContain(name);
    expect(headers["x-forwarded-for"]).toBe("192.0.2.1");
    expect(Object.keys(headers)).not.toContain("x-forwarded-port");
  });
});

describe("No instance that is up", () => {
  test.each<[string, (platform: RegisteredPlatform) => void]>([
    ["is registered", () => {}],
    ["is among those that are down, starting or out of service", ({ instance }) => ["DOWN", "STARTING", "OUT_OF_SERVICE", "UNKNOWN"].forEach((status, index) => instance({ status, port: 9000 + index }))],
    ["has a URL that may be called", ({ instance }) => void instance({ host: "169.254.169.254" })],
  ])("%s: 503, with when to try again", async (_, prepare) => {
    const platform = gatewayWithRegistry();
    prepare(platform);
    const response = await platform.app.request("/orders/x");
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("5");
    expect(await response.json()).toMatchObject({ code: "UPSTREAM_UNAVAILABLE_503", detail: 'The application "orders" has no instance that is up', instance: "/orders/x" });
  });

  test.each(["169.254.169.254", "2852039166", "metadata.google.internal", "fe80::1", "0.0.0.0", "::ffff:169.254.169.254"])("is called at %s", async (host) => {
    const { app, instance, registry } = gatewayWithRegistry();
    const asked: string[] = [];
    const { app: watching } = gatewayBefore({ applications: { registry: registry.client, names: ["orders"], sharesPending: true, fetch: (request) => (asked.push(request.url), refused()) } });
    instance({ host });
    for (const each of [app, watching]) expect((await each.request("/orders/latest/meta-data")).status).toBe(503);
    expect(asked).toEqual([]);
  });
});
