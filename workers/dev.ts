// All Workers of `wrangler.toml` in one local session, in front of the systems that the settings name, or embedded ones.
import { fileURLToPath } from "node:url";
import { createTestHarness } from "wrangler";
import { SERVICES, SettingsError } from "../src/env.ts";
import { describe } from "../src/http/log.ts";
import { serviceSettings } from "../src/settings/services.ts";
import { APPLICATIONS, portsOf, TITLES } from "./applications.ts";
import { openBackends } from "./backends.ts";
import { printBanner } from "./banner.ts";
import { listenOnNode } from "./listen-node.ts";
import { type Closers, type Handler, listener, repeat, runUntilSignal, SIGNALS } from "./process.ts";

/** In production the cron trigger of `wrangler.toml` does this every minute. */
const SWEEP_MS = 5000;
/** Says in the harness' answers how the Worker had encoded them. */
const UNPACKED = "mf-content-encoding";

/** The Workers get the settings of their services, not whatever else is in this process' environment. */
const SETTINGS = new Set([...Object.values(serviceSettings).flatMap(({ shape }) => Object.keys(shape)), "CONFIG_PROFILE", "GATEWAY_URL"]);

await runUntilSignal(startWorkers);

async function startWorkers(closers: Closers): Promise<void> {
  const began = performance.now();
  // What Cloudflare would tell of a request is not asked for: the session needs no network.
  process.env["CLOUDFLARE_CF_FETCH_ENABLED"] = "false";
  const backends = await openBackends(closers);
  const { given, log, database, redis, identity, secrets, broker } = backends;
  if (!database) throw new SettingsError("Cannot run some of the Workers only: unset SERVICES");
  const open = listener(listenOnNode, { host: given.HOST, closers });
  const identityUrl = identity && (await open("identity provider", given.IDENTITY_PORT, identity.fetch));
  const secretsUrl = secrets && (await open("secrets store", given.SECRETS_PORT, secrets.fetch));
  const brokerUrl = broker && (await open("broker", given.BROKER_PORT, broker.fetch));
  const sqlUrl = database.endpoint && `${await open("database", given.DATABASE_PORT, database.fetch)}/sql`;
  const redisUrl = redis && (await open("Redis endpoint", given.REDIS_REST_PORT, redis.fetch));
  const env = { ...backends.env, DATABASE_SQL_URL: sqlUrl, ...(redisUrl && { UPSTASH_REDIS_REST_URL: redisUrl }), GATEWAY_URL: `http://localhost:${given.GATEWAY_PORT}` };
  const vars = Object.fromEntries(Object.entries(env).filter(([name, value]) => SETTINGS.has(name) && value !== undefined)) as Record<string, string>;

  const harness = createTestHarness({
    root: fileURLToPath(new URL("..", import.meta.url)),
    workers: SERVICES.map((name) => ({ configPath: "wrangler.toml", env: name, vars })),
  });
  closers.push(() => harness.close());
  await keepingSignals(() => harness.listen());
  const worker = (name: string): Handler => {
    const { fetch } = harness.getWorker(`gatehouse-${name}`);
    return async (request, { source = "" }) => {
      const { url, method } = request;
      const headers = { ...Object.fromEntries(request.headers), "cf-connecting-ip": source };
      const body = request.body && (await request.arrayBuffer());
      const { status, headers: answered, body: answer } = await fetch(url, { method, headers, body, redirect: "manual" });
      return new Response(answer as ReadableStream | null, { status, headers: asRead([...answered]) });
    };
  };

  const ports = portsOf(given);
  const urls: Record<string, string> = {};
  for (const name of SERVICES) urls[TITLES[name]] = await open(APPLICATIONS[name], ports[name], worker(name));
  if (identityUrl) urls["Identity"] = identityUrl;
  if (secretsUrl) urls["Secrets"] = secretsUrl;
  if (brokerUrl) urls["Broker"] = brokerUrl;
  const sweeping = (service: string, sweep: () => Promise<unknown>) => {
    const onError = (error: unknown) => log({ level: "warn", service, message: "Cannot sweep", error: describe(error) });
    repeat(sweep, { interval: SWEEP_MS, onError, closers });
  };
  for (const name of ["users", "admin", "discovery"]) sweeping(name, () => harness.getWorker(`gatehouse-${name}`).scheduled({ cron: "* * * * *" }));
  for (const [name, backend] of Object.entries({ "identity-provider": identity, "secrets-store": secrets, broker })) {
    if (backend?.sweep) sweeping(name, backend.sweep);
  }
  printBanner(backends, { began, urls, gateway: urls["Gateway"] });
}

/** The harness has already unpacked what a Worker has compressed, and leaves the length that it had. */
function asRead(headers: [string, string][]): [string, string][] {
  const wasCompressed = headers.some(([name]) => name === UNPACKED);
  return wasCompressed ? headers.filter(([name]) => name !== UNPACKED && name !== "content-length") : headers;
}

/** Wrangler would end the process at once on a signal, before the database is closed. */
async function keepingSignals(work: () => Promise<unknown>): Promise<void> {
  const before = SIGNALS.map((signal) => process.listeners(signal));
  await work();
  for (const [index, signal] of SIGNALS.entries()) {
    for (const added of process.listeners(signal)) if (!before[index]?.includes(added)) process.removeListener(signal, added);
  }
}
