import { createHash } from "node:crypto";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { lockFile } from "../../workers/lock.ts";

const POLL_MS = 500;

/** What is brought once and kept between runs: `GATEHOUSE_REAL_CACHE`, or where the user's caches are. */
export function cacheFolder(): string {
  const folder = process.env["GATEHOUSE_REAL_CACHE"] || join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "gatehouse-real");
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Has `make` fill `folder`, once for all runs beside and after each other; what was left half done is made anew. */
export async function madeOnce(folder: string, make: () => Promise<unknown>): Promise<void> {
  const mark = join(folder, ".complete");
  if (existsSync(mark)) return;
  let unlock = lockFile(`${folder}.lock`);
  for (; !unlock; unlock = lockFile(`${folder}.lock`)) await pause(POLL_MS);
  try {
    if (existsSync(mark)) return;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    console.log(`making ${folder}, this once`);
    const began = performance.now();
    await make();
    writeFileSync(mark, "");
    console.log(`made ${folder} in ${((performance.now() - began) / 1000).toFixed(1)} s`);
  } finally {
    unlock();
  }
}

/** A short name for what something is made from. */
export function digest(...parts: string[]): string {
  return createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, 12);
}
