import { OpenAPIHono, type RouteHandler, z } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import { methodNotAllowed } from "hono/method-not-allowed";
import { routePath } from "hono/route";
import { secureHeaders } from "hono/secure-headers";
import { type Access, type Route } from "./route.ts";
import { type Caller, unauthenticated, type VerifyBearer } from "./bearer.ts";
import { beginCall, type Call } from "./call.ts";
import { type HealthCheck, serveHealth } from "./health.ts";
import { jsonBody } from "./json.ts";
import { describe, type Log } from "./log.ts";
import { type FieldError, Problem, problemBody, problemIn } from "./problem.ts";

export type ShellEnv = { Variables: { call: Call; caller: Caller } };

export type ShellNeeds = {
  /** The service's name, as the registry and the log have it: `user-service`. */
  name: string;
  title: string;
  description: string;
  now: () => number;
  log: Log;
  verify: VerifyBearer;
  health: Record<string, HealthCheck>;
  /** Milliseconds one request may take. */
  timeout: number;
  /** Runs before every route. */
  guard?: MiddlewareHandler<ShellEnv>;
  /** Runs around a route and its guards: what it throws, it answers with. */
  around?: (route: Route) => MiddlewareHandler<ShellEnv>;
  /** The roles that give each permission its routes name; any one of them is enough. */
  permissions?: Record<string, readonly string[]>;
  /** What the service's pages may load; nothing unless given. */
  contentSecurityPolicy?: { styleSrc?: string[]; imgSrc?: string[] };
};

const VERSION = "0.1.0";

/** The app every service is: what all of them answer alike, and `on`, which mounts a route behind its access. */
export function shell(needs: ShellNeeds) {
  z.config({ customError: ({ input }) => (input === undefined ? "Is required" : undefined) });
  const app = new OpenAPIHono<ShellEnv>({ defaultHook: refuseInvalid });
  app.use(record(needs));
  app.use(
    secureHeaders({
      contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"], ...needs.contentSecurityPolicy },
      strictTransportSecurity: false,
      xFrameOptions: "DENY",
    }),
  );
  app.use(
    methodNotAllowed({
      app,
      onMethodNotAllowed: (c, methods) => {
        const allow = methods.join(", ");
        return answer(c, new Problem("METHOD_NOT_ALLOWED_405", `Use ${allow}`, { headers: { allow } }));
      },
    }),
  );
  if (needs.guard) app.use(needs.guard);
  app.notFound((c) => answer(c, new Problem("NOT_FOUND_404", "There is nothing at this path")));
  app.onError((error, c) => {
    const problem = asProblem(error);
    const call = c.get("call");
    if (problem.status >= 500) {
      const level = problem.code === "INTERNAL_ERROR_500" ? "error" : "warn";
      const { requestId, traceId } = call;
      const text = describe(problem, level === "error");
      needs.log({ level, service: needs.name, message: problem.message, requestId, traceId, code: problem.code, error: text });
    }
    return answer(c, problem);
  });
  serveHealth(app, needs.health);
  app.openAPIRegistry.registerComponent("securitySchemes", "bearer", { type: "http", scheme: "bearer", bearerFormat: "JWT" });
  app.doc31("/v3/api-docs", {
    openapi: "3.1.0",
    info: { title: needs.title, description: needs.description, version: VERSION },
    servers: [{ url: "/" }],
  });

  function on<R extends Route>(route: R, handler: RouteHandler<R, ShellEnv>): void {
    const roles = rolesFor(route.access, needs.permissions ?? {});
    const around = needs.around ? [needs.around(route)] : [];
    const guards = [...around, guard(route.access, { roles, verify: needs.verify }), ...(route.request?.body ? [jsonBody] : [])];
    const { access: _, ...config } = route;
    app.openapi({ ...config, getRoutingPath: route.getRoutingPath, middleware: guards } as unknown as R, handler as never);
  }

  return { app, on };
}

/** Begins the call and writes the request's line in the log: pattern, status and time, never the query or a body. */
function record({ name, now, log, timeout }: ShellNeeds): MiddlewareHandler<ShellEnv> {
  return async (c, next) => {
    const began = now();
    const call = beginCall(c.req.raw.headers, { now: began, limit: timeout });
    c.set("call", call);
    await next();
    c.res.headers.set("x-request-id", call.requestId);
    const { requestId, traceId } = call;
    const durationMs = now() - began;
    const route = routePath(c);
    const { status } = c.res;
    const level = status >= 500 ? "warn" : "info";
    log({ level, service: name, message: "request", method: c.req.method, route, status, durationMs, requestId, traceId });
  };
}

/** The roles of which a caller needs one; undefined where any caller will do, or the route itself decides. */
function rolesFor(access: Access, permissions: Record<string, readonly string[]>): readonly string[] | undefined {
  if (access === "service") return ["ROLE_INTERNAL_SERVICE"];
  if (typeof access === "string") return undefined;
  const roles = Object.hasOwn(permissions, access.permission) ? permissions[access.permission] : undefined;
  if (!roles) throw new TypeError(`Cannot guard a route: no roles are given for the permission "${access.permission}"`);
  return roles;
}

type Guarding = { roles: readonly string[] | undefined; verify: VerifyBearer };

function guard(access: Access, { roles, verify }: Guarding): MiddlewareHandler<ShellEnv> {
  return async (c, next) => {
    if (access === "public") return next();
    const token = /^Bearer ([\w.~+/=-]+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
    if (!token) throw unauthenticated("Send a bearer token");
    const caller = await verify(token);
    c.set("caller", caller);
    if (roles && !roles.some((role) => caller.roles.includes(role))) {
      throw new Problem("FORBIDDEN_403", roles.length === 0 ? "Nobody may do this" : `This needs ${roles.join(" or ")}`);
    }
    c.header("cache-control", "no-store");
    await next();
  };
}

function answer(c: Context<ShellEnv>, problem: Problem): Response {
  c.header("cache-control", "no-store");
  const body = problemBody(problem, { path: new URL(c.req.url).pathname, traceId: c.get("call").traceId });
  return c.body(JSON.stringify(body), problem.status, { ...problem.headers, "content-type": "application/problem+json" });
}

function asProblem(error: unknown): Problem {
  const problem = problemIn(error);
  if (problem) return problem;
  return new Problem("INTERNAL_ERROR_500", "The service failed; the trace id names the entry in its log", { cause: error });
}

function refuseInvalid(result: { success: boolean; error?: z.ZodError }): void {
  if (result.success || !result.error) return;
  const errors: FieldError[] = result.error.issues.map(({ path, message }) => ({ path: path.join("."), message }));
  const fields = [...new Set(errors.map(({ path }) => path))].filter((path) => path !== "");
  throw new Problem("VALIDATION_FAILED_400", fields.length === 0 ? "The request is not valid" : `Check ${fields.join(", ")}`, { errors });
}
