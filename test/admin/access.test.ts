import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PermissionsSchema } from "../../src/admin/permissions.ts";
import { signer } from "../http/signing.ts";
import { problemOf } from "../http/problem.ts";
import { member } from "../users/people.ts";
import { type AdminPlatform, adminPlatform } from "./instance.ts";
import { good, operations, prepare } from "./operations.ts";

const CALLERS = ["nobody", "garbage", "expired", "user", "ADMIN", "ROLE_ADMIN", "service", "service named admin", "own client", "lower-case admin", "no role", "refresh token"] as const;
type Caller = (typeof CALLERS)[number];
type Outcome = "let through" | "401" | "403";

const ADMINS_ONLY: Record<Caller, Outcome> = {
  nobody: "401",
  garbage: "401",
  expired: "401",
  user: "403",
  ADMIN: "let through",
  ROLE_ADMIN: "let through",
  service: "403",
  "service named admin": "403",
  "own client": "403",
  "lower-case admin": "403",
  "no role": "403",
  "refresh token": "401",
};

/** Which label covers an operation: one that has no row here fails. */
const TABLE: Record<string, string> = {
  "POST /api/admin/inter-service-clients": "create-client",
  "GET /api/admin/realm-roles": "query-realm",
  "GET /api/admin/realm-role": "query-realm",
  "POST /api/admin/realm-roles": "query-realm",
  "GET /api/admin/vault-approle": "vault-ops",
  "GET /api/admin/vault-approle/{role}": "vault-ops",
  "POST /api/admin/vault-approle": "vault-ops",
  "DELETE /api/admin/vault-approle": "vault-ops",
  "GET /api/admin/vault-approle/secrets": "vault-ops",
  "POST /api/admin/vault-secrets": "vault-ops",
  "PUT /api/admin/vault-secrets": "vault-ops",
  "GET /api/admin/vault-secrets": "vault-ops",
  "DELETE /api/admin/vault-secrets": "vault-ops",
  "GET /api/admin/vault/policies": "vault-ops",
  "POST /api/admin/vault/policies": "vault-ops",
  "DELETE /api/admin/vault/policies": "vault-ops",
  "GET /api/admin/topics": "kafka-ops",
  "POST /api/admin/topics": "kafka-ops",
  "GET /api/admin/topics/describe": "kafka-ops",
  "GET /api/admin/events/set-aside": "events-ops",
  "POST /api/admin/events/set-aside/{id}/replay": "events-ops",
  "DELETE /api/admin/events/set-aside/{id}": "events-ops",
  "GET /api/admin/audit": "audit-read",
  "GET /api/admin/audit/verify": "audit-read",
  "GET /api/admin/webhooks": "webhook-ops",
  "POST /api/admin/webhooks": "webhook-ops",
  "GET /api/admin/webhooks/{id}": "webhook-ops",
  "PUT /api/admin/webhooks/{id}": "webhook-ops",
  "DELETE /api/admin/webhooks/{id}": "webhook-ops",
  "POST /api/admin/webhooks/{id}/secret": "webhook-ops",
  "GET /api/admin/webhooks/{id}/deliveries": "webhook-ops",
  "POST /api/admin/webhooks/{id}/deliveries/{event}/retry": "webhook-ops",
  "GET /api/admin/events": "events-read",
};

let platform: AdminPlatform;
let tokens: Record<Caller, string>;
let withRoles: (roles: string[]) => Promise<string>;
beforeAll(async () => {
  platform = await adminPlatform();
  const { good: signed, sign, claims } = await signer(platform);
  withRoles = (roles, overrides = {}) => signed({ realm_access: { roles }, ...overrides });
  const { iat = 0 } = claims();
  const named = { azp: "admin", client_id: "admin", preferred_username: "service-account-admin", name: "ADMIN ROLE_ADMIN", resource_access: { admin: { roles: ["ADMIN"] } }, scope: "ROLE_ADMIN" };
  tokens = {
    nobody: "",
    garbage: "a.b.c",
    expired: await sign({ ...claims(), iat: iat - 600, exp: iat - 300 }),
    user: (await member(platform)).token,
    ADMIN: await withRoles(["ADMIN"]),
    ROLE_ADMIN: await withRoles(["ROLE_ADMIN"]),
    service: await platform.serviceToken(),
    "service named admin": await signed({ realm_access: { roles: ["INTERNAL_SERVICE"] }, ...named }),
    "own client": await tokenOfAdminService(),
    "lower-case admin": await withRoles(["admin", "role_admin", "ROLE_ROLE_ADMIN", "ADMIN "]),
    "no role": await withRoles([]),
    "refresh token": await signed({ typ: "Refresh" }),
  };
});
afterAll(() => platform.close());

async function tokenOfAdminService(): Promise<string> {
  const body = new URLSearchParams({ grant_type: "client_credentials", client_id: "admin-service", client_secret: "secret-of-admin-service" });
  const response = await platform.identity(new Request(`${platform.issuer}/protocol/openid-connect/token`, { method: "POST", body }));
  return ((await response.json()) as { access_token: string }).access_token;
}

test("every operation has its row", () => {
  expect(Object.fromEntries(operations.map(({ name, permission }) => [name, permission]))).toEqual(TABLE);
});

test("the document lists the operations and nothing else, each with its errors and a name of its own", async () => {
  type Described = { summary?: string; operationId?: string; security?: unknown[]; responses: Record<string, { description: string }> };
  const document = (await (await platform.call("GET", "/v3/api-docs", { token: "" })).json()) as { paths: Record<string, Record<string, Described>> };
  const described = Object.entries(document.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, one]) => [`${method.toUpperCase()} ${path}`, one] as const));
  expect(described.map(([name]) => name).toSorted()).toEqual(Object.keys(TABLE).toSorted());
  expect(new Set(described.map(([, { operationId }]) => operationId)).size).toBe(operations.length);
  for (const [name, { summary, security, responses }] of described) {
    expect({ name, summary, security }).toEqual({ name, summary: expect.stringMatching(/./), security: [{ bearer: [] }] });
    expect(Object.keys(responses)).toEqual(expect.arrayContaining([name === "POST /api/admin/webhooks" ? "201" : "200", "401", "403", "500", "502", "503", "504"]));
  }
});

describe.for(operations.map((operation) => [operation.name, operation] as const))("%s", ([, operation]) => {
  test("lets an administrator through and nobody else, who reaches nothing", async () => {
    const outcomes: Record<string, string> = {};
    for (const caller of CALLERS) {
      const [method, path, init] = good(operation);
      // What the sample deletes is there again for the next.
      await prepare(platform);
      let response = new Response();
      const sent = await platform.sentBy(async () => {
        response = await platform.call(method, path, { ...init, token: tokens[caller] });
      });
      outcomes[caller] = response.ok ? "let through" : String((await problemOf(response)).status);
      if (response.status >= 300) expect({ caller, sent }).toEqual({ caller, sent: [] });
      expect({ caller, cache: response.headers.get("cache-control") }).toEqual({ caller, cache: "no-store" });
    }
    expect(outcomes).toEqual(ADMINS_ONLY);
  });
});

test("a label is given to other roles in the configuration, for its own operations only", async () => {
  const permissions = PermissionsSchema.parse({ "vault-ops": ["VAULT", "ROLE_OPERATIONS"], "kafka-ops": [] });
  const instance = platform.adminInstance({}, { permissions });
  const [vault, operator, admin] = [await withRoles(["VAULT"]), await withRoles(["OPERATIONS"]), await withRoles(["ADMIN"])];
  for (const operation of operations) {
    const statuses: Record<string, number> = {};
    for (const [caller, token] of Object.entries({ vault, operator, admin })) {
      const [method, path, init] = good(operation);
      await prepare(platform);
      const response = await instance.call(method, path, { ...init, token });
      statuses[caller] = response.ok ? 200 : response.status;
    }
    const isVault = operation.permission === "vault-ops";
    const expected = operation.permission === "kafka-ops" ? { vault: 403, operator: 403, admin: 403 } : isVault ? { vault: 200, operator: 200, admin: 403 } : { vault: 403, operator: 403, admin: 200 };
    expect({ name: operation.name, ...statuses }).toEqual({ name: operation.name, ...expected });
  }
});

test("a table of permissions names labels there are, and roles", () => {
  expect(PermissionsSchema.parse({})).toEqual(Object.fromEntries(["create-client", "query-realm", "vault-ops", "kafka-ops", "audit-read", "events-ops", "webhook-ops", "events-read"].map((label) => [label, ["ROLE_ADMIN"]])));
  for (const wrong of [{ "vault-op": ["ADMIN"] }, { "vault-ops": "ADMIN" }, { "vault-ops": [""] }, { "vault-ops": [" "] }, []]) expect(PermissionsSchema.safeParse(wrong).success).toBe(false);
});
