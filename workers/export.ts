// The command that takes everything out of an embedded platform, to be put into real systems by `npm run import`.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readSettings, SettingsError } from "../src/env.ts";
import { jsonLog } from "../src/http/log.ts";
import { clusterId, recordsOfOthers } from "../src/moving/export/broker-store.ts";
import { exported } from "../src/moving/export/export.ts";
import { FORMAT, KEYS } from "../src/moving/kinds.ts";
import { lastMigration } from "../src/moving/rows-store.ts";
import { contentOf } from "../src/secrets/embedded/kv/content.ts";
import { openServer } from "../src/secrets/embedded/server.ts";
import { processSettings } from "../src/settings/process.ts";
import { runCommand } from "./command.ts";
import { openInstallation } from "./data.ts";
import { openDatabase } from "./database.ts";
import { beginFolder, checkFolder, finishFolder, writeLines } from "./moving-folder.ts";
import { processEnvironment } from "./settings-file.ts";

const USAGE = `Usage: npm run export -- FOLDER [--postgres]

Writes what the stopped platform in GATEHOUSE_DATA holds to FOLDER, for "npm run import".
  --postgres  reads the database at DATABASE_URL instead, where the embedded servers of a platform on a real Postgres keep what they hold`;

/** What `contentOf` asks for besides what it opens by. */
const NO_SETTINGS = { currentVersion: 0, maxVersions: 0, isCasRequired: false, customMetadata: null, created: 0, updated: 0 };

const FAILED = 1;

await runCommand({ name: "export", usage: USAGE, options: { postgres: { type: "boolean" } }, takes: 1, failed: FAILED }, async ({ flags, args: [folder = ""] }) => {
  await exportTo(folder, { isPostgres: flags.postgres ?? false });
  return 0;
});

async function exportTo(folder: string, { isPostgres }: { isPostgres: boolean }): Promise<void> {
  const told = processEnvironment();
  const given = readSettings(processSettings, told);
  const data = given.GATEHOUSE_DATA;
  if (isPostgres && !given.DATABASE_URL) throw new SettingsError("Cannot export: set DATABASE_URL");
  if (!isPostgres && !existsSync(join(data, "postgres", "data"))) throw new SettingsError(`Cannot export "${data}": there is no embedded database in it`);
  checkFolder(folder);
  const installation = openInstallation(data);
  const log = jsonLog((line) => console.error(line), Date.now);
  const database = await openDatabase({ url: isPostgres ? given.DATABASE_URL : undefined, directory: join(data, "postgres"), password: installation.DATABASE_PASSWORD, log });
  try {
    const db = database.client;
    const server = openServer({ db, log, now: Date.now, key: given.SECRETS_KEY ?? installation.SECRETS_KEY, randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)) });
    const open: Parameters<typeof exported>[0]["open"] = async (document, version) => {
      const opened = await contentOf(server, { ...document, ...NO_SETTINGS, chosen: { ...version, created: 0, deleted: null, isDestroyed: false } });
      return opened?.content ?? null;
    };
    beginFolder(folder);
    const lines: Record<string, number> = {};
    for (const [name, all] of exported({ db, open })) lines[name] = await writeLines(folder, name, all);
    const manifest = { format: FORMAT, madeAt: new Date().toISOString(), migration: await lastMigration(db), cluster: await clusterId(db), lines };
    const keys = Object.fromEntries(KEYS.map((name) => [name, told[name] ?? installation[name]]));
    finishFolder(folder, { manifest, keys });
    report(folder, { lines, others: await recordsOfOthers(db) });
  } finally {
    await database.close();
  }
}

function report(folder: string, { lines, others }: { lines: Record<string, number>; others: number }): void {
  for (const [name, count] of Object.entries(lines)) console.log(`${name.padEnd(28)} ${count}`);
  console.log(`\nExported to "${folder}". It holds hashes of passwords, and secrets in clear: keep it to yourself, and delete it after the import.`);
  console.log("Not in it: sessions (people sign in again), secret-ids of AppRoles (they are kept hashed: mint new ones), registered instances (they register again).");
  if (others > 0) console.log(`Nor the ${others} records in topics other than the platform's own: consume them before, or produce them anew.`);
  console.log("Nor the records in the platform's own topics, platform.*: the import sends again what the platform's own consumers had not read.");
}
