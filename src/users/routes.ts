import { answer, body, route } from "../http/route.ts";
import * as examples from "./examples.ts";
import * as schema from "./schema.ts";

export const register = route({
  access: "public",
  method: "post",
  path: "/api/users/register",
  operationId: "registerUser",
  summary: "Register a user (step 1 of 3)",
  description:
    "All or nothing: whatever fails on the way, either the user is there and can sign in, or the e-mail stays free. After a 503 or 504 it is finished or undone by itself; repeated with the same `Idempotency-Key` it answers as the first would have, without one 409 while it is not undone.",
  tags: ["Users"],
  request: { headers: schema.RegisterHeaders, body: body(schema.Register, { example: examples.registration }) },
  responses: {
    201: {
      ...answer("Registered", schema.Registered, { example: examples.registered }),
      headers: { Location: { description: "Where the user is", schema: { type: "string" }, example: `/api/users/${examples.registered.userId}` } },
    },
  },
  problems: ["USER_ALREADY_EXISTS_409", "REGISTRATION_IN_PROGRESS_409", "IDEMPOTENCY_KEY_REUSED_422", "TOO_MANY_REQUESTS_429"],
});

export const getMe = route({
  access: "user",
  method: "get",
  path: "/api/users/me",
  operationId: "getOwnProfile",
  summary: "The caller's own profile",
  description: "Whose token it is, is asked; nobody's id has to be known.",
  tags: ["Users"],
  responses: { 200: answer("The profile", schema.Profile, { example: examples.profile }) },
  problems: ["ACCOUNT_LOCKED_403", "USER_NOT_FOUND_404"],
});

export const getUser = route({
  access: "owner",
  method: "get",
  path: "/api/users/{userId}",
  operationId: "getUser",
  summary: "A user's profile",
  description: "For the user, and for `ROLE_ADMIN`.",
  tags: ["Users"],
  request: { params: schema.UserId },
  responses: { 200: answer("The profile", schema.Profile, { example: examples.profile }) },
  problems: ["ACCOUNT_LOCKED_403", "USER_NOT_FOUND_404"],
});

export const updateUser = route({
  access: "owner",
  method: "put",
  path: "/api/users/{userId}",
  operationId: "updateUser",
  summary: "Change contact numbers, addresses and the lock (step 2 of 3)",
  description:
    "What is left out stays as it is; an address replaces the one of its type. Users may lock themselves, which ends their sessions; only `ROLE_ADMIN` unlocks.",
  tags: ["Users"],
  request: { params: schema.UserId, body: body(schema.Update, { examples: examples.updates }) },
  responses: { 200: answer("Changed", schema.Updated, { example: examples.updated }) },
  problems: ["ACCOUNT_LOCKED_403", "USER_NOT_FOUND_404", "USER_ALREADY_EXISTS_409", "CONTACT_LIMIT_REACHED_409"],
});

export const getSecurityDetails = route({
  access: "owner",
  method: "get",
  path: "/api/security-details/{userId}",
  operationId: "getSecurityDetails",
  summary: "A user's security questions, without the answers",
  tags: ["Security details"],
  request: { params: schema.UserId },
  responses: { 200: answer("The questions", schema.SecurityDetails, { example: examples.securityQuestions }) },
  problems: ["ACCOUNT_LOCKED_403", "USER_NOT_FOUND_404", "SECURITY_DETAILS_NOT_FOUND_404"],
});

export const updateSecurityDetails = route({
  access: "owner",
  method: "put",
  path: "/api/security-details/{userId}",
  operationId: "updateSecurityDetails",
  summary: "Set the security questions (step 3 of 3)",
  description: "Replaces all questions. Answers are kept as hashes that nothing can read back.",
  tags: ["Security details"],
  request: { params: schema.UserId, body: body(schema.UpdateSecurityDetails, { example: examples.securityAnswers }) },
  responses: { 200: answer("Set", schema.SecurityDetailsUpdated, { example: examples.securityQuestionsSet }) },
  problems: ["ACCOUNT_LOCKED_403", "USER_NOT_FOUND_404"],
});

export const updateLoginFailure = route({
  access: "service",
  method: "put",
  path: "/internal/api/security-details/{userId}",
  operationId: "reportSignIn",
  summary: "Report how a sign-in ended",
  description: "A success with an attempt id is refused with `ACCOUNT_LOCKED_403` where the user was locked since that attempt was reserved: its session is then to be ended.",
  tags: ["Internal"],
  request: { params: schema.UserId, query: schema.LoginFailure },
  responses: { 200: answer("Counted", schema.LoginFailureUpdated, { examples: examples.loginFailures }) },
  problems: ["ACCOUNT_LOCKED_403", "USER_NOT_FOUND_404"],
});

export const reserveLoginAttempt = route({
  access: "service",
  method: "post",
  path: "/internal/api/login-attempts",
  operationId: "reserveLoginAttempt",
  summary: "Reserve a guess before the identity provider is asked",
  description: "So that guesses sent at once cannot overtake the counter. One that is never settled is released after its lease.",
  tags: ["Internal"],
  request: { body: body(schema.LoginAttempt, { example: examples.attempt }) },
  responses: { 201: answer("Reserved", schema.LoginAttemptReserved, { example: examples.reservedAttempt }) },
  problems: ["ACCOUNT_LOCKED_403"],
});

export const releaseLoginAttempt = route({
  access: "service",
  method: "delete",
  path: "/internal/api/login-attempts/{userId}/{attemptId}",
  operationId: "releaseLoginAttempt",
  summary: "Give back a guess that was never judged",
  tags: ["Internal"],
  request: { params: schema.AttemptId },
  responses: { 204: { description: "Given back" } },
});
