import { OpenAPIHono, type RouteHandler, z } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import { methodNotAllowed } from "hono/method-not-allowed";
import { routePath } from "hono/route";
import { secureHeaders } from "hono/secure-headers";
import { type Metrics, serviceMetrics } from "../metrics/metrics.ts";
import { type MetricsAccess, serveActuator } from "./actuator.ts";
import { type Access, type Route } from "./route.ts";
import { type Caller, unauthenticated, type VerifyBearer } from "./bearer.ts";
import { beginCall, type Call } from "./call.ts";
import { DOCUMENTATION_PATH, DOCUMENTATION_POLICY, type DocumentationNeeds, serveDocumentation } from "./documentation.ts";
import { serveDocuments, VERSION } from "./documents.ts";
import { type HealthCheck, healthOf } from "./health.ts";
import { jsonBody } from "./json.ts";
import { describe, type Log } from "./log.ts";
import { Problem, problemBody, problemIn } from "./problem.ts";
import { invalidRequest } from "./validation.ts";

export type ShellEnv = { Variables: { call: Call; caller: Caller } };

export type ShellNeeds = DocumentationNeeds & {
  now: () => number;
  log: Log;
  verify: VerifyBearer;
  health: Record<string, HealthCheck>;
  /** See `Sharing`: where requests may wait for each other; they do not unless given. */
  sharesPending?: boolean;
  /** What the service counts in; metrics of its own unless given. */
  metrics?: Metrics;
  /** Nobody's unless given. */
  metricsAccess?: MetricsAccess;
  /** Milliseconds one request may take. */
  timeout: number;
  /** Runs before every route. */
  guard?: MiddlewareHandler<ShellEnv>;
  /** Runs around a route and its guards: what it throws, it answers with. */
  around?: (route: Route) => MiddlewareHandler<ShellEnv>;
  /** The roles that give each permission its routes name; any one of them is enough. */
  permissions?: Record<string, readonly string[]>;
  /** What the service's pages may load; nothing unless given. */
  contentSecurityPolicy?: { styleSrc?: string[]; imgSrc?: string[]; scriptSrc?: string[]; connectSrc?: string[] };
};

const NOTHING = { defaultSrc: ["'none'"], frameAncestors: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"] };

/** The pattern of what no route has answered. */
const ANY = "/*";

/** The app every service is: what all of them answer alike, and `on`, which mounts a route behind its access. */
export function shell(needs: ShellNeeds) {
  z.config({ customError: ({ input }) => (input === undefined ? "Is required" : undefined) });
  const { name, now, metrics = serviceMetrics({ service: name, version: VERSION, now }), metricsAccess = { isLoopback: false } } = needs;
  const app = new OpenAPIHono<ShellEnv>({ defaultHook: refuseInvalid });
  app.use(record({ ...needs, metrics }));
  const headers = headersWith({ ...NOTHING, ...needs.contentSecurityPolicy });
  const documentationHeaders = headersWith(DOCUMENTATION_POLICY);
  app.use((c, next) => (c.req.path === DOCUMENTATION_PATH ? documentationHeaders : headers)(c, next));
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
  const healthAt = healthOf({ checks: needs.health, now, sharesPending: needs.sharesPending ?? false, log: needs.log, service: name });
  serveActuator(app, { ...needs, healthAt, metrics, metricsAccess });
  serveDocuments(app, needs);
  serveDocumentation(app, needs);

  function on<R extends Route>(route: R, handler: RouteHandler<R, ShellEnv>): void {
    const roles = rolesFor(route.access, needs.permissions ?? {});
    const around = needs.around ? [needs.around(route)] : [];
    const guards = [...around, guard(route.access, { roles, verify: needs.verify }), ...(route.request?.body ? [jsonBody] : [])];
    const { access: _, ...config } = route;
    app.openapi({ ...config, getRoutingPath: route.getRoutingPath, middleware: guards } as unknown as R, handler as never);
  }

  return { app, on, metrics, healthAt };
}

function headersWith(contentSecurityPolicy: Record<string, string[]>): MiddlewareHandler {
  return secureHeaders({ contentSecurityPolicy, strictTransportSecurity: false, xFrameOptions: "DENY" });
}

/** Begins the call, counts the request and writes its line in the log: pattern, status and time, never the query or a body. */
function record({ name, now, log, timeout, metrics }: ShellNeeds & { metrics: Metrics }): MiddlewareHandler<ShellEnv> {
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
    const { method } = c.req;
    metrics.request({ method, route: route === ANY ? undefined : route, status, milliseconds: durationMs });
    if (status < 400 && isRoutine(`${method} ${route}`)) return;
    const level = status >= 500 ? "warn" : "info";
    log({ level, service: name, message: "request", method, route, status, durationMs, requestId, traceId });
  };
}

/** What probes, scrapers and instances ask every few seconds: worth a line only when it fails. */
function isRoutine(operation: string): boolean {
  return /^(GET|HEAD) \/actuator\b|^PUT \/eureka\b.*\/:id$/.test(operation);
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
  if (!result.success && result.error) throw invalidRequest(result.error);
}
