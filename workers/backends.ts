import { join } from "node:path";
import process from "node:process";
import { processSettings, readSettings } from "../src/env.ts";
import type { Fetch } from "../src/http/fetch.ts";
import { jsonLog, type Log, prettyLog } from "../src/http/log.ts";
import { embeddedIdentity } from "../src/identity/embedded/app.ts";
import { provisionIdentity } from "../src/identity/embedded/provision.ts";
import { sweepIdentity } from "../src/identity/embedded/sweep.ts";
import { openInstallation } from "./data.ts";
import { openDatabase } from "./database.ts";
import type { Closers } from "./process.ts";

export type Backends = Awaited<ReturnType<typeof openBackends>>;

/** Opens what the services stand on: the data directory, the database and, unless a URL names a real one, the identity provider. */
export async function openBackends(closers: Closers) {
  const given = readSettings(processSettings, process.env);
  const data = given.GATEHOUSE_DATA;
  const installation = openInstallation(data);
  const log = logOf(given.LOG_FORMAT);
  const database = await openDatabase({ url: given.DATABASE_URL, directory: join(data, "postgres"), password: installation.DATABASE_PASSWORD, log });
  closers.push(database.close);

  const env: Record<string, string | undefined> = {
    ...installation,
    IDENTITY_URL: `http://localhost:${given.IDENTITY_PORT}`,
    // Embedded servers share this machine's cores with everything else, and hashing a password takes a while on any.
    ...(!given.IDENTITY_URL && { TOKEN_TIMEOUT_MS: "6000" }),
    ...(!given.DATABASE_URL && { DATABASE_TIMEOUT_MS: "5000" }),
    ...process.env,
    DATABASE_URL: database.url,
    DATABASE_SQL_URL: database.endpoint,
  };
  const password = given.ADMIN_PASSWORD ?? installation.ADMIN_PASSWORD;
  const administrator = { username: given.ADMIN_USERNAME, password };
  const identity = given.IDENTITY_URL ? undefined : await openIdentity(env, { database, administrator, log });
  return { given, data, installation, log, database, env, administrator, identity };
}

async function openIdentity(
  env: Record<string, string | undefined>,
  on: { database: Awaited<ReturnType<typeof openDatabase>>; administrator: { username: string; password: string | undefined }; log: Log },
) {
  const needs = { db: on.database.client, url: env["IDENTITY_URL"] ?? "", realm: env["IDENTITY_REALM"] ?? "platform", now: Date.now };
  const { administratorCreated } = await provisionIdentity(needs, {
    secrets: {
      "auth-service": env["AUTH_SERVICE_CLIENT_SECRET"] ?? "",
      "user-service": env["USER_SERVICE_CLIENT_SECRET"] ?? "",
      "admin-service": env["ADMIN_SERVICE_CLIENT_SECRET"] ?? "",
    },
    administrator: { ...on.administrator, password: on.administrator.password ?? "" },
  });
  const app = embeddedIdentity({ ...needs, log: on.log });
  const fetch: Fetch = (request) => app.fetch(request);
  return { fetch, sweep: () => sweepIdentity(needs).then(() => {}), administratorCreated };
}

function logOf(format: "json" | "pretty" | "auto"): Log {
  const isPretty = format === "pretty" || (format === "auto" && process.stdout.isTTY);
  return (isPretty ? prettyLog : jsonLog)((line) => console.log(line), Date.now);
}
