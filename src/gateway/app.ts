import type { Context } from "hono";
import { unauthenticated } from "../http/bearer.ts";
import { Problem } from "../http/problem.ts";
import { shell, type ShellEnv, type ShellNeeds } from "../http/shell.ts";
import { type Forward, forwarder, type Service } from "./forward.ts";
import { isCounted, type LimitNeeds, limitPerSource } from "./limits.ts";
import { neighbour } from "./neighbours.ts";
import { type Link, page } from "./page.ts";
import { PREFIXES, readTarget, type ServiceKey, targetOf } from "./routing.ts";
import { ICON, STYLE } from "../pages/style.ts";

export type GatewayNeeds = Pick<ShellNeeds, "now" | "log"> &
  LimitNeeds & {
    services: Record<Exclude<ServiceKey, "admin">, Service> & { admin?: Service };
    /** The request target as it came over the wire, where the runtime keeps it; else its URL, already parsed, has to do. */
    target?: (c: Context) => string | undefined;
    /** The gateway's address as people reach it, such as `https://gatehouse.example`; else that of each request is shown. */
    origin?: string;
    /** Further links of the start page. */
    links?: readonly Link[];
    /** Milliseconds one request may take. */
    timeout?: number;
  };

const NAMES = {
  users: { id: "user-service", name: "user service" },
  auth: { id: "auth-service", name: "authentication service" },
  admin: { id: "admin-service", name: "administration service" },
} as const satisfies Record<ServiceKey, { id: string; name: string }>;

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const HOST = /^[A-Za-z0-9._-]+(:\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](:\d{1,5})?$/;
const TIMEOUT_MS = 10_000;

/** The platform's one door: what it lets through, to whom, and what both sides get to see. */
export function gateway(needs: GatewayNeeds) {
  const { now, services, timeout = TIMEOUT_MS } = needs;
  const behind = (Object.keys(NAMES) as ServiceKey[]).flatMap((key) => {
    const service = services[key];
    const { id, name } = NAMES[key];
    const prefixes = PREFIXES[key];
    return service ? [{ id, name, prefixes, ...neighbour(name, { service, prefixes, now }), forward: forwarder(name, { service, now }) }] : [];
  });

  const { app } = shell({
    ...needs,
    name: "gateway",
    title: "Gateway",
    description: "Leads to the services; `/v3/api-docs/{service}` describes each.",
    timeout,
    health: Object.fromEntries(behind.map(({ id, health }) => [id, health])),
    // The gateway passes tokens on: each service verifies for itself.
    verify: () => Promise.reject(unauthenticated("The gateway verifies no token")),
    contentSecurityPolicy: { styleSrc: ["'self'"], imgSrc: ["'self'"] },
    guard: (c, next) => {
      refuseAmbiguous(c, needs.target?.(c) ?? targetOf(c.req.raw.url));
      // Only callers inside may shorten a deadline.
      c.set("call", { ...c.get("call"), deadline: now() + timeout });
      return next();
    },
  });

  const limit = limitPerSource(needs);
  app.use("/api/users/register", (c, next) => (c.req.method === "POST" ? limit(c, next) : next()));
  app.use("/api/auth/*", limit);
  for (const { prefixes, forward } of behind) {
    for (const prefix of prefixes) app.all(`${prefix}/*`, (c) => proxy(c, forward));
  }

  app.get("/v3/api-docs/:service", async (c) => {
    const service = behind.find(({ id }) => id === c.req.param("service"));
    return service ? c.json(await service.document(c.get("call"))) : c.notFound();
  });

  app.get("/", async (c) => {
    const healths = await Promise.all(behind.map(({ health }) => health()));
    const shown = behind.map(({ id, name }, index) => ({ id, name, health: healths[index]! }));
    c.header("cache-control", "no-store");
    return c.html(page({ services: shown, links: needs.links ?? [], origin: needs.origin ?? new URL(c.req.url).origin }));
  });
  app.get("/style.css", (c) => c.body(STYLE, 200, { "content-type": "text/css; charset=utf-8", "cache-control": "max-age=300" }));
  app.get("/icon.svg", (c) => c.body(ICON, 200, { "content-type": "image/svg+xml", "cache-control": "max-age=86400" }));

  return app;
}

/** Refuses a request that another parser could take for a different one. */
function refuseAmbiguous(c: Context<ShellEnv>, target: string): void {
  // The path routed by has to be the path received, and both the one handed on.
  if (readTarget(target)?.path !== c.req.path) throw new Problem("NOT_FOUND_404", "There is nothing at this path");
  const host = c.req.header("host");
  if (host !== undefined && !HOST.test(host)) throw new Problem("VALIDATION_FAILED_400", "Send one valid Host header");
  if (METHODS.includes(c.req.method)) return;
  const allow = METHODS.join(", ");
  throw new Problem("METHOD_NOT_ALLOWED_405", `Use ${allow}`, { headers: { allow } });
}

async function proxy(c: Context<ShellEnv>, forward: Forward): Promise<Response> {
  const { raw, path } = c.req;
  const query = raw.url.indexOf("?");
  const target = query === -1 ? path : path + raw.url.slice(query);
  const response = await forward(raw, { target, call: c.get("call") });
  return isCounted(c) ? c.newResponse(response.body, response) : response;
}
