import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SettingsError } from "../src/env.ts";
import type { Log } from "../src/http/log.ts";
import { behindEndpoint, type OpenDatabase } from "./database.ts";
import { openPool } from "./pg.ts";
import { LOCK, lockDatabase, openPglite } from "./pglite.ts";
import { hostOf } from "./postgres-url.ts";
import { planDatabase } from "./provision/database.ts";

type Place = { url: string | undefined; directory: string; log: Log };

const TIMEOUT_MS = 5000;

/** The database at `url` or, without one, a copy of the embedded one in `directory`: nothing is made or changed in either. */
export async function openTrial({ url, directory, log }: Place): Promise<OpenDatabase> {
  return url ? openUnchanged(url, log) : openCopy(directory, log);
}

async function openUnchanged(url: string, log: Log): Promise<OpenDatabase> {
  const { steps } = await planDatabase(url);
  if (steps.length > 0) throw new SettingsError(`Cannot try the import into the database at "${hostOf(url)}": it lacks migrations, which "npm run provision" brings`);
  return behindEndpoint(openPool({ url, connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS }, log), crypto.randomUUID());
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
  const unlock = lockDatabase(directory);
  try {
    cpSync(directory, to, { recursive: true, filter: (path) => path !== join(directory, LOCK) });
  } finally {
    unlock();
  }
}
