import { dashboard, DASHBOARD_POLICY, type DashboardNeeds } from "../../src/discovery/dashboard/dashboard.ts";
import type { Instance } from "../../src/discovery/instances.ts";
import { basicVerifier } from "../../src/http/basic.ts";
import { unauthenticated } from "../../src/http/bearer.ts";
import type { Fetch } from "../../src/http/fetch.ts";
import type { LogEntry } from "../../src/http/log.ts";
import { shell } from "../../src/http/shell.ts";

export const START = Date.parse("2026-11-21T14:03:05Z");

const PORTS = { GATEWAY: 8080, "USER-SERVICE": 8086, "AUTH-SERVICE": 8087, "ADMIN-SERVICE": 8089, "CONFIG-SERVER": 8888 };

/** An instance that registered twelve minutes before START and was heard four seconds before. */
export function registered(app: string, { port = 9000, ...more }: Partial<Instance> = {}): Instance {
  const home = `http://127.0.0.1:${port}`;
  return {
    app,
    id: `${app.toLowerCase()}:${port}`,
    hostName: "127.0.0.1",
    ipAddr: "127.0.0.1",
    port,
    securePort: undefined,
    status: "UP",
    overriddenStatus: undefined,
    homePageUrl: `${home}/`,
    statusPageUrl: `${home}/actuator/info`,
    healthCheckUrl: `${home}/actuator/health`,
    metadata: { version: "0.1.0" },
    registeredAt: START - 12 * 60_000,
    upSince: START - 12 * 60_000,
    lastRenewedAt: START - 4000,
    leaseSeconds: 90,
    isOver: false,
    ...more,
  };
}

/** The platform's five, `changes` by application. */
export function platformOf(changes: Partial<Record<keyof typeof PORTS, Partial<Instance>>> = {}): Instance[] {
  return Object.entries(PORTS).map(([app, port]) => registered(app, { port, ...changes[app as keyof typeof PORTS] }));
}

type Parts = Partial<DashboardNeeds> & { answers?: Record<string, Fetch> };

/**
 * The dashboard on an app of its own. `answers`: who answers a probe, by port; every other instance says that it is UP.
 * What is assigned to `registry.instances` afterwards is what the next page reads.
 */
export function dashboardOf(instances: readonly Instance[], { answers = {}, ...parts }: Parts = {}) {
  const log: LogEntry[] = [];
  const probed: Request[] = [];
  const clock = { time: START };
  const registry: { instances: readonly Instance[]; failure?: unknown } = { instances };
  const now = () => clock.time;
  const { app } = shell({
    name: "discovery-service",
    title: "Discovery",
    description: "The registry",
    now,
    log: (entry) => void log.push(entry),
    verify: () => Promise.reject(unauthenticated("No bearer tokens here")),
    health: {},
    timeout: 8000,
    contentSecurityPolicy: DASHBOARD_POLICY,
    documentationScript: () => new Response(null, { status: 404 }),
  });
  dashboard(app, {
    now,
    sharesPending: true,
    instances: () => ("failure" in registry ? Promise.reject(registry.failure) : Promise.resolve(registry.instances)),
    platform: [],
    network: (request) => {
      probed.push(request);
      return (answers[new URL(request.url).port] ?? (() => Response.json({ status: "UP" })))(request);
    },
    log: (entry) => void log.push(entry),
    isLoopback: true,
    verify: basicVerifier({ username: "eureka", password: "open-sesame" }),
    username: "eureka",
    ...parts,
  });
  const request = async (path = "/", init: RequestInit = {}) => app.fetch(new Request(new URL(path, "http://localhost:8761"), init));
  return { fetch: (request: Request) => app.fetch(request), request, registry, clock, log, probed };
}
