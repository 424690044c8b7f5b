import type { Context } from "hono";
import { serveAsyncApi, serveEventsPage } from "../events/asyncapi-app.ts";
import { unauthenticated } from "../http/bearer.ts";
import { DOCUMENT_PATH } from "../http/documents.ts";
import { Problem } from "../http/problem.ts";
import { shell, type ShellEnv, type ShellNeeds } from "../http/shell.ts";
import type { Fetch } from "../http/fetch.ts";
import type { Registry } from "../registry/eureka.ts";
import { application } from "./applications/application.ts";
import { knownInstances } from "./applications/instances.ts";
import { routeApplications } from "./applications/routes.ts";
import { registeredSources } from "./applications/sources.ts";
import { described, TAGS } from "./described.ts";
import type { Shown } from "./excerpt.ts";
import { type Forward, forwarder, type Service } from "./forward.ts";
import { isCounted, type LimitNeeds, limitPerSource } from "./limits.ts";
import { neighbour } from "./neighbours.ts";
import { type Link, page, sentence } from "./page.ts";
import { isBelow, PREFIXES, readTarget, type ServiceKey, targetOf } from "./routing.ts";
import { ICON, STYLE } from "../pages/style.ts";

export type GatewayNeeds = Pick<ShellNeeds, "now" | "log" | "metrics" | "metricsAccess" | "documentationScript" | "sharesPending"> &
  LimitNeeds & {
    services: Record<"users" | "auth", Service> & Partial<Record<Exclude<ServiceKey, "users" | "auth">, Service>>;
    /** Where instances register, and those applications whose instances answer below `/{name}`; `fetch` reaches them. */
    applications?: { registry: Registry; names: readonly string[]; fetch: Fetch; sharesPending: boolean };
    /** Whether the platform's own services are registered too, as everywhere but on Workers; true unless given. */
    holdsPlatform?: boolean;
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
  discovery: { id: "discovery-service", name: "discovery service" },
  config: { id: "config-server", name: "configuration server" },
} as const satisfies Record<ServiceKey, { id: string; name: string }>;

const DESCRIPTION =
  "The platform's one door: every call of a client comes through this address. What the services offer is in their own documents, which stand beside this one. " +
  "To try them: register at the user service, sign in at the authentication service, and paste the token that it answers as the bearer token of the others.";

const OWN_DOCUMENT = { name: "gateway", title: "Gateway", url: DOCUMENT_PATH };

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const HOST = /^[A-Za-z0-9._-]+(:\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](:\d{1,5})?$/;
const TIMEOUT_MS = 10_000;

/** The platform's one door: what it lets through, to whom, and what both sides get to see. */
export function gateway(needs: GatewayNeeds) {
  const { now, services, timeout = TIMEOUT_MS, sharesPending = false } = needs;
  const behind = (Object.keys(NAMES) as ServiceKey[]).flatMap((key) => {
    const service = services[key];
    const { id, name } = NAMES[key];
    const prefixes = PREFIXES[key];
    return service ? [{ id, name, prefixes, ...neighbour(name, { service, now, isCold: !sharesPending }), url: service.url, forward: forwarder(name, { ...service, now }) }] : [];
  });
  const { applications, sources } = registered(needs, behind);

  const { app, healthAt } = shell({
    ...needs,
    name: "gateway",
    title: "Gateway",
    description: DESCRIPTION,
    tags: TAGS,
    timeout,
    documentSources: async () => [...(await sources()), OWN_DOCUMENT],
    health: Object.fromEntries(behind.map(({ id, health }) => [id, health])),
    // The gateway passes tokens on: each service verifies for itself.
    verify: () => Promise.reject(unauthenticated("The gateway verifies no token")),
    contentSecurityPolicy: { styleSrc: ["'self'"], imgSrc: ["'self'"] },
    guard: (c, next) => {
      refuseAmbiguous(c, needs.target?.(c) ?? targetOf(c.req.raw.url));
      // Only callers inside may shorten a deadline; and whoever asks how we are, for it is only theirs.
      if (!isBelow(c.req.path, ["/actuator"])) c.set("call", { ...c.get("call"), deadline: now() + timeout });
      return next();
    },
  });

  for (const { access: _, ...operation } of described) app.openAPIRegistry.registerPath(operation);

  const limit = limitPerSource(needs);
  app.use("/api/users/register", (c, next) => (c.req.method === "POST" ? limit(c, next) : next()));
  app.use("/api/auth/*", limit);
  for (const { prefixes, forward, url } of behind) {
    for (const prefix of prefixes) app.all(`${prefix}/*`, (c) => proxy(c, { forward, url }));
  }

  app.get("/v3/api-docs/:service", async (c) => {
    const service = behind.find(({ id }) => id === c.req.param("service"));
    const document = await service?.document(c.get("call"), shownOf(service.prefixes));
    return document ? c.json(document) : c.notFound();
  });

  app.get("/", async (c) => {
    const healths = (await healthAt([], timeout))?.components ?? {};
    const shown = behind.map(({ id, name }) => ({ id, name, health: healths[id] ?? { status: "UNKNOWN" as const } }));
    c.header("cache-control", "no-store");
    return c.html(page({ services: shown, links: needs.links ?? [], origin: needs.origin ?? new URL(c.req.url).origin }));
  });
  serveAsyncApi(app, { title: "Gatehouse" });
  serveEventsPage(app);
  app.get("/style.css", (c) => c.body(STYLE, 200, { "content-type": "text/css; charset=utf-8", "cache-control": "max-age=300" }));
  app.get("/icon.svg", (c) => c.body(ICON, 200, { "content-type": "image/svg+xml", "cache-control": "max-age=86400" }));
  routeApplications(app, applications, needs);

  return app;
}

/** What the registry adds: the applications that are led to, and the documents to choose from. */
function registered({ applications, holdsPlatform = true, now, log }: GatewayNeeds, services: readonly { id: string; name: string }[]) {
  const instances = applications && knownInstances({ ...applications, now, log });
  const own = services.map(({ id, name }) => ({ name: id, title: sentence(name), url: `/v3/api-docs/${id}` }));
  return {
    applications: instances ? applications.names.map((name) => application(name, { instances, fetch: applications.fetch, now })) : [],
    sources: registeredSources({ services: own, applications: applications?.names ?? [], instances, holdsPlatform, now }),
  };
}

/** Of a service that nothing leads to here, all but its interior is shown, to be read. */
function shownOf(prefixes: readonly string[]): Shown {
  if (prefixes.length > 0) return { server: { url: "/" }, isOpen: (path) => isBelow(path, prefixes) };
  const server = { url: "/", description: "For reading: nothing of this is reached through the gateway" };
  return { server, isOpen: (path) => !isBelow(path, ["/internal"]) };
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

async function proxy(c: Context<ShellEnv>, { forward, url }: { forward: Forward; url: string }): Promise<Response> {
  const { raw } = c.req;
  const response = await forward(raw, { url: url + targetOf(raw.url), call: c.get("call") });
  return isCounted(c) ? c.newResponse(response.body, response) : response;
}
