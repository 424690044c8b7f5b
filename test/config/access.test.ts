import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { problemOf } from "../http/problem.ts";
import { signer } from "../http/signing.ts";
import { BASIC } from "./instance.ts";
import { type ConfigPlatform, configPlatform } from "./platform.ts";

const CANARY = "canary-of-the-secrets-store";

let platform: ConfigPlatform;
let callers: Record<string, Record<string, string>>;
beforeAll(async () => {
  platform = await configPlatform();
  const { good, sign, claims } = await signer(platform);
  const { iat = 0 } = claims();
  const [service, user] = [await platform.serviceToken(), await good({ azp: "console", realm_access: { roles: ["ADMIN"] } })];
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  callers = {
    nobody: {},
    "a stranger's password": { authorization: `Basic ${btoa("config:wrong")}` },
    "another name": { authorization: `Basic ${btoa("admin:of-the-tests")}` },
    "no base64": { authorization: "Basic §§§" },
    "another scheme": { authorization: "Digest x" },
    reader: { authorization: BASIC },
    user: bearer(user),
    service: bearer(service),
    "a user with the service's role, signed in by it": bearer(await good({ azp: "auth-service", preferred_username: "usr01", realm_access: { roles: ["INTERNAL_SERVICE"] } })),
    "another service": bearer(await good({ azp: "order-service", preferred_username: "service-account-order-service", realm_access: { roles: ["INTERNAL_SERVICE"] } })),
    expired: bearer(await sign({ ...claims(), iat: iat - 600, exp: iat - 300 })),
    "service, by token header": { "x-config-token": service },
    "reader with a service's token": { authorization: BASIC, "x-config-token": service },
    "reader with a user's token": { authorization: BASIC, "x-config-token": user },
    "reader with an expired token": { authorization: BASIC, "x-config-token": await sign({ ...claims(), iat: iat - 600, exp: iat - 300 }) },
    "reader with a secrets store's token": { authorization: BASIC, "x-config-token": "hvs.CAESIJ" },
    "a secrets store's token alone": { "x-config-token": "hvs.CAESIJ" },
    "a stranger with a service's token": { authorization: `Basic ${btoa("config:wrong")}`, "x-config-token": service },
  };
  await platform.keep("platform/auth-service/default", { password: CANARY, nested: { list: [1, "two"], truth: true }, nothing: null });
  await platform.keep("platform/auth-service/dev", { password: `${CANARY}-dev` });
  await platform.keep("platform/order-service/dev", { password: `${CANARY}-of-orders` });
});
afterAll(() => platform.close());

type Environment = { propertySources: { name: string; source: Record<string, unknown> }[] };

/** What comes of asking: a code, or whether secrets are among the answer. */
async function outcome(call: ConfigPlatform["call"], path: string, headers: Record<string, string>): Promise<string> {
  const response = await call(path, headers);
  if (response.status !== 200) return (await problemOf(response)).code;
  expect(response.headers.get("cache-control")).toBe("no-store");
  return (await response.text()).includes(CANARY) ? "secrets" : "files";
}

const MATRIX: Record<string, [there: string, onLoopback: string]> = {
  nobody: ["UNAUTHENTICATED_401", "files"],
  "a stranger's password": ["UNAUTHENTICATED_401", "UNAUTHENTICATED_401"],
  "another name": ["UNAUTHENTICATED_401", "UNAUTHENTICATED_401"],
  "no base64": ["UNAUTHENTICATED_401", "UNAUTHENTICATED_401"],
  "another scheme": ["UNAUTHENTICATED_401", "UNAUTHENTICATED_401"],
  reader: ["files", "files"],
  user: ["FORBIDDEN_403", "FORBIDDEN_403"],
  service: ["secrets", "secrets"],
  "a user with the service's role, signed in by it": ["files", "files"],
  "another service": ["files", "files"],
  expired: ["UNAUTHENTICATED_401", "UNAUTHENTICATED_401"],
  "service, by token header": ["secrets", "secrets"],
  "reader with a service's token": ["secrets", "secrets"],
  "reader with a user's token": ["FORBIDDEN_403", "FORBIDDEN_403"],
  "reader with an expired token": ["UNAUTHENTICATED_401", "UNAUTHENTICATED_401"],
  "reader with a secrets store's token": ["files", "files"],
  "a secrets store's token alone": ["UNAUTHENTICATED_401", "files"],
  "a stranger with a service's token": ["UNAUTHENTICATED_401", "UNAUTHENTICATED_401"],
};

describe.for(["/auth-service/dev", "/auth-service/dev/main", "/auth-service-dev.yml", "/auth-service-dev.properties", "/main/auth-service-dev.json", "/auth-service/dev/main/banner.txt"])("%s", (path) => {
  test("is read by who may, with a service's own secrets for the service alone", async () => {
    const onLoopback = platform.instance({ settings: { LOOPBACK: "on" } });
    const outcomes: Record<string, [string, string]> = {};
    for (const [name, headers] of Object.entries(callers)) outcomes[name] = [await outcome(platform.call, path, headers), await outcome(onLoopback, path, headers)];
    expect(outcomes).toEqual(MATRIX);
  });
});

test("on loopback, another name for this machine opens nothing: a page elsewhere could have it lead here", async () => {
  const onLoopback = platform.instance({ settings: { LOOPBACK: "on" } });
  for (const host of ["127.0.0.1:8888", "localhost", "[::1]:8888"]) expect((await onLoopback(`http://${host}/auth-service/dev`)).status).toBe(200);
  for (const host of ["rebound.example", "localhost.example", "0.0.0.0", "127.0.0.1.example", "[::2]"]) {
    expect((await onLoopback(`http://${host}/auth-service/dev`)).status, host).toBe(401);
  }
});

test("who sends nothing is told both ways to authenticate", async () => {
  const response = await platform.call("/auth-service/dev");
  expect(response.headers.get("www-authenticate")).toBe('Basic realm="configuration", charset="UTF-8", Bearer');
});

test("secrets stand on top, those of the last profile first, flattened", async () => {
  const response = await platform.call("/auth-service/default,dev", { ...callers["service"], accept: "application/vnd.spring-cloud.config-server.v2+json" });
  const { propertySources } = (await response.json()) as Environment;
  const origin = "secret/platform/auth-service/default";
  expect(propertySources).toEqual([
    { name: "secrets:platform/auth-service/dev", source: { password: { value: `${CANARY}-dev`, origin: "secret/platform/auth-service/dev" } } },
    {
      name: "secrets:platform/auth-service/default",
      source: {
        password: { value: CANARY, origin },
        "nested.list[0]": { value: 1, origin },
        "nested.list[1]": { value: "two", origin },
        "nested.truth": { value: true, origin },
        nothing: { value: "", origin },
      },
    },
    { name: "bundle:/auth-service.yml", source: { own: { value: "auth-service", origin: "1:6" } } },
    { name: "bundle:/application.yml", source: expect.anything() },
  ]);
});

test("placeholders in files see the secrets, for who has them", async () => {
  expect(await (await platform.call("/auth-service/dev/main/banner.txt", callers["service"])).text()).toBe(`password ${CANARY}-dev`);
  expect(await (await platform.call("/auth-service/dev/main/banner.txt", callers["reader"])).text()).toBe("password from-a-file");
});

test("a service has no secrets of another, whatever it asks for beside its own", async () => {
  const service = callers["service"] ?? {};
  expect(await outcome(platform.call, "/order-service/dev", service)).toBe("files");
  expect(await outcome(platform.call, "/application/dev", service)).toBe("files");
  const { propertySources } = (await (await platform.call("/order-service,auth-service/dev", service)).json()) as Environment;
  expect(JSON.stringify(propertySources)).not.toContain("of-orders");
  expect(propertySources[0]?.name).toBe("secrets:platform/auth-service/dev");
});

test("names that the secrets store has not are not asked for", async () => {
  const before = platform.asked.length;
  expect(await outcome(platform.call, "/auth-service/DEV,Überall,a.b", callers["service"] ?? {})).toBe("files");
  expect(platform.asked.slice(before)).toEqual([]);
});

test.for([
  ["away", () => Promise.reject(new TypeError("refused")), "UPSTREAM_UNAVAILABLE_503"],
  ["full", () => new Response("{}", { status: 503 }), "UPSTREAM_UNAVAILABLE_503"],
  ["no store", () => new Response("<html>"), "UPSTREAM_BAD_ANSWER_502"],
] as const)("a secrets store that is %s is a problem of those who would get secrets, and of nobody else", async ([, wire, code]) => {
  const call = platform.instance({ wire });
  expect(await outcome(call, "/auth-service/dev", callers["service"] ?? {})).toBe(code);
  expect(await outcome(call, "/order-service/dev", callers["service"] ?? {})).toBe("files");
  expect(await outcome(call, "/auth-service/dev", callers["reader"] ?? {})).toBe("files");
  expect((await call("/actuator/health/liveness")).status).toBe(200);
});

test("no secret, password or token is in the log", () => {
  const log = JSON.stringify(platform.log);
  expect(platform.log.length).toBeGreaterThan(100);
  for (const secret of [CANARY, "of-the-tests", BASIC, callers["service"]?.["authorization"] ?? ""]) expect(log).not.toContain(secret);
});

test("health names the configuration and the secrets store", async () => {
  const health = (await (await platform.call("/actuator/health")).json()) as { components: Record<string, { status: string }> };
  expect(Object.entries(health.components).map(([name, { status }]) => [name, status])).toEqual([["configuration", "UP"], ["secretsStore", "UP"]]);
});
