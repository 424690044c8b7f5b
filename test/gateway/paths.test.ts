import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { gatewayBefore, type Listening, listen, raw, recorder, targetOnNode } from "./platform.ts";

const service = recorder();
const { app } = gatewayBefore({ users: service, auth: service, target: targetOnNode });
const { app: unaware } = gatewayBefore({ users: service, auth: service });

let aware: Listening;
let parsed: Listening;

beforeAll(async () => {
  aware = await listen(app.fetch);
  parsed = await listen(unaware.fetch);
});
afterAll(() => Promise.all([aware.close(), parsed.close()]));
beforeEach(() => {
  service.seen.length = 0;
});

const INTERNAL = "internal/api/security-details/USR1";

const HOSTILE = [
  `/${INTERNAL}`,
  `/INTERNAL/api/security-details/USR1`,
  `//${INTERNAL}`,
  `///${INTERNAL}`,
  `/./${INTERNAL}`,
  `/%69nternal/api/security-details/USR1`,
  `/%2569nternal/api/security-details/USR1`,
  `/internal%2fapi/security-details/USR1`,
  `/api/../${INTERNAL}`,
  `/api/users/../../${INTERNAL}`,
  `/api/users/..%2f..%2f${INTERNAL}`,
  `/api/users/..%2F..%2F${INTERNAL}`,
  `/api/users/..%252f..%252f${INTERNAL}`,
  `/api/users/%2e%2e/%2e%2e/${INTERNAL}`,
  `/api/users/%2E%2E/%2E./${INTERNAL}`,
  `/api/users/.%2e/.%2e/${INTERNAL}`,
  `/api/users/%252e%252e/%252e%252e/${INTERNAL}`,
  `/api/users/..\\..\\${INTERNAL}`,
  `/api/users\\..\\..\\${INTERNAL}`,
  `/api/users/..%5c..%5c${INTERNAL}`,
  `/\\${INTERNAL}`,
  `/api/users/..;/..;/${INTERNAL}`,
  `/api/users;/../../${INTERNAL}`,
  `/api/users/me;x=1`,
  `/;/${INTERNAL}`,
  `/api/users//${INTERNAL}`,
  `/api/users/./me`,
  `/api/./users/me`,
  `/api/users/../users/me`,
  `/internal/../api/users/me`,
  `/internal/%2e%2e/api/users/me`,
  `/api//users/me`,
  `//api/users/me`,
  `/api/users/me/`,
  `/api/users/`,
  `/api/users/...`,
  `/api/%75sers/me`,
  `/api/users/%6de`,
  `/api/users/me%00`,
  `/api/users/%00/../../${INTERNAL}`,
  `/api/users/me%0d%0ax-evil:1`,
  `/api/users/me%20`,
  `/api/users/me%`,
  `/api/users/%c0%ae%c0%ae/%c0%ae%c0%ae/${INTERNAL}`,
  `/api/users/%ef%bc%8e%ef%bc%8e/${INTERNAL}`,
  `/api/users%ef%bc%8f..%ef%bc%8f${INTERNAL}`,
  `/api/users/%u002e%u002e/${INTERNAL}`,
  `/api/users/\xef\xbc\x8e\xef\xbc\x8e/${INTERNAL}`,
  `/api/users\xef\xbc\x8f${INTERNAL}`,
  `/api/users/\xc2\xa0`,
  `/api/users/me\x01`,
  `/api/users/me\t`,
  `/api/users/me,x`,
  `/api/users/me@x`,
  `/api/users/me:8080`,
  `/api/users/me+x`,
  `/api/users/me'`,
  `/api/users/me#x`,
  `/api/users/me#/../../../${INTERNAL}`,
  `/api/users/me?a=1#b`,
  `/api/usersx`,
  `/api/users-internal/me`,
  `/API/users/me`,
  `/api/Users/me`,
  `/api`,
  `/api/`,
  `/api/admin/realm-roles`,
  `/api/users/${"a".repeat(129)}`,
  `/api/users${"/a".repeat(600)}`,
  `http://users.test/api/users/me`,
  `http://users.test/${INTERNAL}`,
  `HTTP://users.test/api/users/me`,
  `https://users.test:8086/${INTERNAL}`,
  `file:///${INTERNAL}`,
  `//users.test/api/users/me`,
  `users.test/api/users/me`,
  `api/users/me`,
  `?x=/api/users/me`,
  `*`,
];

const get = (target: string) => `GET ${target} HTTP/1.1\r\nHost: gatehouse.test\r\nConnection: close\r\n\r\n`;

describe("A path that could be read in two ways, or leads nowhere, is refused and reaches no service", () => {
  test.each(HOSTILE)("%j", async (target) => {
    const { status, text } = await raw(aware.port, get(target));
    expect([400, 404]).toContain(status);
    if (status === 404) expect(text).toContain('"code":"NOT_FOUND_404"');
    expect(service.seen).toEqual([]);
  });
});

describe("Where the runtime parses the target first, a service is asked only for what the gateway itself was asked for", () => {
  test.each(HOSTILE)("%j", async (target) => {
    await raw(parsed.port, get(target));
    for (const { path } of service.seen) expect(path).toBe("/api/users/me");
  });
});

test.each([
  ["a line feed", "GET /api/users/me HTTP/1.1\nX: 1\r\nHost: gatehouse.test\r\nConnection: close\r\n\r\n"],
  ["a carriage return", "GET /api/users/me\r/internal HTTP/1.1\r\nHost: gatehouse.test\r\nConnection: close\r\n\r\n"],
  ["a second request line", "GET /api/users/x\r\nGET /internal HTTP/1.1\r\nHost: gatehouse.test\r\nConnection: close\r\n\r\n"],
  ["a space", "GET /api/users/ me HTTP/1.1\r\nHost: gatehouse.test\r\nConnection: close\r\n\r\n"],
  ["HTTP/0.9", "GET /api/users/me\r\n\r\n"],
  ["CONNECT", "CONNECT users.test:8086 HTTP/1.1\r\nHost: users.test:8086\r\nConnection: close\r\n\r\n"],
])("A request line with %s reaches no service", async (_, bytes) => {
  const { status } = await raw(aware.port, bytes);
  expect([0, 400, 404, 405]).toContain(status);
  expect(service.seen).toEqual([]);
});

test.each(["TRACE", "PROPFIND", "QUERY", "PURGE", "LOCK"])("%s is refused and reaches no service", async (method) => {
  const { status, text } = await raw(aware.port, `${method} /api/users/me HTTP/1.1\r\nHost: gatehouse.test\r\nConnection: close\r\n\r\n`);
  expect(status).toBe(405);
  expect(text).toMatch(/\r\nallow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n/i);
  expect(service.seen).toEqual([]);
});

test.each(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])("%s reaches the service as it is", async (method) => {
  const { status } = await raw(aware.port, `${method} /api/users/me HTTP/1.1\r\nHost: gatehouse.test\r\nConnection: close\r\n\r\n`);
  expect(status).toBe(200);
  expect(service.seen).toMatchObject([{ method, path: "/api/users/me" }]);
});

describe("Each prefix leads to its service, by whole segments", () => {
  test.each([
    ["/api/users", "users"],
    ["/api/users/me", "users"],
    ["/api/users/USR01KAJ4Y8R5T3M1N6P8Q0V2X4Z6", "users"],
    ["/api/security-details/USR1", "users"],
    ["/api/auth/authenticate", "auth"],
    ["/api/admin/vault-approle/a.b~c_d", "admin"],
  ] as const)("%s to %s", async (path, name) => {
    const services = { users: recorder(), auth: recorder(), admin: recorder() };
    const response = await gatewayBefore(services).app.request(path);
    expect(response.status).toBe(200);
    for (const [other, { seen }] of Object.entries(services)) expect(seen.map((one) => one.path)).toEqual(other === name ? [path] : []);
  });
});

test.each(["?", "?username=a%40b.c&password=p%2Bq", "?a=1&a=2&b", "?x=../../internal&y=%00&z=\\"])("The query %s is handed on unchanged", async (query) => {
  expect((await raw(aware.port, get(`/api/users/me${query}`))).status).toBe(200);
  expect(service.seen.map(({ search }) => search)).toEqual([query === "?" ? "" : query]);
});

test("There is no administration while there is no administration service", async () => {
  const response = await gatewayBefore().app.request("/api/admin/realm-roles");
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ code: "NOT_FOUND_404", status: 404 });
});
