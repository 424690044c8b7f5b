import { join } from "node:path";
import { ALTERNATIVES, bothNamed } from "../src/alternatives.ts";
import { type KafkaSettings, processSettings, readSettings, type ServiceName, SERVICES, SettingsError } from "../src/env.ts";
import type { BasicCredential } from "../src/http/basic.ts";
import type { Log } from "../src/http/log.ts";
import { newPassword, openInstallation } from "./data.ts";
import { openDatabase } from "./database.ts";
import { type Backend, openBroker, openIdentity, openSecrets } from "./embedded.ts";
import { environment, type Given } from "./environment.ts";
import { logOf } from "./log.ts";
import { readPolicies } from "./policies.ts";
import type { Closers } from "./process.ts";
import { processEnvironment } from "./settings-file.ts";

export type Backends = Awaited<ReturnType<typeof openBackends>>;

/** Opens what the services of this process stand on: the database and, where no URL names a real one, identity provider, secrets store and broker. */
export async function openBackends(closers: Closers) {
  const told = processEnvironment();
  const given = readSettings(processSettings, told);
  const ambiguous = ALTERNATIVES.find(({ pair: [[one], [other]] }) => given[one] && given[other]);
  if (ambiguous) throw new SettingsError(bothNamed(ambiguous));
  const data = given.GATEHOUSE_DATA;
  const installation = openInstallation(data);
  const policies = readPolicies(given.POLICIES_DIR);
  const log = logOf(given.LOG_FORMAT);
  const runs = (...names: ServiceName[]) => names.some((name) => given.SERVICES.includes(name));
  const embeds = {
    identity: !given.IDENTITY_URL && runs("users", "auth", "admin", "config"),
    secrets: !given.SECRETS_URL && runs("admin", "config"),
    broker: !given.BROKER_URL && !given.KAFKA_BROKERS && runs("users", "auth", "admin"),
  };
  const kafka = runs("users", "auth", "admin") ? given.KAFKA_BROKERS : undefined;
  const needs = {
    DATABASE_URL: runs("users", "auth", "admin", "discovery"),
    IDENTITY_URL: embeds.identity,
    SECRETS_URL: embeds.secrets,
    BROKER_URL: embeds.broker,
  };
  const needed = Object.entries(needs).flatMap(([name, isNeeded]) => (isNeeded ? [name] : []));
  const isPart = given.SERVICES.length < SERVICES.length;
  const { DATABASE_URL: url, DATABASE_TIMEOUT_MS: timeout, DATABASE_MAX_CONNECTIONS: maxConnections } = given;
  const place = { url, directory: join(data, "postgres"), password: installation.DATABASE_PASSWORD, log, instead: isPart ? needed : [], timeout, maxConnections };
  const database = needed.length > 0 ? await openDatabase(place) : undefined;
  if (database) closers.push(database.close);
  const redis = runs("gateway") ? await redisOf(given, log) : undefined;
  if (redis) closers.push(redis.close);

  const broker = { username: "gatehouse", password: installation.BROKER_PASSWORD };
  const { made, set } = environment({ told, given, installation, runs, broker, database, redis });
  const env = { ...made, ...set };
  const password = given.ADMIN_PASSWORD ?? installation.ADMIN_PASSWORD ?? newPassword();
  const administrator = { username: given.ADMIN_USERNAME, password };
  const on = database && { db: database.client, log, now: Date.now };
  return {
    given,
    data,
    installation,
    policies,
    log,
    database,
    redis,
    made,
    set,
    env,
    administrator,
    identity: on && embeds.identity ? await openIdentity(on, env, administrator) : undefined,
    secrets: on && embeds.secrets ? await openSecrets(on, env, policies) : undefined,
    broker: kafka ? await bridgeOf({ ...given, KAFKA_BROKERS: kafka }, { credentials: broker, log, closers }) : on && embeds.broker ? openBroker(on, broker) : undefined,
  };
}

async function redisOf({ REDIS_URL: url, REDIS_CA_FILE: authority }: Given, log: Log) {
  if (url === undefined) return undefined;
  // Its client takes a fifth of a second to load.
  const { openRedis } = await import("./redis.ts");
  return openRedis({ url, authority, log });
}

async function bridgeOf(settings: KafkaSettings, on: { credentials: BasicCredential; log: Log; closers: Closers }): Promise<Backend> {
  // So does its.
  const { openBridge } = await import("./kafka.ts");
  const { fetch, greet } = openBridge(settings, on);
  // Without Kafka the platform starts all the same, and says so.
  void greet();
  return { fetch };
}
