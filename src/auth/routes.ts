import { answer, body, route } from "../http/route.ts";
import { z } from "@hono/zod-openapi";
import * as examples from "./examples.ts";
import * as schema from "./schema.ts";

const signedIn = {
  200: {
    description: "The access token as plain text; all tokens where `application/json` is accepted and plain text is not",
    content: {
      "text/plain": { schema: z.string(), example: examples.token },
      "application/json": { schema: schema.TokenResponse, example: examples.tokens },
    },
  },
};

const signInProblems = ["SECURITY_INVALID_CREDENTIALS_401", "ACCOUNT_LOCKED_403", "TOO_MANY_REQUESTS_429"] as const;

export const authenticate = route({
  access: "public",
  method: "post",
  path: "/api/auth/authenticate",
  operationId: "authenticate",
  summary: "Sign in",
  description:
    "The answer is an access token for the `Authorization` header, where it stands after `Bearer`. Unknown users and wrong passwords are answered alike. " +
    "After five failures the account is locked for a minute, doubling to 15 minutes.",
  tags: ["Authentication"],
  request: { body: body(schema.Credentials, { example: examples.credentials }) },
  responses: signedIn,
  problems: signInProblems,
});

export const authenticateByQuery = route({
  access: "public",
  method: "get",
  path: "/api/auth/authenticate",
  operationId: "authenticateByQuery",
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
  operationId: "refreshTokens",
  summary: "New tokens for a refresh token, which is used up",
  description: "One that comes a second time was stolen or lost its answer: it is refused.",
  tags: ["Authentication"],
  request: { body: body(schema.RefreshToken, { example: examples.refresh }) },
  responses: { 200: answer("The tokens", schema.TokenResponse, { example: examples.tokens }) },
  problems: ["REFRESH_TOKEN_INVALID_401", "TOO_MANY_REQUESTS_429"],
});

export const logout = route({
  access: "public",
  method: "post",
  path: "/api/auth/logout",
  operationId: "logout",
  summary: "End the session of a refresh token",
  description: "Access tokens that were issued in it are good until they run out, at most a few minutes.",
  tags: ["Authentication"],
  request: { body: body(schema.RefreshToken, { example: examples.refresh }) },
  responses: { 204: { description: "Ended" } },
  problems: ["REFRESH_TOKEN_INVALID_401", "TOO_MANY_REQUESTS_429"],
});

export const createIdentityUser = route({
  access: "service",
  method: "post",
  path: "/internal/api/auth/register/users",
  operationId: "createIdentityUser",
  summary: "Create a user at the identity provider only",
  description: "For technical users. It has no profile: people register at the user service.",
  tags: ["Internal"],
  request: { body: body(schema.NewIdentityUser, { example: examples.newIdentityUser }) },
  responses: { 200: answer("Created", schema.IdentityUserCreated, { example: examples.identityUserCreated }) },
  problems: ["USER_ALREADY_EXISTS_409"],
});
