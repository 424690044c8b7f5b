import { Hono } from "hono";
import { describe } from "../../http/log.ts";
import { problemIn } from "../../http/problem.ts";
import { login } from "./approle/login.ts";
import { readBody } from "./body.ts";
import { dispatch } from "./dispatch.ts";
import { healthAnswer } from "./health.ts";
import { Refusal, refuse } from "./refusal.ts";
import { openServer, type SecretsNeeds, type Server } from "./server.ts";

export type { SecretsNeeds } from "./server.ts";

/** A secrets store that speaks Vault's wire (AppRole, KV version 2, policies, tokens) over our database. */
export function embeddedSecrets(needs: SecretsNeeds): Hono {
  const server = openServer(needs);
  const app = new Hono();
  app.use(async (c, next) => {
    await next();
    c.res.headers.set("cache-control", "no-store");
    if (!c.res.headers.has("content-type")) c.res.headers.set("content-type", "application/json");
  });
  app.on(["GET", "HEAD"], "/v1/sys/health", (c) => healthAnswer(server, new URL(c.req.url).searchParams));
  app.on(["POST", "PUT"], "/v1/auth/approle/login", async (c) => login(server, await readBody(c.req.raw)));
  app.all("*", (c) => dispatch(server, c.req.raw));
  app.onError((error) => failed(server, error));
  return app;
}

/** The only place where a failure becomes an answer. */
function failed(server: Server, error: Error): Response {
  if (error instanceof Refusal) return error.response();
  const problem = problemIn(error);
  if (problem && problem.status >= 503) return refuse(503, "the storage is not available").response();
  server.log({ level: "error", service: "secrets", message: "Failed", status: 500, error: describe(error, true) });
  return refuse(500, "internal error").response();
}
