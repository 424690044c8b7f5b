import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestPlatform, testPlatform } from "../platform.ts";
import { member, type Member } from "../users/people.ts";
import { guarded, operations, withBody } from "./operations.ts";
import { problemOf } from "./problem.ts";

let platform: TestPlatform;
let user: Member;
beforeAll(async () => {
  platform = await testPlatform();
  user = await member(platform);
});
afterAll(() => platform.close());

const SERVICES = ["users", "auth"] as const;

test("what is not there is a 404 problem, a method that is not there a 405 that names the others", async () => {
  for (const service of SERVICES) {
    for (const path of ["/", "/nothing", "/api/users/", "/api//users/me", "/API/users/me", "/internal", "/api/users/me/x", "/v3", "/actuator/", "/actuator/nothing"]) {
      expect({ path, ...(await problemOf(await platform.request(path, { service }))) }).toEqual({ path, status: 404, code: "NOT_FOUND_404" });
    }
  }
  const allowed: Record<string, string[]> = {
    "/api/users/register": ["POST", "GET", "HEAD", "PUT"],
    "/api/users/USR0": ["GET", "HEAD", "PUT"],
    "/api/security-details/USR0": ["GET", "HEAD", "PUT"],
    "/internal/api/login-attempts": ["POST"],
    "/api/auth/authenticate": ["POST", "GET", "HEAD"],
    "/api/auth/refresh": ["POST"],
  };
  for (const [path, methods] of Object.entries(allowed)) {
    for (const method of ["PATCH", "OPTIONS", "DELETE"]) {
      const answer = await platform.request(path, { method, token: user.token });
      expect({ path, allow: answer.headers.get("allow")?.split(", ").toSorted() }).toEqual({ path, allow: methods.toSorted() });
      expect(await problemOf(answer)).toEqual({ status: 405, code: "METHOD_NOT_ALLOWED_405" });
    }
  }
});

test("a problem names the path asked for and the trace it belongs to", async () => {
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
  const answer = await platform.request("/api/users/a%2Fb%20c?x=secret", { headers });
  expect(await answer.json()).toMatchObject({ traceId, instance: "/api/users/a%2Fb%20c" });
});

const idOf = async (id: string) => (await platform.request("/actuator/health/liveness", { headers: { "x-request-id": id } })).headers.get("x-request-id");

test("a request id of ours or a harmless one is kept, a hostile one replaced", async () => {
  for (const id of ["12345678", "a".repeat(64), "A-b_c.d-0123"]) expect(await idOf(id)).toBe(id);
  for (const id of ["", "1234567", "a".repeat(65), "abcd efgh", 'x"><script>1</script>', "abcdefgh;x=1", "abcdefghé", "${jndi:ldap://x}", "../../../etc/passwd", "%0d%0aSet-Cookie:x", "\u001b[31mabcdefgh".slice(1)]) {
    expect({ id, replaced: await idOf(id) }).toEqual({ id, replaced: expect.stringMatching(/^[0-9a-f]{32}$/) });
  }
});

test("the request id and the trace go with the call to every system, a malformed trace begins anew", async () => {
  const seen: Headers[] = [];
  const { request } = platform.instance({
    users: (asked, pass) => (seen.push(asked.headers), pass(asked)),
    identity: (asked, pass) => (asked.url.endsWith("/token") && seen.push(asked.headers), pass(asked)),
  });
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  let names = 0;
  const send = async (traceparent: string) => {
    seen.length = 0;
    names += 1;
    const headers = { traceparent, "x-request-id": "request-of-a-test" };
    await request("/api/auth/authenticate", { method: "POST", headers, json: { username: `nobody-${names}`, password: "Wrong-Horse-7-Battery" } });
    expect(seen.length).toBeGreaterThanOrEqual(3);
    for (const given of seen) {
      expect(given.get("x-request-id")).toBe("request-of-a-test");
      expect(Number(given.get("x-deadline-ms"))).toBeLessThanOrEqual(8000);
      expect(given.get("traceparent")).toMatch(/^00-[0-9a-f]{32}-(?!00f067aa0ba902b7)[0-9a-f]{16}-[0-9a-f]{2}$/);
    }
    return [...new Set(seen.map((given) => given.get("traceparent")?.slice(3, 35)))];
  };
  expect(await send(`00-${traceId}-00f067aa0ba902b7-01`)).toEqual([traceId]);
  for (const malformed of [`00-${"0".repeat(32)}-00f067aa0ba902b7-01`, `00-${traceId}-${"0".repeat(16)}-01`, `01-${traceId}-00f067aa0ba902b7-01`, `00-${traceId.toUpperCase()}-00f067aa0ba902b7-01`, `00-${traceId}-00f067aa0ba902b7-01, x`, "x"]) {
    const [fresh, ...more] = await send(malformed);
    expect({ malformed, isFresh: fresh !== traceId && /^(?!0{32})[0-9a-f]{32}$/.test(fresh ?? ""), more }).toEqual({ malformed, isFresh: true, more: [] });
  }
});

test("every answer forbids sniffing, framing and scripts, and none that a token or a refusal brings is kept", async () => {
  const paths = ["/actuator/health", "/v3/api-docs", "/nothing", "/api/users/me", `/api/users/${user.userId}`, "/api/auth/authenticate?username=nobody&password=Wrong-Horse-7-Battery"];
  for (const path of paths) {
    const { headers } = await platform.request(path, { token: user.token });
    expect({ path, ...Object.fromEntries(headers) }).toMatchObject({
      path,
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
      "referrer-policy": "no-referrer",
      ...(path !== "/v3/api-docs" && { "cache-control": "no-store" }),
    });
    expect(headers.get("x-powered-by") ?? headers.get("server")).toBeNull();
  }
});

describe("documents", () => {
  type Document = { openapi: string; paths: Record<string, Record<string, { responses: Record<string, { description: string; content?: object }>; security: object[]; deprecated?: boolean }>>; components: Record<string, Record<string, object>> };
  const documents = () => Promise.all(SERVICES.map(async (service) => (await (await platform.request("/v3/api-docs", { service })).json()) as Document));

  test("are OpenAPI 3.1 whose references all lead somewhere", async () => {
    for (const document of await documents()) {
      expect(document.openapi).toBe("3.1.0");
      const references = JSON.stringify(document).match(/"#\/[^"]+"/g) ?? [];
      expect(references.length).toBeGreaterThan(5);
      for (const reference of references.map((text) => text.slice(3, -1).split("/"))) {
        expect({ reference, found: reference.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document) }).toEqual({ reference, found: expect.any(Object) });
      }
    }
  });

  test("name for every operation who may call it and every code it may be refused with", async () => {
    const described = Object.fromEntries((await documents()).flatMap(({ paths }) => Object.entries(paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation]))));
    const always = ["INTERNAL_ERROR_500", "UPSTREAM_BAD_ANSWER_502", "UPSTREAM_UNAVAILABLE_503", "UPSTREAM_TIMEOUT_504"];
    for (const { name, access } of operations) {
      const { responses, security } = described[name]!;
      const codes = new Set(Object.values(responses).flatMap(({ description }) => description.match(/[A-Z_]+_\d{3}/g) ?? []));
      expect({ name, missing: always.filter((code) => !codes.has(code)) }).toEqual({ name, missing: [] });
      expect({ name, security }).toEqual({ name, security: access === "public" ? [] : [{ bearer: [] }] });
      for (const [status, { description, content }] of Object.entries(responses)) {
        if (Number(status) >= 400) expect({ name, status, type: Object.keys(content ?? {}), isNamed: description.includes(`_${status}`) }).toEqual({ name, status, type: ["application/problem+json"], isNamed: true });
      }
    }
    for (const { name } of guarded) expect(described[name]!.responses["401"]?.description).toContain("UNAUTHENTICATED_401");
    for (const { name } of withBody) expect(Object.keys(described[name]!.responses)).toEqual(expect.arrayContaining(["400", "413", "415"]));
    expect(described["GET /api/auth/authenticate"]!.deprecated).toBe(true);
  });
});

test("the old way to sign in says that it is deprecated, right or wrong, and can be switched off", async () => {
  const query = (password: string) => `/api/auth/authenticate?${new URLSearchParams({ username: user.userId, password })}`;
  for (const [password, status] of [[user.password, 200], ["Wrong-Horse-7-Battery", 401]] as const) {
    const answer = await platform.request(query(password));
    expect({ status: answer.status, deprecation: answer.headers.get("deprecation") }).toEqual({ status, deprecation: expect.stringMatching(/^@\d+$/) });
  }
  const without = platform.instance({}, { LEGACY_GET_LOGIN: "off" });
  const answer = await without.request(query(user.password));
  expect({ ...(await problemOf(answer)), allow: answer.headers.get("allow") }).toEqual({ status: 405, code: "METHOD_NOT_ALLOWED_405", allow: "POST" });
  expect((await without.request("/api/auth/authenticate", { method: "POST", json: { username: user.userId, password: user.password } })).status).toBe(200);
});
