import { join } from "node:path";
import { readSettings, SERVICES } from "../src/env.ts";
import type { BasicCredential } from "../src/http/basic.ts";
import type { Log } from "../src/http/log.ts";
import { type KafkaSettings, processSettings } from "../src/settings/process.ts";
import { newPassword, openInstallation } from "./data.ts";
import { openDatabase } from "./database.ts";
import { type Backend, openBroker, openIdentity, openSecrets } from "./embedded.ts";
import { environment, type Given } from "./environment.ts";
import { logOf } from "./log.ts";
import { embeddedIn, INSTEAD, systemsOf } from "./needs.ts";
import { readPolicies } from "./policies.ts";
import type { Closers } from "./process.ts";
import { filedSettings, processEnvironment } from "./settings-file.ts";
import { checkTold } from "./start-check.ts";

export type Backends = Awaited<ReturnType<typeof openBackends>>;

/** Opens what the services of this process stand on: the database, the way to an ordinary Redis, the bridge to an ordinary Kafka, and, where no URL names a real one, identity provider, secrets store and broker. */
export async function openBackends(closers: Closers) {
  const told = processEnvironment();
  const configurations = await checkTold(told);
  const given = readSettings(processSettings, told);
  const data = given.GATEHOUSE_DATA;
  const installation = openInstallation(data);
  const policies = readPolicies(given.POLICIES_DIR);
  const log = logOf(given.LOG_FORMAT);
  const systems = systemsOf(given);
  const embedded = embeddedIn(systems);
  const isPart = given.SERVICES.length < SERVICES.length;
  const { DATABASE_URL: url, DATABASE_TIMEOUT_MS: timeout, DATABASE_MAX_CONNECTIONS: maxConnections } = given;
  const place = { url, directory: join(data, "postgres"), password: installation.DATABASE_PASSWORD, log, instead: isPart ? embedded.map((system) => INSTEAD[system]) : [], timeout, maxConnections };
  const database = systems.database || embedded.length > 0 ? await openDatabase(place) : undefined;
  if (database) closers.push(database.close);
  const redis = given.SERVICES.includes("gateway") ? await redisOf(given, log) : undefined;
  if (redis) closers.push(redis.close);

  const kafka = systems.broker && given.KAFKA_BROKERS;
  const broker = { username: "gatehouse", password: installation.BROKER_PASSWORD };
  const { made, set } = environment({ told, given, installation, broker, database, redis });
  const env = { ...made, ...set };
  const password = given.ADMIN_PASSWORD ?? installation.ADMIN_PASSWORD ?? newPassword();
  const administrator = { username: given.ADMIN_USERNAME, password };
  const on = database && { db: database.client, log, now: Date.now };
  return {
    given,
    isPart,
    data,
    installation,
    filed: filedSettings(),
    policies,
    log,
    database,
    redis,
    made,
    set,
    env,
    configurations,
    administrator,
    identity: on && systems.identity === "embedded" ? await openIdentity(on, env, administrator) : undefined,
    secrets: on && systems.secrets === "embedded" ? await openSecrets(on, env, policies) : undefined,
    broker: kafka ? await bridgeOf({ ...given, KAFKA_BROKERS: kafka }, { credentials: broker, log, closers }) : on && systems.broker === "embedded" ? openBroker(on, broker) : undefined,
  };
}

async function redisOf({ REDIS_URL: url, REDIS_CA_FILE: authority }: Given, log: Log) {
  if (url === undefined) return undefined;
  // Its client takes a fifth of a second to load.
  const { openRedis } = await import("./redis.ts");
  return openRedis({ url, authority, log });
}

async function bridgeOf(settings: KafkaSettings, on: { credentials: BasicCredential; log: Log; closers: Closers }): Promise<Backend> {
  // Its client is slow to load too.
  const { openBridge } = await import("./kafka.ts");
  const { fetch, greet } = openBridge(settings, on);
  // Without Kafka the platform starts all the same, and says so.
  void greet();
  return { fetch };
}
