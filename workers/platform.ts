import type { ServiceName } from "../src/env.ts";
import { describe } from "../src/http/log.ts";
import { openBackends } from "./backends.ts";
import { printBanner } from "./banner.ts";
import { type Closers, type Listen, listener, repeat } from "./process.ts";
import { composeServices } from "./services.ts";

const SWEEP_MS = 5000;

const LABELS: Record<ServiceName, string> = {
  gateway: "Gateway",
  users: "User service",
  auth: "Authentication",
  admin: "Administration",
  discovery: "Discovery",
  config: "Configuration",
};

/** The platform, or the services of it that `SERVICES` names, in one process: they call each other in memory, and each listens on its own port too. */
export async function startPlatform(listen: Listen, closers: Closers): Promise<void> {
  const began = performance.now();
  const backends = await openBackends(closers);
  const { given, log, identity, secrets, broker } = backends;
  const running = composeServices(backends);
  const ports: Record<ServiceName, number> = {
    gateway: given.GATEWAY_PORT,
    users: given.USERS_PORT,
    auth: given.AUTH_PORT,
    admin: given.ADMIN_PORT,
    discovery: given.DISCOVERY_PORT,
    config: given.CONFIG_PORT,
  };

  const open = listener(listen, { host: given.HOST, closers });
  const urls: Record<string, string> = {};
  for (const name of given.SERVICES) {
    const service = running[name];
    if (service) urls[LABELS[name]] = await open(`${LABELS[name].toLowerCase()} service`, ports[name], service.fetch);
  }
  if (identity) urls["Identity"] = await open("identity provider", given.IDENTITY_PORT, identity.fetch);
  if (secrets) urls["Secrets"] = await open("secrets store", given.SECRETS_PORT, secrets.fetch);
  if (broker) urls["Broker"] = await open("broker", given.BROKER_PORT, broker.fetch);

  const onError = (error: unknown) => log({ level: "warn", service: "platform", message: "Cannot sweep", error: describe(error) });
  for (const { sweep } of [...Object.values(running), identity, secrets, broker].filter((swept) => swept !== undefined)) {
    if (sweep) repeat(sweep, { interval: SWEEP_MS, onError, closers });
  }
  printBanner(backends, { began, urls, gateway: urls["Gateway"] ?? "" });
}
