import { answer, body, route } from "../http/route.ts";
import * as schema from "./schema.ts";

export const register = route({
  access: "public",
  method: "post",
  path: "/api/users/register",
  summary: "Register a user (step 1 of 3)",
  tags: ["Users"],
  request: { headers: schema.RegisterHeaders, body: body(schema.Register) },
  responses: { 201: answer("Registered; `Location` names the user", schema.Registered) },
  problems: ["USER_ALREADY_EXISTS_409", "REGISTRATION_IN_PROGRESS_409", "IDEMPOTENCY_KEY_REUSED_422"],
});

export const getMe = route({
  access: "user",
  method: "get",
  path: "/api/users/me",
  summary: "The caller's own profile",
  tags: ["Users"],
  responses: { 200: answer("The profile", schema.Profile) },
  problems: ["ACCOUNT_LOCKED_403", "USER_NOT_FOUND_404"],
});

export const getUser = route({
  access: "owner",
  method: "get",
  path: "/api/users/{userId}",
  summary: "A user's profile",
  tags: ["Users"],
  request: { params: schema.UserId },
  responses: { 200: answer("The profile", schema.Profile) },
  problems: ["ACCOUNT_LOCKED_403", "USER_NOT_FOUND_404"],
});

export const updateUser = route({
  access: "owner",
  method: "put",
  path: "/api/users/{userId}",
  summary: "Change contact numbers, addresses and the lock (step 2 of 3)",
  tags: ["Users"],
  request: { params: schema.UserId, body: body(schema.Update) },
  responses: { 200: answer("Changed", schema.Updated) },
  problems: ["ACCOUNT_LOCKED_403", "USER_NOT_FOUND_404", "USER_ALREADY_EXISTS_409", "CONTACT_LIMIT_REACHED_409"],
});

export const getSecurityDetails = route({
  access: "owner",
  method: "get",
  path: "/api/security-details/{userId}",
  summary: "A user's security questions, without the answers",
  tags: ["Security details"],
  request: { params: schema.UserId },
  responses: { 200: answer("The questions", schema.SecurityDetails) },
  problems: ["ACCOUNT_LOCKED_403", "USER_NOT_FOUND_404", "SECURITY_DETAILS_NOT_FOUND_404"],
});

export const updateSecurityDetails = route({
  access: "owner",
  method: "put",
  path: "/api/security-details/{userId}",
  summary: "Set the security questions (step 3 of 3)",
  tags: ["Security details"],
  request: { params: schema.UserId, body: body(schema.UpdateSecurityDetails) },
  responses: { 200: answer("Set", schema.SecurityDetailsUpdated) },
  problems: ["ACCOUNT_LOCKED_403", "USER_NOT_FOUND_404"],
});

export const updateLoginFailure = route({
  access: "service",
  method: "put",
  path: "/internal/api/security-details/{userId}",
  summary: "Report how a sign-in ended",
  tags: ["Internal"],
  request: { params: schema.UserId, query: schema.LoginFailure },
  responses: { 200: answer("Counted", schema.LoginFailureUpdated) },
  problems: ["USER_NOT_FOUND_404"],
});

export const reserveLoginAttempt = route({
  access: "service",
  method: "post",
  path: "/internal/api/login-attempts",
  summary: "Reserve a guess before the identity provider is asked",
  tags: ["Internal"],
  request: { body: body(schema.LoginAttempt) },
  responses: { 201: answer("Reserved", schema.LoginAttemptReserved) },
  problems: ["ACCOUNT_LOCKED_403"],
});

export const releaseLoginAttempt = route({
  access: "service",
  method: "delete",
  path: "/internal/api/login-attempts/{userId}/{attemptId}",
  summary: "Give back a guess that was never judged",
  tags: ["Internal"],
  request: { params: schema.AttemptId },
  responses: { 204: { description: "Given back" } },
});
