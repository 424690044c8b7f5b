import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "pg";
import { postgresRun } from "../src/database/postgres.ts";
import { SettingsError } from "../src/env.ts";
import { describe, type Log } from "../src/http/log.ts";
import { behindEndpoint, type OpenDatabase } from "./database.ts";
import { lockFile } from "./lock.ts";
import { openPglite } from "./pglite.ts";
import { placeOf, urlForPg } from "./postgres-url.ts";
import { planDatabase } from "./provision/database.ts";

type Place = { url: string | undefined; directory: string; log: Log };

const TIMEOUT_MS = 5000;

/** The database at `url` or, without one, a copy of the embedded one in `directory`: nothing is made or changed in either. */
export async function openTrial({ url, directory, log }: Place): Promise<OpenDatabase> {
  return url ? openUnchanged(url, log) : openCopy(directory, log);
}

async function openUnchanged(url: string, log: Log): Promise<OpenDatabase> {
  const { steps } = await planDatabase(url);
  if (steps.length > 0) throw new SettingsError(`Cannot try the import into the database at "${placeOf(url)}": it lacks migrations, which "npm run provision" brings`);
  const pool = new Pool({ connectionString: urlForPg(url), application_name: "gatehouse", connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS });
  const run = postgresRun(pool, (error) => log({ level: "warn", service: "database", message: "Lost an idle connection", error: describe(error) }));
  return behindEndpoint({ run, close: () => pool.end() }, crypto.randomUUID());
}

/** Where there is none yet, it is an empty one. */
async function openCopy(directory: string, log: Log): Promise<OpenDatabase> {
  const copy = mkdtempSync(join(tmpdir(), "gatehouse-trial-"));
  const remove = () => rmSync(copy, { recursive: true, force: true });
  try {
    if (existsSync(directory)) copyStopped(directory, copy);
    const { run, close } = await openPglite(copy, { log });
    return behindEndpoint({ run, close: () => close().finally(remove) }, crypto.randomUUID());
  } catch (error) {
    remove();
    throw error;
  }
}

function copyStopped(directory: string, to: string): void {
  const lock = join(directory, "lock");
  const unlock = lockFile(lock);
  if (!unlock) throw new SettingsError(`Cannot open the database in "${directory}": another process is using it`);
  try {
    cpSync(directory, to, { recursive: true, filter: (path) => path !== lock });
  } finally {
    unlock();
  }
}
