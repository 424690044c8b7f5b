import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { PGlite } from "@electric-sql/pglite";
import { dataDir } from "@electric-sql/pglite-prepopulatedfs";
import { pgliteRun } from "../src/database/pglite.ts";
import type { Run } from "../src/database/run.ts";
import { SettingsError } from "../src/env.ts";
import { describe, type Log } from "../src/http/log.ts";
import { lockFile } from "./lock.ts";
import { migratePglite, reasonOf } from "./migrations.ts";

/** A Postgres to run statements on. */
export type Postgres = { run: Run; close: () => Promise<void> };

/** The file in its directory that whoever uses it has locked. */
export const LOCK = "lock";

const MAINTENANCE_MS = 5 * 60_000;

/** With Postgres' own 128 MB of shared buffers it takes twice the memory, and WebAssembly never gives any back. */
const startParams = [...PGlite.defaultStartParams, "-c", "shared_buffers=16MB"];

/** The embedded Postgres in `directory`: made at the first start, brought up to date, held by this process alone; `instead` names settings that do without it. */
export async function openPglite(directory: string, { log, instead = [] }: { log: Log; instead?: readonly string[] }): Promise<Postgres> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const unlock = lockDatabase(directory, instead.length > 0 ? `; beside it, set ${instead.join(", ")}` : "");
  try {
    const pglite = await openOrCreate(`${directory}/data`);
    const run = pgliteRun(pglite);
    const timer = setInterval(() => void maintain(run, log), MAINTENANCE_MS);
    const close = async () => {
      clearInterval(timer);
      await pglite.close();
      unlock();
    };
    return { run, close };
  } catch (cause) {
    unlock();
    throw new SettingsError(`Cannot open the database in "${directory}": ${reasonOf(cause)}`, { cause });
  }
}

/** Takes the embedded Postgres in `directory` for this process alone; call the answer to give it back. `advice` is for whom another keeps from it. */
export function lockDatabase(directory: string, advice = ""): () => void {
  const unlock = lockFile(`${directory}/${LOCK}`);
  if (!unlock) throw new SettingsError(`Cannot open the database in "${directory}": another process is using it${advice}`);
  return unlock;
}

/** An embedded Postgres in memory; `content` is the dump of a data directory, without it there is nothing in it. */
export async function memoryPglite(content?: Blob): Promise<PGlite> {
  return PGlite.create({ loadDataDir: content ?? (await dataDir()), startParams });
}

async function openOrCreate(path: string): Promise<PGlite> {
  const unfinished = `${path}.unfinished`;
  // Ended while it was made: nothing can have been stored in it yet.
  if (existsSync(unfinished)) rmSync(path, { recursive: true, force: true });
  const isNew = !existsSync(path);
  if (isNew) writeFileSync(unfinished, "");
  const pglite = await PGlite.create(path, { startParams, ...(isNew && { loadDataDir: await dataDir() }) });
  rmSync(unfinished, { force: true });
  try {
    await migratePglite(pglite);
    return pglite;
  } catch (error) {
    await pglite.close();
    throw error;
  }
}

/** Nobody else does this for a Postgres of one process: its log would grow until it is closed, its tables for ever. */
async function maintain(run: Run, log: Log): Promise<void> {
  try {
    for (const query of ["VACUUM", "CHECKPOINT"]) await run({ statements: [{ query, params: [] }] });
  } catch (error) {
    log({ level: "warn", service: "database", message: "Cannot maintain the database", error: describe(error) });
  }
}
