import { lookup } from "node:dns/promises";
import { adminService } from "../src/compose/admin.ts";
import { authService } from "../src/compose/auth.ts";
import { configService } from "../src/compose/config.ts";
import { discoveryService } from "../src/compose/discovery.ts";
import { gatewayService } from "../src/compose/gateway.ts";
import { usersService } from "../src/compose/users.ts";
import { serviceMistakes } from "../src/doctor/settings/mistakes.ts";
import { type Environment, readSettings, type ServiceName } from "../src/env.ts";
import { credentialUrl } from "../src/http/credential-url.ts";
import type { Fetch } from "../src/http/fetch.ts";
import { realmOf } from "../src/settings/realm.ts";
import { adminSettings, authSettings, configSettings, discoverySettings, gatewaySettings, usersSettings } from "../src/settings/services.ts";
import type { Backends } from "./backends.ts";
import { readConfigurations, refuseUnusable, settingsOf } from "./configurations.ts";
import { openConfigFiles, openOwnConfigFiles } from "./config-files.ts";
import { network } from "./isolate.ts";
import type { Handler } from "./process.ts";
import { scalarScript } from "./scalar.ts";
import { refuseMistakes } from "./start-check.ts";

/** A service of this process, and what is to be done for it every few seconds. */
export type Running = {
  fetch: Handler;
  sweep?: () => Promise<unknown>;
  /** Sends what the service has written to the broker. */
  relay?: () => Promise<unknown>;
  /** Sends what has come from the broker to webhooks. */
  deliver?: () => Promise<unknown>;
};

/** Composes the services that this process runs; they call each other in memory, and the others over the network. */
export async function composeServices(backends: Backends) {
  const { given, log, database, redis, identity, secrets, broker, policies } = backends;
  const running: Partial<Record<ServiceName, Running>> = {};
  // Where the environment names another registry or configuration server than ours, that one is meant.
  const isElsewhere = (name: ServiceName) => backends.set[`${name.toUpperCase()}_URL`] !== undefined;
  const to = (name: ServiceName): Fetch => async (request) =>
    running[name] && !isElsewhere(name) ? running[name].fetch(request, { source: undefined }) : network(request);
  const runtime = {
    log,
    now: Date.now,
    sharesPending: true,
    identity: identity?.fetch ?? network,
    database: database?.fetch ?? network,
    secrets: secrets?.fetch ?? network,
    broker: broker?.fetch ?? network,
    network,
    resolve: async (host: string) => (await lookup(host, { all: true })).map(({ address }) => address),
    documentationScript: scalarScript(),
  };
  const compose: Record<ServiceName, (env: Environment) => Running | Promise<Running>> = {
    config: async (env) => {
      const files = given.CONFIG_DIR === undefined ? await openOwnConfigFiles() : await openConfigFiles(given.CONFIG_DIR);
      return configService(readSettings(configSettings, env), { ...runtime, ...(files && { files }) });
    },
    discovery: (env) => withSweep(discoveryService(readSettings(discoverySettings, env), runtime)),
    users: (env) => withSweep(usersService(readSettings(usersSettings, env), runtime)),
    auth: (env) => authService(readSettings(authSettings, env), { ...runtime, users: to("users") }),
    admin: (env) => withSweep(adminService(readSettings(adminSettings, env), { ...runtime, policies })),
    gateway: (env) => {
      const behind = { users: to("users"), auth: to("auth"), admin: to("admin"), discovery: to("discovery"), config: to("config") };
      return gatewayService(readSettings(gatewaySettings, env), { ...runtime, ...behind, ...(redis && { redis: redis.fetch }), links: linksOf(env) });
    },
  };
  const { made, set, env } = backends;
  if (given.SERVICES.includes("config")) running.config = await compose.config({ ...made, ...set });
  const configurations = isElsewhere("config") ? backends.configurations : await readConfigurations(given.SERVICES, env, to("config"));
  refuseUnusable(configurations);
  const settings = (name: ServiceName) => settingsOf(name, { made, set, configurations });
  refuseMistakes(serviceMistakes(settings, given.SERVICES));
  for (const name of given.SERVICES) running[name] ??= await compose[name](settings(name));
  return { running, to };
}

function linksOf({ DISCOVERY_URL: registry, ...env }: Environment) {
  const dashboard = registry ? [{ title: "Discovery dashboard", url: new URL("/", credentialUrl(registry.split(",")[0]!).url).href }] : [];
  return [...dashboard, { title: "OpenID configuration", url: `${env["IDENTITY_URL"]}/realms/${realmOf(env)}/.well-known/openid-configuration` }];
}

type App = { fetch: (request: Request) => Response | Promise<Response> };

type Work = { run: () => Promise<unknown> };

function withSweep({ app, sweep, relay, webhooks }: { app: App; sweep: () => Promise<unknown>; relay?: Work; webhooks?: Work }): Running {
  return { fetch: (request) => app.fetch(request), sweep, ...(relay && { relay: relay.run }), ...(webhooks && { deliver: webhooks.run }) };
}
