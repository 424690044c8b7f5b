import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestPlatform, testPlatform } from "../platform.ts";
import { member } from "../users/people.ts";
import { type Operation, operations, type Subject } from "./operations.ts";
import { signer } from "./signing.ts";

/** What an answer comes to for who calls: let through (with this status), or refused. */
type Outcome = 200 | 201 | 204 | "401" | "403" | "404" | "wrong credentials" | "wrong refresh token";

type Row = Record<Caller, Outcome>;

const CALLERS = ["nobody", "garbage", "expired", "owner", "other", "ADMIN", "ROLE_ADMIN", "service", "service named admin", "no role"] as const;
type Caller = (typeof CALLERS)[number];

const strangers = { nobody: "401", garbage: "401", expired: "401" } as const;
const everyone = (outcome: Outcome) => Object.fromEntries(CALLERS.map((caller) => [caller, outcome])) as Row;
const ownerOrAdmin = (outcome: Outcome): Row => ({ ...everyone("403"), ...strangers, owner: outcome, ADMIN: outcome, ROLE_ADMIN: outcome });
const serviceOnly = (outcome: Outcome): Row => ({ ...everyone("403"), ...strangers, service: outcome, "service named admin": outcome });

/** Who may call what: an operation that has no row here fails. */
const TABLE: Record<string, Row> = {
  "POST /api/users/register": everyone(201),
  "GET /api/users/me": { ...everyone("404"), ...strangers, owner: 200, other: 200 },
  "GET /api/users/{userId}": ownerOrAdmin(200),
  "PUT /api/users/{userId}": ownerOrAdmin(200),
  "GET /api/security-details/{userId}": ownerOrAdmin(200),
  "PUT /api/security-details/{userId}": ownerOrAdmin(200),
  "PUT /internal/api/security-details/{userId}": serviceOnly(200),
  "POST /internal/api/login-attempts": serviceOnly(201),
  "DELETE /internal/api/login-attempts/{userId}/{attemptId}": serviceOnly(204),
  "POST /api/auth/authenticate": everyone("wrong credentials"),
  "GET /api/auth/authenticate": everyone("wrong credentials"),
  "POST /api/auth/refresh": everyone("wrong refresh token"),
  "POST /api/auth/logout": everyone("wrong refresh token"),
  "POST /internal/api/auth/register/users": serviceOnly(200),
};

const CODES: Record<string, Outcome> = {
  UNAUTHENTICATED_401: "401",
  FORBIDDEN_403: "403",
  USER_NOT_FOUND_404: "404",
  SECURITY_INVALID_CREDENTIALS_401: "wrong credentials",
  REFRESH_TOKEN_INVALID_401: "wrong refresh token",
};

let platform: TestPlatform;
let subject: Subject;
let tokens: Record<Caller, string | undefined>;
beforeAll(async () => {
  platform = await testPlatform();
  const [owner, other, { good, sign, claims }] = [await member(platform), await member(platform), await signer(platform)];
  const json = { securityQuestions: [{ question: "What was your first school?", answer: "Anna" }] };
  await platform.request(`/api/security-details/${owner.userId}`, { method: "PUT", token: owner.token, json });
  const withRoles = (roles: string[], overrides = {}) => good({ realm_access: { roles }, ...overrides });
  const { iat = 0 } = claims();
  tokens = {
    nobody: undefined,
    garbage: "a.b.c",
    expired: await sign({ ...claims(), iat: iat - 600, exp: iat - 300 }),
    owner: owner.token,
    other: other.token,
    ADMIN: await withRoles(["ADMIN"]),
    ROLE_ADMIN: await withRoles(["ROLE_ADMIN"]),
    service: await platform.serviceToken(),
    "service named admin": await withRoles(["INTERNAL_SERVICE"], { azp: "admin", client_id: "admin", preferred_username: "service-account-admin", name: "ADMIN ROLE_ADMIN" }),
    "no role": await withRoles([]),
  };
  subject = { userId: owner.userId, attemptId: crypto.randomUUID() };
});
afterAll(() => platform.close());

test("every operation has its row", () => {
  expect(operations.map(({ name }) => name).toSorted()).toEqual(Object.keys(TABLE).toSorted());
});

test("the documents list the operations and nothing else", async () => {
  const documents = await Promise.all((["users", "auth"] as const).map((service) => platform.request("/v3/api-docs", { service })));
  const paths = await Promise.all(documents.map(async (document) => ((await document.json()) as { paths: Record<string, object> }).paths));
  const names = paths.flatMap((one) => Object.entries(one).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`)));
  expect(names.toSorted()).toEqual(Object.keys(TABLE).toSorted());
});

async function outcomeFor(caller: Caller, { path, method, body }: Operation): Promise<Outcome | string> {
  const token = tokens[caller];
  await platform.database.query("DELETE FROM users.login_guards");
  const answer = await platform.request(path(subject), { method, ...(token && { token }), json: body() });
  if (answer.status < 300) return answer.status as Outcome;
  const { code } = (await answer.json()) as { code: string };
  return CODES[code] ?? code;
}

/** All that a refused call must not have touched. */
async function kept() {
  const [row] = await platform.database.query(`SELECT (SELECT string_agg(u::text, '' ORDER BY user_id) FROM users.users u) AS users,
    (SELECT count(*) FROM events.outbox) AS events`);
  return { ...row, identities: await platform.operator.people() };
}

describe.for(operations.map((operation) => [operation.name, operation] as const))("%s", ([name, operation]) => {
  test("lets through who may, and nobody else", async () => {
    const outcomes: Record<string, string | number> = {};
    for (const caller of CALLERS) {
      const before = await kept();
      const outcome = await outcomeFor(caller, operation);
      outcomes[caller] = outcome;
      if (typeof outcome === "string") expect({ caller, ...(await kept()) }).toEqual({ caller, ...before });
    }
    expect(outcomes).toEqual(TABLE[name]);
  });
});
