import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SettingsError } from "../src/env.ts";
import type { Log } from "../src/http/log.ts";
import { behindEndpoint, type OpenDatabase } from "./database.ts";
import { openPool } from "./pg.ts";
import { LOCK, lockDatabase, openPglite } from "./pglite.ts";
import { hostOf } from "./postgres-url.ts";
import type { Closers } from "./process.ts";
import { planDatabase } from "./provision/database.ts";

type Place = { url: string | undefined; directory: string; log: Log; closers: Closers };

const TIMEOUT_MS = 5000;

/** The database at `url` or, without one, a copy of the embedded one in `directory`: nothing is made or changed in either. */
export async function openTrial({ url, directory, log, closers }: Place): Promise<OpenDatabase> {
  return url ? openUnchanged(url, log) : openCopy(directory, { log, closers });
}

async function openUnchanged(url: string, log: Log): Promise<OpenDatabase> {
  const { steps } = await planDatabase(url);
  if (steps.length > 0) throw new SettingsError(`Cannot try the import into the database at "${hostOf(url)}": it lacks migrations, which "npm run provision" brings`);
  return behindEndpoint(openPool({ url, connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS }, log), crypto.randomUUID());
}

/** Where there is none yet, it is an empty one. It is removed at the end of the command, however that comes. */
async function openCopy(directory: string, { log, closers }: Pick<Place, "log" | "closers">): Promise<OpenDatabase> {
  const copy = mkdtempSync(join(tmpdir(), "gatehouse-trial-"));
  closers.push(() => rmSync(copy, { recursive: true, force: true }));
  if (existsSync(directory)) copyStopped(directory, copy);
  return behindEndpoint(await openPglite(copy, { log }), crypto.randomUUID());
}

function copyStopped(directory: string, to: string): void {
  const unlock = lockDatabase(directory);
  try {
    cpSync(directory, to, { recursive: true, filter: (path) => path !== join(directory, LOCK) });
  } finally {
    unlock();
  }
}
