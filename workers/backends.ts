import { join } from "node:path";
import process from "node:process";
import { bundledPolicies } from "../src/admin/policies/bundled.ts";
import { embeddedBroker } from "../src/broker/embedded/app.ts";
import { sweepBroker } from "../src/broker/embedded/sweep.ts";
import type { Database } from "../src/database/client.ts";
import { processSettings, readSettings, SettingsError } from "../src/env.ts";
import type { Fetch } from "../src/http/fetch.ts";
import { jsonLog, type Log, prettyLog } from "../src/http/log.ts";
import { embeddedIdentity } from "../src/identity/embedded/app.ts";
import { provisionIdentity } from "../src/identity/embedded/provision.ts";
import { sweepIdentity } from "../src/identity/embedded/sweep.ts";
import { adminPolicy } from "../src/secrets/embedded/admin-policy.ts";
import { embeddedSecrets } from "../src/secrets/embedded/app.ts";
import { provisionSecrets, WrongKey } from "../src/secrets/embedded/provision.ts";
import { sweepSecrets } from "../src/secrets/embedded/sweep.ts";
import { type Installation, newPassword, openInstallation } from "./data.ts";
import { openDatabase } from "./database.ts";
import { readPolicies } from "./policies.ts";
import type { Closers } from "./process.ts";

/** An embedded server, and what is to be done for it every few seconds. */
export type Backend = { fetch: Fetch; sweep: () => Promise<unknown> };

export type Backends = Awaited<ReturnType<typeof openBackends>>;

/** Opens what the services stand on: the database and, where no URL names a real one, identity provider, secrets store and broker. */
export async function openBackends(closers: Closers) {
  const given = readSettings(processSettings, process.env);
  const data = given.GATEHOUSE_DATA;
  const installation = openInstallation(data);
  const policies = readPolicies(given.POLICIES_DIR);
  const log = logOf(given.LOG_FORMAT);
  const database = await openDatabase({ url: given.DATABASE_URL, directory: join(data, "postgres"), password: installation.DATABASE_PASSWORD, log });
  closers.push(database.close);

  const broker = { username: "gatehouse", password: installation.BROKER_PASSWORD };
  const env: Record<string, string | undefined> = {
    ...madeFor(installation, given),
    IDENTITY_URL: `http://localhost:${given.IDENTITY_PORT}`,
    SECRETS_URL: `http://localhost:${given.SECRETS_PORT}`,
    BROKER_URL: `http://localhost:${given.BROKER_PORT}`,
    ...(!given.BROKER_URL && { BROKER_AUTHORIZATION: `Basic ${btoa(`${broker.username}:${broker.password}`)}` }),
    // Embedded servers share this machine's cores with everything else, and hashing a password takes a while on any.
    ...(!given.IDENTITY_URL && { TOKEN_TIMEOUT_MS: "6000" }),
    ...(!given.DATABASE_URL && { DATABASE_TIMEOUT_MS: "5000", SERVICE_TIMEOUT_MS: "5000" }),
    ...Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== "")),
    DATABASE_URL: database.url,
    DATABASE_SQL_URL: database.endpoint,
  };
  const password = given.ADMIN_PASSWORD ?? installation.ADMIN_PASSWORD ?? newPassword();
  const administrator = { username: given.ADMIN_USERNAME, password };
  const on = { db: database.client, log, now: Date.now };
  return {
    given,
    data,
    installation,
    policies,
    log,
    database,
    env,
    administrator,
    identity: given.IDENTITY_URL ? undefined : await openIdentity(on, env, administrator),
    secrets: given.SECRETS_URL ? undefined : await openSecrets(on, env, policies),
    broker: given.BROKER_URL ? undefined : openBroker(on, broker),
  };
}

/** What the first start made is for the embedded servers: a real one's own credentials have to be given. */
function madeFor(made: Installation, { IDENTITY_URL, SECRETS_URL }: { IDENTITY_URL?: string | undefined; SECRETS_URL?: string | undefined }) {
  const { AUTH_SERVICE_CLIENT_SECRET, USER_SERVICE_CLIENT_SECRET, ADMIN_SERVICE_CLIENT_SECRET, LOGIN_GUARD_KEY } = made;
  const { ADMIN_SERVICE_ROLE_ID, ADMIN_SERVICE_SECRET_ID, SECRETS_KEY } = made;
  return {
    LOGIN_GUARD_KEY,
    ...(!IDENTITY_URL && { AUTH_SERVICE_CLIENT_SECRET, USER_SERVICE_CLIENT_SECRET, ADMIN_SERVICE_CLIENT_SECRET }),
    ...(!SECRETS_URL && { ADMIN_SERVICE_ROLE_ID, ADMIN_SERVICE_SECRET_ID, SECRETS_KEY }),
  };
}

type Administrator = { username: string; password: string };

type On = { db: Database; log: Log; now: () => number };

async function openIdentity(on: On, env: Record<string, string | undefined>, { username, password }: Administrator) {
  const needs = { ...on, url: env["IDENTITY_URL"] ?? "", realm: env["IDENTITY_REALM"] ?? "platform" };
  const { administratorCreated } = await provisionIdentity(needs, {
    secrets: {
      "auth-service": env["AUTH_SERVICE_CLIENT_SECRET"] ?? "",
      "user-service": env["USER_SERVICE_CLIENT_SECRET"] ?? "",
      "admin-service": env["ADMIN_SERVICE_CLIENT_SECRET"] ?? "",
    },
    administrator: { username, password },
  });
  const app = embeddedIdentity(needs);
  return { administratorCreated, fetch: (request: Request) => app.fetch(request), sweep: () => sweepIdentity(needs) };
}

/** The administration service's own AppRole; what it may do is named otherwise than what it may write. */
const OWN = { role: "admin-service", policy: "platform-admin" };

async function openSecrets(on: On, env: Record<string, string | undefined>, policies: Record<string, string>): Promise<Backend> {
  const needs = { ...on, sharesPending: true, key: env["SECRETS_KEY"] ?? "", randomBytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) };
  const writable = Object.keys({ ...bundledPolicies, ...policies }).map((service) => `${service}-policy`);
  await provisionSecrets(needs, {
    policies: { [OWN.policy]: adminPolicy({ policies: writable, ownRole: OWN.role }) },
    approles: {
      [OWN.role]: { policies: [OWN.policy], roleId: env["ADMIN_SERVICE_ROLE_ID"] ?? "", secretId: env["ADMIN_SERVICE_SECRET_ID"] ?? "" },
    },
  }).catch((error: unknown) => {
    throw error instanceof WrongKey ? new SettingsError(`${error.message}: set SECRETS_KEY, or restore secrets.json`, { cause: error }) : error;
  });
  const app = embeddedSecrets(needs);
  return { fetch: (request) => app.fetch(request), sweep: () => sweepSecrets(needs) };
}

function openBroker(on: On, credentials: { username: string; password: string }): Backend {
  const app = embeddedBroker({ ...on, credentials });
  return { fetch: (request) => app.fetch(request), sweep: () => sweepBroker(on) };
}

function logOf(format: "json" | "pretty" | "auto"): Log {
  const isPretty = format === "pretty" || (format === "auto" && process.stdout.isTTY);
  return (isPretty ? prettyLog : jsonLog)((line) => console.log(line), Date.now);
}
