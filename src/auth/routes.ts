import { answer, body, route } from "../http/route.ts";
import { z } from "@hono/zod-openapi";
import * as schema from "./schema.ts";

const signedIn = {
  200: {
    description: "The access token; the whole token response where `application/json` is accepted",
    content: {
      "text/plain": { schema: z.string().openapi({ example: "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.e30.c2ln" }) },
      "application/json": { schema: schema.TokenResponse },
    },
  },
};

const signInProblems = ["SECURITY_INVALID_CREDENTIALS_401", "ACCOUNT_LOCKED_403", "TOO_MANY_REQUESTS_429"] as const;

export const authenticate = route({
  access: "public",
  method: "post",
  path: "/api/auth/authenticate",
  summary: "Sign in",
  tags: ["Authentication"],
  request: { body: body(schema.Credentials) },
  responses: signedIn,
  problems: signInProblems,
});

export const authenticateByQuery = route({
  access: "public",
  method: "get",
  path: "/api/auth/authenticate",
  summary: "Sign in with credentials in the query",
  description: "Queries end up in logs and histories: use `POST`. Offered while `LEGACY_GET_LOGIN` is on.",
  deprecated: true,
  tags: ["Authentication"],
  request: { query: schema.Credentials },
  responses: signedIn,
  problems: signInProblems,
});

export const refresh = route({
  access: "public",
  method: "post",
  path: "/api/auth/refresh",
  summary: "New tokens for a refresh token, which is used up",
  tags: ["Authentication"],
  request: { body: body(schema.RefreshToken) },
  responses: { 200: answer("The tokens", schema.TokenResponse) },
  problems: ["REFRESH_TOKEN_INVALID_401", "TOO_MANY_REQUESTS_429"],
});

export const logout = route({
  access: "public",
  method: "post",
  path: "/api/auth/logout",
  summary: "End the session of a refresh token",
  tags: ["Authentication"],
  request: { body: body(schema.RefreshToken) },
  responses: { 204: { description: "Ended" } },
  problems: ["REFRESH_TOKEN_INVALID_401", "TOO_MANY_REQUESTS_429"],
});

export const createIdentityUser = route({
  access: "service",
  method: "post",
  path: "/internal/api/auth/register/users",
  summary: "Create a user at the identity provider only",
  tags: ["Internal"],
  request: { body: body(schema.NewIdentityUser) },
  responses: { 200: answer("Created", schema.IdentityUserCreated) },
  problems: ["USER_ALREADY_EXISTS_409"],
});
