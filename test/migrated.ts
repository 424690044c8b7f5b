import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { migrationsFolder } from "../workers/migration-files.ts";
import { migratePglite } from "../workers/migrations.ts";
import { memoryPglite } from "../workers/pglite.ts";

const CACHE = fileURLToPath(new URL("../node_modules/.cache/gatehouse", import.meta.url));
const PACKAGES = fileURLToPath(new URL("../package.json", import.meta.url));

const DAY_MS = 24 * 60 * 60_000;

/** Before any test: makes a dump of a migrated database, once for each state of `migrations/`; loading one takes a third of making one. */
export async function setup(): Promise<void> {
  const path = migratedContent();
  if (existsSync(path)) return;
  const pglite = await memoryPglite();
  await migratePglite(pglite);
  const dump = await pglite.dumpDataDir("none");
  await pglite.close();
  mkdirSync(CACHE, { recursive: true });
  for (const old of readdirSync(CACHE).map((name) => `${CACHE}/${name}`)) if (Date.now() - statSync(old).mtimeMs > DAY_MS) rmSync(old);
  const written = `${path}.${process.pid}`;
  await writeFile(written, dump.stream());
  // Another run may have made it meanwhile, and who reads a file that is replaced cannot read on.
  if (existsSync(path)) rmSync(written);
  else renameSync(written, path);
}

/** Where the dump is. */
export function migratedContent(): string {
  return `${CACHE}/${stateOfMigrations()}.tar`;
}

/** Another for each state of what migrates. */
export function stateOfMigrations(): string {
  const names = existsSync(migrationsFolder) ? readdirSync(migrationsFolder, { recursive: true, encoding: "utf8" }).toSorted() : [];
  const files = names.filter((name) => /\.(sql|json)$/.test(name)).map((name) => `${migrationsFolder}/${name}`);
  const hash = createHash("sha256");
  for (const file of [PACKAGES, ...files]) hash.update(file).update(readFileSync(file));
  return hash.digest("hex").slice(0, 16);
}
