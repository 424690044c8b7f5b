import { join } from "node:path";
import process from "node:process";
import { processSettings, readSettings, type ServiceName } from "../src/env.ts";
import { jsonLog, type Log, prettyLog } from "../src/http/log.ts";
import { type Installation, newPassword, openInstallation } from "./data.ts";
import { openDatabase } from "./database.ts";
import { type Environment, openBroker, openIdentity, openSecrets } from "./embedded.ts";
import { readPolicies } from "./policies.ts";
import type { Closers } from "./process.ts";

export type Backends = Awaited<ReturnType<typeof openBackends>>;

/** Opens what the services of this process stand on: the database and, where no URL names a real one, identity provider, secrets store and broker. */
export async function openBackends(closers: Closers) {
  const given = readSettings(processSettings, process.env);
  const data = given.GATEHOUSE_DATA;
  const installation = openInstallation(data);
  const policies = readPolicies(given.POLICIES_DIR);
  const log = logOf(given.LOG_FORMAT);
  const runs = (...names: ServiceName[]) => names.some((name) => given.SERVICES.includes(name));
  const embeds = {
    identity: !given.IDENTITY_URL && runs("users", "auth", "admin", "config"),
    secrets: !given.SECRETS_URL && runs("admin", "config"),
    broker: !given.BROKER_URL && runs("admin"),
  };
  const needsDatabase = runs("users", "admin", "discovery") || embeds.identity || embeds.secrets || embeds.broker;
  const place = { url: given.DATABASE_URL, directory: join(data, "postgres"), password: installation.DATABASE_PASSWORD, log };
  const database = needsDatabase ? await openDatabase(place) : undefined;
  if (database) closers.push(database.close);

  const broker = { username: "gatehouse", password: installation.BROKER_PASSWORD };
  const made: Environment = {
    ...madeFor(installation, given),
    IDENTITY_URL: `http://localhost:${given.IDENTITY_PORT}`,
    SECRETS_URL: `http://localhost:${given.SECRETS_PORT}`,
    BROKER_URL: `http://localhost:${given.BROKER_PORT}`,
    ...(!given.BROKER_URL && { BROKER_AUTHORIZATION: `Basic ${btoa(`${broker.username}:${broker.password}`)}` }),
    // Embedded servers share this machine's cores with everything else, and hashing a password takes a while on any.
    ...(!given.IDENTITY_URL && { TOKEN_TIMEOUT_MS: "6000" }),
    ...(!given.DATABASE_URL && { DATABASE_TIMEOUT_MS: "5000", SERVICE_TIMEOUT_MS: "5000" }),
  };
  const set: Environment = {
    ...Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== "")),
    LOOPBACK: isLoopback(given.HOST) ? "on" : "off",
    ...(database && { DATABASE_URL: database.url, DATABASE_SQL_URL: database.endpoint }),
  };
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

/** What the first start made is for the embedded servers: a real one's own credentials have to be given. */
function madeFor(made: Installation, { IDENTITY_URL, SECRETS_URL }: { IDENTITY_URL?: string | undefined; SECRETS_URL?: string | undefined }) {
  const { AUTH_SERVICE_CLIENT_SECRET, USER_SERVICE_CLIENT_SECRET, ADMIN_SERVICE_CLIENT_SECRET } = made;
  const { LOGIN_GUARD_KEY, DISCOVERY_PASSWORD, CONFIG_PASSWORD } = made;
  const { ADMIN_SERVICE_ROLE_ID, ADMIN_SERVICE_SECRET_ID, CONFIG_SERVER_ROLE_ID, CONFIG_SERVER_SECRET_ID, SECRETS_KEY } = made;
  return {
    LOGIN_GUARD_KEY,
    DISCOVERY_PASSWORD,
    CONFIG_PASSWORD,
    ...(!IDENTITY_URL && { AUTH_SERVICE_CLIENT_SECRET, USER_SERVICE_CLIENT_SECRET, ADMIN_SERVICE_CLIENT_SECRET }),
    ...(!SECRETS_URL && { ADMIN_SERVICE_ROLE_ID, ADMIN_SERVICE_SECRET_ID, CONFIG_SERVER_ROLE_ID, CONFIG_SERVER_SECRET_ID, SECRETS_KEY }),
  };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

function logOf(format: "json" | "pretty" | "auto"): Log {
  const isPretty = format === "pretty" || (format === "auto" && process.stdout.isTTY);
  return (isPretty ? prettyLog : jsonLog)((line) => console.log(line), Date.now);
}
