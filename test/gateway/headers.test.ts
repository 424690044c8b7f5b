import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { gatewayBefore, type Listening, listen, raw, recorder, targetOnNode } from "./platform.ts";

const service = recorder();
const { app } = gatewayBefore({ users: service, auth: service, target: targetOnNode });

let listening: Listening;
beforeAll(async () => {
  listening = await listen(app.fetch);
});
afterAll(() => listening.close());
beforeEach(() => {
  service.seen.length = 0;
});

test("A service is sent the allowed headers and the call as the gateway began it, and nothing else", async () => {
  const sent = {
    accept: "application/json",
    "accept-language": "en",
    authorization: "Bearer abc",
    "content-type": "application/json",
    "idempotency-key": "8e03978e",
    "last-event-id": "eyJ9",
    "user-agent": "curl/8",
  };
  const response = await app.request("/api/users/register", {
    method: "POST",
    body: "{}",
    headers: {
      ...sent,
      "accept-encoding": "br",
      "cache-control": "no-cache",
      cookie: "session=1",
      "x-anything": "1",
    },
  });
  expect(response.status).toBe(200);
  expect(service.seen).toHaveLength(1);
  const { headers, body } = service.seen[0]!;
  expect(body).toBe("{}");
  expect(headers).toMatchObject(sent);
  expect(Object.keys(headers).toSorted()).toEqual([...Object.keys(sent), "traceparent", "x-deadline-ms", "x-request-id"].toSorted());
});

const FORBIDDEN: Record<string, string> = {
  "client-ip": "10.0.0.1",
  "cf-connecting-ip": "10.0.0.1",
  cookie: "JSESSIONID=1",
  forwarded: "for=10.0.0.1;host=evil",
  "keep-alive": "timeout=5",
  origin: "https://evil.test",
  "proxy-authorization": "Basic YTpi",
  "proxy-connection": "keep-alive",
  referer: "https://evil.test",
  te: "trailers",
  trailer: "x-user",
  "true-client-ip": "10.0.0.1",
  upgrade: "h2c",
  via: "1.1 evil",
  "x-client-cert": "admin",
  "x-forwarded-for": "10.0.0.1",
  "x-forwarded-host": "evil.test",
  "x-forwarded-prefix": "/internal",
  "x-forwarded-proto": "https",
  "x-forwarded-uri": "/internal",
  "x-forwarded-user": "admin",
  "x-http-method": "DELETE",
  "x-http-method-override": "DELETE",
  "x-method-override": "DELETE",
  "x-original-uri": "/internal",
  "x-original-url": "/internal",
  "x-real-ip": "10.0.0.1",
  "x-remote-user": "admin",
  "x-rewrite-url": "/internal",
  "x-roles": "ROLE_ADMIN",
  "x-user": "admin",
  "x-user-id": "USR1",
};

describe("Over the wire, a service never sees", () => {
  test.each(Object.entries(FORBIDDEN))("%s", async (name, value) => {
    const lines = [`${name}: ${value}`, `${name.toUpperCase()}: ${value}`];
    await raw(listening.port, request(...lines));
    expect(service.seen).toMatchObject([{ method: "GET", path: "/api/users/me" }]);
    expect(Object.keys(service.seen[0]!.headers)).not.toContain(name);
  });
});

test("A header named in Connection cannot take off what the gateway sets", async () => {
  await raw(listening.port, "GET /api/users/me HTTP/1.1\r\nHost: a.test\r\nConnection: close, x-request-id, traceparent, authorization\r\nAuthorization: Bearer a\r\n\r\n");
  expect(service.seen[0]!.headers).toMatchObject({ authorization: "Bearer a", "x-request-id": expect.any(String), traceparent: expect.any(String) });
});

test.each(["0", "1", "999999", "-1", "1e9", "abc"])("A deadline of %s from outside is not taken over", async (deadline) => {
  const response = await app.request("/api/users/me", { headers: { "x-deadline-ms": deadline } });
  expect(response.status).toBe(200);
  expect(Number(service.seen[0]!.headers["x-deadline-ms"])).toBeGreaterThan(9000);
  expect(Number(service.seen[0]!.headers["x-deadline-ms"])).toBeLessThanOrEqual(10_000);
});

test("A trace is joined, and the request id of the answer is the service's", async () => {
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const response = await app.request("/api/users/me", { headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, "x-request-id": "request-0001" } });
  const { headers } = service.seen[0]!;
  expect(headers["x-request-id"]).toBe("request-0001");
  expect(response.headers.get("x-request-id")).toBe("request-0001");
  expect(headers["traceparent"]).toMatch(new RegExp(`^00-${traceId}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$`));
});

test.each(["bad id", "a", "x".repeat(65), "evil\tid"])("A request id that is not one (%j) is replaced", async (id) => {
  await app.request("/api/users/me", { headers: { "x-request-id": id } });
  expect(service.seen[0]!.headers["x-request-id"]).toMatch(/^[0-9a-f]{32}$/);
});

const BODY = '{"a":1}';
const SMUGGLED = `POST /internal HTTP/1.1\r\nHost: a.test\r\n\r\n`;

describe("A request whose end could be read in two ways is refused and reaches no service", () => {
  test.each([
    ["Content-Length and Transfer-Encoding", post(["Content-Length: 4", "Transfer-Encoding: chunked"], `0\r\n\r\n${SMUGGLED}`)],
    ["Transfer-Encoding and Content-Length", post(["Transfer-Encoding: chunked", "Content-Length: 4"], `0\r\n\r\n${SMUGGLED}`)],
    ["two different lengths", post(["Content-Length: 7", "Content-Length: 9"], BODY)],
    ["two equal lengths", post(["Content-Length: 7", "Content-Length: 7"], BODY)],
    ["a list of lengths", post(["Content-Length: 7, 7"], BODY)],
    ["a signed length", post(["Content-Length: +7"], BODY)],
    ["a length that is no number", post(["Content-Length: 0x7"], BODY)],
    ["chunked that is not last", post(["Transfer-Encoding: chunked, identity"], `0\r\n\r\n${SMUGGLED}`)],
    ["an unknown transfer coding", post(["Transfer-Encoding: xchunked"], `0\r\n\r\n${SMUGGLED}`)],
    ["a space before the colon", post(["Content-Length : 7"], BODY)],
    ["a folded header", post(["X-A: 1", " Transfer-Encoding: chunked", "Content-Length: 7"], BODY)],
    ["a bare line feed", `POST /api/users/register HTTP/1.1\nHost: a.test\nContent-Length: 0\n\n`],
    ["a bare carriage return in a value", post(["X-A: 1\rTransfer-Encoding: chunked", "Content-Length: 7"], BODY)],
    ["a NUL in a value", post(["X-A: 1\0", "Content-Length: 7"], BODY)],
    ["a name that is no token", post(["X(A: 1", "Content-Length: 7"], BODY)],
    ["two hosts", `GET /api/users/me HTTP/1.1\r\nHost: a.test\r\nHost: b.test\r\nConnection: close\r\n\r\n`],
    ["no host", `GET /api/users/me HTTP/1.1\r\nConnection: close\r\n\r\n`],
    ["a host with a path", `GET /api/users/me HTTP/1.1\r\nHost: a.test/internal\r\nConnection: close\r\n\r\n`],
    ["a host with a query", `GET /api/users/me HTTP/1.1\r\nHost: a.test/internal?\r\nConnection: close\r\n\r\n`],
    ["a host with a user", `GET /api/users/me HTTP/1.1\r\nHost: x@a.test\r\nConnection: close\r\n\r\n`],
    ["a host with a quote", `GET /api/users/me HTTP/1.1\r\nHost: a';id;'.test\r\nConnection: close\r\n\r\n`],
    ["a chunk size that is no number", post(["Transfer-Encoding: chunked"], `zz\r\n${BODY}\r\n0\r\n\r\n`)],
  ])("%s", async (_, bytes) => {
    const { status } = await raw(listening.port, bytes);
    expect([400, 431, 501]).toContain(status);
    // A body that turns out to be broken after its head was handed on ends in an error there, never in a whole request.
    expect(service.seen).toEqual([]);
  });
});

describe("A client is shown of a service's answer", () => {
  const hidden = {
    connection: "x-leak",
    "content-encoding": "gzip",
    "content-length": "999",
    "keep-alive": "timeout=1",
    server: "users/1.0",
    "set-cookie": "session=1",
    "access-control-allow-origin": "*",
    "clear-site-data": "*",
    refresh: "0;url=https://evil.test",
    "strict-transport-security": "max-age=0",
    "x-internal-host": "10.0.0.7",
    "x-powered-by": "users",
    "x-debug": "stack",
  };
  const shown = {
    allow: "GET",
    "cache-control": "no-store",
    "content-type": "application/json",
    deprecation: "@1795219200",
    etag: '"1"',
    link: '</v3/api-docs>; rel="service-desc"',
    location: "/api/users/USR1",
    "retry-after": "7",
    sunset: "Sat, 31 Dec 2027 23:59:59 GMT",
    vary: "accept",
    "www-authenticate": "Bearer",
  };
  const answer = () => new Response("{}", { status: 201, headers: { ...hidden, ...shown, "x-frame-options": "ALLOWALL", "content-security-policy": "default-src *" } });

  test.each([
    ["made in this process", false],
    ["that came over a wire", true],
  ])("%s: the allowed headers, and the gateway's own", async (_, isRemote) => {
    const bare = { ...hidden, connection: "close", "content-encoding": "identity", "content-length": "2", "keep-alive": "" };
    const remote = await listen(() => new Response("{}", { status: 201, headers: { ...shown, ...bare } }));
    const fetchRemote = (request: Request) => fetch(new Request(request.url.replace("http://users.test", remote.url), request));
    const { app } = gatewayBefore({ users: { fetch: isRemote ? fetchRemote : answer } });
    const response = await app.request("/api/users/me");
    await remote.close();
    expect(response.status).toBe(201);
    expect(await response.text()).toBe("{}");
    const headers = Object.fromEntries(response.headers);
    expect(headers).toMatchObject(shown);
    for (const name of Object.keys(hidden)) expect(headers).not.toHaveProperty(name);
    expect(headers).toMatchObject({
      "content-security-policy": expect.stringMatching(/^default-src 'none'; frame-ancestors 'none';/),
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
    });
  });

  test.each(["http://users.test/api/users/1", "//users.test/x", "/\\evil.test", "https://evil.test", "x"])("no location %s", async (location) => {
    const { app } = gatewayBefore({ users: { fetch: () => Response.json({}, { status: 201, headers: { location } }) } });
    expect((await app.request("/api/users/me")).headers.get("location")).toBeNull();
  });
});

function request(...lines: string[]): string {
  return `GET /api/users/me HTTP/1.1\r\nHost: gatehouse.test\r\nConnection: close\r\n${lines.join("\r\n")}\r\n\r\n`;
}

function post(lines: string[], body: string): string {
  return `POST /api/users/register HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\nContent-Type: application/json\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
}
