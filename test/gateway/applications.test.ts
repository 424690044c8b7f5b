import { describe, expect, test } from "vitest";
import { readSettings, SettingsError } from "../../src/env.ts";
import { RESERVED } from "../../src/gateway/applications/names.ts";
import { gatewaySettings } from "../../src/settings/services.ts";
import { gatewayBefore, listen, raw, recorder, targetOnNode } from "./platform.ts";
import { gatewayWithRegistry, refused } from "./registered.ts";

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

describe("What an application answers", () => {
  test.each([
    [200, "text/html; charset=utf-8", "<h1>Orders</h1>"],
    [200, "image/png", "PNG"],
    [404, "text/html", "<h1>Not found</h1>"],
    [500, "application/json", '{"timestamp":"2026-11-21T03:22:24.122Z","status":500}'],
    [503, "text/plain", "busy"],
  ])("comes through in its own words: %i %s", async (status, type, text) => {
    const { app, instance } = gatewayWithRegistry();
    instance({}, (c) => c.body(text, status as 200, { "content-type": type }));
    const response = await app.request("/orders/x");
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toBe(type);
    expect(await response.text()).toBe(text);
  });

  test("comes with the headers of a representation, without those that rule the gateway's origin or a server before it", async () => {
    const shown = { etag: '"7"', "content-disposition": "attachment", "accept-ranges": "bytes", "x-total-count": "12", vary: "accept" };
    const hidden = {
      "set-cookie": "JSESSIONID=1; Path=/",
      "clear-site-data": '"*"',
      "service-worker-allowed": "/",
      "strict-transport-security": "max-age=1",
      "access-control-allow-origin": "*",
      "alt-svc": 'h3=":443"',
      refresh: "0;url=https://evil.test",
      "report-to": "{}",
      server: "Tomcat",
      "x-powered-by": "Orders",
      "x-accel-redirect": "/internal/x",
      "x-sendfile": "/etc/passwd",
      "x-forwarded-host": "evil.test",
      connection: "x-total-count",
      "keep-alive": "timeout=5",
      "transfer-encoding": "chunked",
      "proxy-authenticate": "Basic",
      trailer: "x",
      upgrade: "h2c",
    };
    const { app, instance } = gatewayWithRegistry();
    instance({}, () => new Response("{}", { headers: { ...shown, ...hidden } }));
    const { headers } = await app.request("/orders/x");
    expect(Object.fromEntries(headers)).toMatchObject(shown);
    for (const name of Object.keys(hidden)) expect([...headers.keys()]).not.toContain(name);
  });

  test("over the wire is not said to be compressed or of a length that it no longer has", async () => {
    const { gzipSync } = await import("node:zlib");
    const zipped = gzipSync("x".repeat(1000));
    const service = await listen(() => new Response(zipped, { headers: { "content-encoding": "gzip", "content-type": "text/plain" } }));
    const { app, hosts, instance } = gatewayWithRegistry();
    instance();
    hosts["10.0.0.7:8080"] = { fetch: (request) => fetch(request.url.replace("http://10.0.0.7:8080", service.url), { signal: request.signal }) };
    const response = await app.request("/orders/x");
    await service.close();
    expect(await response.text()).toBe("x".repeat(1000));
    expect(response.headers.get("content-encoding")).toBeNull();
    expect(response.headers.get("content-length")).toBeNull();
  });

  test("runs no script on the gateway's origin, whatever policy it brings", async () => {
    const { app, instance } = gatewayWithRegistry();
    const headers = { "content-type": "text/html", "content-security-policy": "script-src *", "x-content-type-options": "none", "x-frame-options": "ALLOWALL" };
    instance({}, () => new Response("<script src=/orders/evil.js></script>", { headers }));
    for (const path of ["/orders/x", "/orders/swagger-ui/index.html", "/orders"]) {
      const response = await app.request(path);
      expect(response.headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; style-src 'self'; img-src 'self'");
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      expect(response.headers.get("x-frame-options")).toBe("DENY");
    }
  });

  test.each([
    ["/login?x=1#y", "/orders/login?x=1#y"],
    ["login", "/orders/api/login"],
    ["../../../login", "/orders/login"],
    ["http://10.0.0.7:8080/orders/7", "/orders/orders/7"],
    ["/orders/login", "/orders/login"],
    ["/ordersx", "/orders/ordersx"],
    ["https://accounts.example/sign-in?to=x", "https://accounts.example/sign-in?to=x"],
    ["javascript:alert(1)", null],
    ["http://[", null],
  ])("redirects to where it leads through the gateway: %s", async (location, shown) => {
    const { app, instance } = gatewayWithRegistry();
    instance({}, () => new Response(null, { status: 302, headers: { location } }));
    const response = await app.request("/orders/api/x");
    expect(response.status).toBe(302);
    expect(response.headers.get("location")).toBe(shown);
  });

  test.each(["201", "304"])("of status %s comes through", async (status) => {
    const { app, instance } = gatewayWithRegistry();
    instance({}, () => new Response(null, { status: Number(status), headers: { location: "/api/7", etag: '"1"' } }));
    const response = await app.request("/orders/api", { headers: { "if-none-match": '"1"' } });
    expect(response.status).toBe(Number(status));
    expect(Object.fromEntries(response.headers)).toMatchObject({ location: "/orders/api/7", etag: '"1"' });
  });

  test.each([520, 521, 522, 523, 530])("that is the network's own (%i) is a documented problem", async (status) => {
    const { app, instance } = gatewayWithRegistry();
    instance({}, () => new Response("<h1>Web server is down: 10.0.0.7</h1>", { status, headers: { "content-type": "text/html" } }));
    const response = await app.request("/orders/x");
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ code: "UPSTREAM_BAD_ANSWER_502", detail: 'The application "orders" gave an unusable answer' });
  });

  test("that never comes is a documented problem, in time", async () => {
    const { app, hosts, instance } = gatewayWithRegistry({ timeout: 200 });
    instance();
    hosts["10.0.0.7:8080"] = { fetch: () => new Promise(() => {}) };
    const response = await app.request("/orders/x");
    expect(response.status).toBe(504);
    expect(await response.json()).toMatchObject({ code: "UPSTREAM_TIMEOUT_504", detail: 'The application "orders" did not answer in time' });
  });
});

describe("What no operator has allowed is an unknown path, and nobody is asked", () => {
  const UNKNOWN = ["/payments", "/payments/x", "/ORDERS/x", "/Orders", "/ordersx/y", "/order", "/gateway/x", "/user-service/api/users/me", "/eureka/apps", "/__proto__/x", "/constructor"];
  const CLOSED = ["/orders/internal", "/orders/internal/x", "/orders/INTERNAL/x", "/orders/actuator", "/orders/actuator/env", "/orders/Actuator/health", "/orders/ctx/actuator/env", "/orders/ctx/internal"];

  test.each([...UNKNOWN, ...CLOSED])("%s", async (path) => {
    const { app, instance, registry } = gatewayWithRegistry();
    const services = [instance(), instance({ app: "PAYMENTS", port: 8081 }), instance({ app: "USER-SERVICE", port: 8082 }), instance({ app: "GATEWAY", port: 8083 })];
    for (const method of ["GET", "POST"]) {
      const [response, unknown] = await Promise.all([path, "/unknown/path"].map((each) => app.request(each, { method })));
      expect(response!.status).toBe(404);
      const volatile = { "x-request-id": expect.any(String) };
      expect({ ...Object.fromEntries(response!.headers), ...volatile }).toEqual({ ...Object.fromEntries(unknown!.headers), ...volatile });
      expect(await response!.json()).toEqual({ ...((await unknown!.json()) as object), instance: path, traceId: expect.any(String) });
    }
    for (const { seen } of services) expect(seen).toEqual([]);
    expect(registry.seen).toEqual([]);
  });

  test.each([
    "/orders/../api/users/me",
    "/orders/..",
    "/orders/../internal/x",
    "/orders/%2e%2e/api/users/me",
    "/orders//internal",
    "/orders/./internal",
    "/orders/%69nternal",
    "/orders/%2569nternal",
    "/orders/internal%2fx",
    "/orders/x/../internal",
    "/orders/x/..%2finternal",
    "/orders/x/%2e%2e/actuator/env",
    "/orders/;/internal",
    "/orders/actuator;x=1/env",
    "/orders\\internal",
    "/orders/x\\..\\internal",
    "/orders%2finternal",
    "/%6frders/x",
    "//orders/x",
    "/orders/",
    "/orders/x/",
    "http://orders.test/orders/internal",
  ])("%s over the wire", async (target) => {
    const { app, instance, registry } = gatewayWithRegistry({ target: targetOnNode });
    const orders = instance();
    const front = await listen(app.fetch);
    const { status } = await raw(front.port, `GET ${target} HTTP/1.1\r\nHost: gatehouse.test\r\nConnection: close\r\n\r\n`);
    await front.close();
    expect([400, 404]).toContain(status);
    expect(orders.seen).toEqual([]);
    expect(registry.seen).toEqual([]);
  });

  test("Where the runtime has parsed the path, nothing but what is below the prefix is reached", async () => {
    const { app, instance } = gatewayWithRegistry();
    const orders = instance();
    for (const path of ["/orders/x/../internal", "/orders/x/%2e%2e/actuator/env", "/orders/%2e%2e/internal", "/orders/./internal/x", "/orders\\internal"]) {
      expect((await app.request(path)).status).toBe(404);
    }
    expect(orders.seen).toEqual([]);
  });
});

describe("At start, ROUTED_APPLICATIONS", () => {
  const DISCOVERY_URL = "http://eureka:pw@localhost:8761/eureka";
  const read = (ROUTED_APPLICATIONS: string) => readSettings(gatewaySettings, { ROUTED_APPLICATIONS, DISCOVERY_URL });

  test("names applications, in any case", () => {
    expect(read("orders, PAYMENTS ,order-desk_2,orders").ROUTED_APPLICATIONS).toEqual(["orders", "payments", "order-desk_2"]);
    expect(readSettings(gatewaySettings, {}).ROUTED_APPLICATIONS).toEqual([]);
  });

  test.each([...RESERVED, "API", "User-Service", "style.css", "icon.svg", "swagger-ui.html", "..", ".well-known", "a/b", "a b", "*", ":service", "-x", "örders", "a%62", "a".repeat(64)])(
    "may not name %j",
    (name) => {
      expect(() => read(`orders,${name}`)).toThrow(SettingsError);
      expect(() => read(`orders,${name}`)).toThrow(/^Cannot start with these settings:\n {2}ROUTED_APPLICATIONS: Name applications by /);
    },
  );

  test("may name nothing that the gateway answers itself", () => {
    const own = gatewayBefore({ admin: recorder() }).app.routes.map(({ path }) => path.split("/")[1]!);
    const names = [...new Set(own)].filter((name) => name !== "" && name !== "*");
    expect(names.length).toBeGreaterThan(4);
    for (const name of names) expect(() => read(name)).toThrow(SettingsError);
  });

  test("needs a registry", () => {
    expect(() => readSettings(gatewaySettings, { ROUTED_APPLICATIONS: "orders" })).toThrow("DISCOVERY_URL: Is needed to lead to ROUTED_APPLICATIONS");
  });

  test.each(["ftp://eureka:pw@localhost/eureka", "localhost:8761", "http://a/eureka,", "http://a/eureka,b", "http://eureka:%E0%A4%A@localhost/eureka"])("needs one that can be asked, not %s", (url) => {
    expect(() => readSettings(gatewaySettings, { DISCOVERY_URL: url })).toThrow(/DISCOVERY_URL: Use http or https URLs/);
  });
});

describe("No instance that is up", () => {
  test.each<[string, (platform: ReturnType<typeof gatewayWithRegistry>) => void]>([
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
