import { join } from "node:path";
import process from "node:process";
import { processSettings, readSettings, type ServiceName, SERVICES } from "../src/env.ts";
import { jsonLog, type Log, prettyLog } from "../src/http/log.ts";
import { newPassword, openInstallation } from "./data.ts";
import { openDatabase } from "./database.ts";
import { openBroker, openIdentity, openSecrets } from "./embedded.ts";
import { environment } from "./environment.ts";
import { readPolicies } from "./policies.ts";
import type { Closers } from "./process.ts";
import { processEnvironment } from "./settings-file.ts";

export type Backends = Awaited<ReturnType<typeof openBackends>>;

/** Opens what the services of this process stand on: the database and, where no URL names a real one, identity provider, secrets store and broker. */
export async function openBackends(closers: Closers) {
  const told = processEnvironment();
  const given = readSettings(processSettings, told);
  const data = given.GATEHOUSE_DATA;
  const installation = openInstallation(data);
  const policies = readPolicies(given.POLICIES_DIR);
  const log = logOf(given.LOG_FORMAT);
  const runs = (...names: ServiceName[]) => names.some((name) => given.SERVICES.includes(name));
  const embeds = {
    identity: !given.IDENTITY_URL && runs("users", "auth", "admin", "config"),
    secrets: !given.SECRETS_URL && runs("admin", "config"),
    broker: !given.BROKER_URL && runs("users", "auth", "admin"),
  };
  const needs = {
    DATABASE_URL: runs("users", "auth", "admin", "discovery"),
    IDENTITY_URL: embeds.identity,
    SECRETS_URL: embeds.secrets,
    BROKER_URL: embeds.broker,
  };
  const needed = Object.entries(needs).flatMap(([name, isNeeded]) => (isNeeded ? [name] : []));
  const isPart = given.SERVICES.length < SERVICES.length;
  const place = { url: given.DATABASE_URL, directory: join(data, "postgres"), password: installation.DATABASE_PASSWORD, log, instead: isPart ? needed : [] };
  const database = needed.length > 0 ? await openDatabase(place) : undefined;
  if (database) closers.push(database.close);

  const broker = { username: "gatehouse", password: installation.BROKER_PASSWORD };
  const { made, set } = environment({ told, given, installation, runs, broker, database });
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
    made,
    set,
    env,
    administrator,
    identity: on && embeds.identity ? await openIdentity(on, env, administrator) : undefined,
    secrets: on && embeds.secrets ? await openSecrets(on, env, policies) : undefined,
    broker: on && embeds.broker ? openBroker(on, broker) : undefined,
  };
}

function logOf(format: "json" | "pretty" | "auto"): Log {
  const isPretty = format === "pretty" || (format === "auto" && process.stdout.isTTY);
  return (isPretty ? prettyLog : jsonLog)((line) => console.log(line), Date.now);
}
