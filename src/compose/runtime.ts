import { VERSION } from "../http/documents.ts";
import type { Fetch } from "../http/fetch.ts";
import type { Log } from "../http/log.ts";
import { type Metrics, serviceMetrics } from "../metrics/metrics.ts";
import type { GatewaySettings } from "../settings/services.ts";

/** How this process or Worker reaches what stands outside a service. */
export type Runtime = {
  log: Log;
  now: () => number;
  /** See `Sharing`: true where requests may wait for each other. */
  sharesPending: boolean;
  identity: Fetch;
  /** Answers with the script of the documentation pages. */
  documentationScript: Fetch;
};

/** What a runtime knows of a request besides itself; `fetch` of the gateway takes it as its environment. */
export type Arrival = {
  /** The address the request came from. */
  source: string | undefined;
  /** The request target as it came over the wire, where the runtime keeps it. */
  target?: string | undefined;
};

export const REQUEST_TIMEOUT_MS = 8000;

/** What a service counts in, and who may read that. */
export function insightOf(service: string, { METRICS_TOKEN: token, LOOPBACK: isLoopback }: Pick<GatewaySettings, "METRICS_TOKEN" | "LOOPBACK">, { now }: { now: () => number }) {
  return { metrics: serviceMetrics({ service, version: VERSION, now }), metricsAccess: { isLoopback, token } };
}

/** The ways out of a service, and the names they are counted under. */
const CLIENTS = {
  database: "database",
  identity: "identity-provider",
  secrets: "secrets-store",
  broker: "broker",
  users: "user-service",
  auth: "auth-service",
  admin: "admin-service",
  discovery: "discovery-service",
  config: "config-server",
  applications: "applications",
  webhooks: "webhooks",
  redis: "redis",
};

/** `runtime`, whose ways out are counted. */
export function counted<R extends { [Way in keyof typeof CLIENTS]?: Fetch }>(runtime: R, { observed }: Metrics): R {
  const ways = Object.entries(CLIENTS).flatMap(([way, client]) => {
    const fetch = runtime[way as keyof typeof CLIENTS];
    return fetch ? [[way, observed(client, fetch)]] : [];
  });
  return { ...runtime, ...Object.fromEntries(ways) };
}
