import * as auth from "../../src/auth/routes.ts";
import type { Access, Route } from "../../src/http/route.ts";
import * as users from "../../src/users/routes.ts";
import { person, registered, type TestPlatform, tokenOf } from "../platform.ts";
import { ADDRESS, adminToken } from "../users/people.ts";

/** One operation of one service, with what it takes to call it well. */
export type Operation = {
  /** As documents name it: `PUT /api/users/{userId}`. */
  name: string;
  service: "users" | "auth";
  method: string;
  access: Access;
  hasBody: boolean;
  /** With the path's and the query's values filled in. */
  path: (on: Subject) => string;
  body: () => Record<string, unknown> | undefined;
};

/** Whom an operation is about. */
export type Subject = { userId: string; attemptId: string };

const QUERIES: Record<string, string> = {
  "GET /api/auth/authenticate": "?username=nobody&password=Wrong-Horse-7-Battery",
  "PUT /internal/api/security-details/{userId}": "?loginFailed=false",
};

const BODIES: Record<string, () => Record<string, unknown>> = {
  "POST /api/users/register": person,
  "PUT /api/users/{userId}": () => ({ isLockUser: false, updateContactDto: { contactNumber: "9876543210", isPrimary: false }, updateAddressDto: ADDRESS }),
  "PUT /api/security-details/{userId}": () => ({ securityQuestions: [{ question: "What was your first school?", answer: "Anna" }] }),
  "POST /internal/api/login-attempts": () => ({ username: "nobody" }),
  "POST /api/auth/authenticate": () => ({ username: "nobody", password: "Wrong-Horse-7-Battery" }),
  "POST /api/auth/refresh": () => ({ refresh_token: "none.of.ours" }),
  "POST /api/auth/logout": () => ({ refresh_token: "none.of.ours" }),
  "POST /internal/api/auth/register/users": () => {
    const { primaryContactNumber, ...rest } = person();
    return { ...rest, username: `technical-${primaryContactNumber}` };
  },
};

/** Every operation there is, from the routes themselves. */
export const operations: Operation[] = [
  ...Object.values(users).map((route) => operation("users", route)),
  ...Object.values(auth).map((route) => operation("auth", route)),
];

export const withBody = operations.filter(({ hasBody }) => hasBody);
export const guarded = operations.filter(({ access }) => access !== "public");

function operation(service: Operation["service"], { method, path, access, request }: Route): Operation {
  const name = `${method.toUpperCase()} ${path}`;
  const fill = ({ userId, attemptId }: Subject) => `${path.replace("{userId}", userId).replace("{attemptId}", attemptId)}${QUERIES[name] ?? ""}`;
  return { name, service, method: method.toUpperCase(), access, hasBody: request?.body !== undefined, path: fill, body: () => BODIES[name]?.() };
}

/** A user to call about, and tokens with which each kind of access is had. */
export async function callers(platform: TestPlatform) {
  const { userId } = await registered(platform);
  const [admin, service] = [await adminToken(platform), await tokenOf(platform, "auth-service")];
  const tokens = { public: undefined, user: admin, owner: admin, admin, service };
  const tokenFor = (access: Access) => (typeof access === "string" ? tokens[access] : admin);
  const subject: Subject = { userId, attemptId: crypto.randomUUID() };
  return {
    subject,
    /** Calls as somebody who may. */
    call: ({ path, method, access }: Operation, init: { body?: RequestInit["body"]; json?: unknown; headers?: Record<string, string>; about?: Subject } = {}) => {
      const { about = subject, ...rest } = init;
      return platform.request(path(about), { method, ...rest, ...(access !== "public" && { token: tokenFor(access) }) });
    },
  };
}
