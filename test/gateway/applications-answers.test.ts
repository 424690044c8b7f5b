import { describe, expect, test } from "vitest";
import { listen } from "./platform.ts";
import { gatewayWithRegistry } from "./registered.ts";

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
