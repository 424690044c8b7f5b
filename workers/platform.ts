import { describe } from "../src/http/log.ts";
import { APPLICATIONS, portsOf, TITLES } from "./applications.ts";
import { openBackends } from "./backends.ts";
import { printBanner } from "./banner.ts";
import { type Closers, type Listen, listener, repeat } from "./process.ts";
import { keepRegistered, instanceAddress } from "./registrations.ts";
import { composeServices } from "./services.ts";

const SWEEP_MS = 5000;
const RELAY_MS = 1000;

type Work = { of: string; every: number; message: string };

/** The platform, or the services of it that `SERVICES` names, in one process: they call each other in memory, and each listens on its own port too. */
export async function startPlatform(listen: Listen, closers: Closers): Promise<void> {
  const began = performance.now();
  const backends = await openBackends(closers);
  const { given, isPart, log, identity, secrets, broker } = backends;
  const { DISCOVERY_URL: url } = backends.env;
  const place = url && given.SERVICES.some((name) => name !== "discovery") ? instanceAddress(given, url) : undefined;
  const { running, to } = await composeServices(backends);
  const ports = portsOf(given);
  const open = listener(listen, { host: given.HOST, closers });
  const urls: Record<string, string> = {};
  const registered: { name: string; port: number }[] = [];
  for (const name of given.SERVICES) {
    const url = await open(APPLICATIONS[name], ports[name], running[name]!.fetch);
    urls[TITLES[name]] = url;
    if (name !== "discovery") registered.push({ name: APPLICATIONS[name], port: Number(new URL(url).port) });
  }
  if (identity) urls["Identity"] = await open("identity provider", given.IDENTITY_PORT, identity.fetch);
  if (secrets) urls["Secrets"] = await open("secrets store", given.SECRETS_PORT, secrets.fetch);
  // The services of a part call the bridge in memory, and each part has its own: two on one machine would want the same port.
  if (broker && !(isPart && given.KAFKA_BROKERS)) urls["Broker"] = await open("broker", given.BROKER_PORT, broker.fetch);

  if (url && place) await keepRegistered(registered, { url, fetch: to("discovery"), place, log, closers });
  const working = (work: (() => Promise<unknown>) | undefined, { of: service, every: interval, message }: Work) => {
    const onError = (error: unknown) => log({ level: "warn", service, message, error: describe(error) });
    if (work) repeat(work, { interval, onError, closers });
  };
  const sweeping = { every: SWEEP_MS, message: "Cannot sweep" };
  for (const name of given.SERVICES) {
    working(running[name]?.sweep, { ...sweeping, of: APPLICATIONS[name] });
    working(running[name]?.relay, { every: RELAY_MS, message: "Cannot relay events to the broker", of: APPLICATIONS[name] });
    working(running[name]?.deliver, { every: RELAY_MS, message: "Cannot deliver to webhooks", of: APPLICATIONS[name] });
  }
  const embedded = { "identity-provider": identity, "secrets-store": secrets, broker };
  for (const [of, backend] of Object.entries(embedded)) working(backend?.sweep, { ...sweeping, of });
  printBanner(backends, { began, urls, gateway: urls["Gateway"] });
}
