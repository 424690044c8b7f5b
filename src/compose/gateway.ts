import type { Context } from "hono";
import { gateway } from "../gateway/app.ts";
import type { Link } from "../gateway/page.ts";
import { redis } from "../gateway/redis.ts";
import { credentialUrl } from "../http/credential-url.ts";
import type { Fetch } from "../http/fetch.ts";
import { registry } from "../registry/eureka.ts";
import type { GatewaySettings } from "../settings/services.ts";
import { type Arrival, counted, insightOf, type Runtime } from "./runtime.ts";

/** The services that the gateway has before it; discovery and configuration by the network where no way is given. */
type Neighbours = Record<"users" | "auth" | "admin", Fetch> & Partial<Record<"discovery" | "config", Fetch>>;

export function gatewayService(
  settings: GatewaySettings,
  outside: Pick<Runtime, "log" | "now" | "documentationScript" | "sharesPending"> & Neighbours & { network: Fetch; redis?: Fetch; links?: Link[]; holdsPlatform?: boolean },
) {
  const insight = insightOf("gateway", settings, outside);
  const { network, discovery = network, config = network, redis: toRedis = network } = outside;
  const runtime = counted({ ...outside, discovery, config, applications: network, redis: toRedis }, insight.metrics);
  const { log, now, sharesPending, documentationScript, links = [], holdsPlatform = true } = runtime;
  const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token = "" } = settings;
  return gateway({
    ...insight,
    log,
    now,
    sharesPending,
    documentationScript,
    services: neighboursOf(settings, runtime),
    ...applicationsOf(settings, runtime),
    holdsPlatform,
    source: ({ env }: Context<{ Bindings: Arrival }>) => env.source,
    target: ({ env }: Context<{ Bindings: Arrival }>) => env.target,
    ...(settings.PUBLIC_URL && { origin: settings.PUBLIC_URL }),
    links,
    limits: { shared: settings.RATE_LIMIT_PER_MINUTE, local: settings.RATE_LIMIT_LOCAL_PER_MINUTE },
    ...(url && { redis: redis({ url, token, fetch: runtime.redis, now }) }),
  });
}

function neighboursOf(settings: GatewaySettings, { users, auth, admin, discovery, config }: Required<Neighbours>) {
  const { USERS_URL, AUTH_URL, ADMIN_URL, DISCOVERY_URL, CONFIG_URL } = settings;
  return {
    users: { url: USERS_URL, fetch: users },
    auth: { url: AUTH_URL, fetch: auth },
    admin: { url: ADMIN_URL, fetch: admin },
    ...(DISCOVERY_URL && { discovery: { url: serverOf(DISCOVERY_URL), fetch: discovery } }),
    ...(CONFIG_URL && { config: { url: credentialUrl(CONFIG_URL).url, fetch: config } }),
  };
}

type Reach = Pick<Runtime, "now" | "sharesPending"> & { discovery: Fetch; applications: Fetch };

function applicationsOf({ DISCOVERY_URL: url, ROUTED_APPLICATIONS: names }: GatewaySettings, { now, sharesPending, discovery, applications }: Reach) {
  if (!url) return {};
  return { applications: { registry: registry({ url, fetch: discovery, now }), names, fetch: applications, sharesPending } };
}

/** Where the server of a registry's first URL has its own health and documents. */
function serverOf(registries: string): string {
  return credentialUrl(registries.split(",")[0] ?? "").url.replace(/\/eureka(\/v2)?$/, "");
}
