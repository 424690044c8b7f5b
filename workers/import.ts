// The command that puts what `npm run export` has written into the real systems that the settings name.
import { join } from "node:path";
import { readSettings, SettingsError } from "../src/env.ts";
import { type FolderNeeds, importInto, type System, SYSTEMS } from "../src/moving/import/import.ts";
import { RESULTS, type Tally, tally } from "../src/moving/import/tally.ts";
import { provisionSettings } from "../src/provision/settings.ts";
import { runCommand, sentenceOf } from "./command.ts";
import { readKeys, readLines, readManifest } from "./moving-folder.ts";
import { databaseOf, systemsOf } from "./moving-targets.ts";
import type { Closers } from "./process.ts";
import { processEnvironment } from "./settings-file.ts";

const USAGE = `Usage: npm run import -- FOLDER [--dry-run] [--overwrite] [--only identity,secrets,broker,database]

Puts what "npm run export" wrote to FOLDER into the systems that the settings name, while the platform is stopped:
  identity  IDENTITY_URL, with IDENTITY_ADMIN_USERNAME and IDENTITY_ADMIN_PASSWORD
  secrets   SECRETS_URL, with SECRETS_ADMIN_TOKEN
  broker    BROKER_URL, with BROKER_AUTHORIZATION; or KAFKA_BROKERS
  database  DATABASE_URL; without it, the embedded one in GATEHOUSE_DATA
What is there and the same is passed over, so that it can be repeated, also after it was ended in the middle.
  --dry-run    counts, and changes nothing
  --overwrite  replaces what is there and different (users, clients, policies, AppRoles, secrets, rows), which is left as it is otherwise
Ends with 0 when everything is there, with 1 when something is missing, with 3 when something different was left.`;

/** The statuses it ends with. */
const MISSING = 1;
const DIFFERENT = 3;

const OPTIONS = { "dry-run": { type: "boolean" }, overwrite: { type: "boolean" }, only: { type: "string" } } as const;

await runCommand({ name: "import", usage: USAGE, options: OPTIONS, takes: 1, failed: MISSING }, async ({ flags, args: [folder = ""], closers }) => {
  const counted = tally((line) => console.log(line));
  const needs = { tally: counted, isDryRun: flags["dry-run"] ?? false, overwrites: flags.overwrite ?? false, now: Date.now, lines: (name: string) => readLines(folder, name) };
  const isWhole = await importAll(needs, { folder, wanted: systemsIn(flags.only), closers });
  return report(counted, isWhole);
});

function systemsIn(only: string | undefined): readonly System[] {
  const names = only?.split(",").map((name) => name.trim()) ?? SYSTEMS;
  const known = SYSTEMS.filter((system) => names.includes(system));
  if (known.length !== names.length) throw new SettingsError(`Cannot import only "${only}": name some of ${SYSTEMS.join(", ")}`);
  return known;
}

/** Whether every system took it; one that cannot be reached does not keep the others waiting. */
async function importAll(needs: FolderNeeds, { folder, wanted, closers }: { folder: string; wanted: readonly System[]; closers: Closers }): Promise<boolean> {
  const manifest = readManifest(folder);
  const told = processEnvironment();
  const settings = readSettings(provisionSettings, told);
  const { identity, secrets, broker } = await systemsOf(settings, { wanted, closers });
  const work: Record<System, (() => Promise<void>) | undefined> = {
    identity: identity && (() => importInto.identity(needs, identity)),
    secrets: secrets && (() => importInto.secrets(needs, secrets)),
    broker: broker && (() => importInto.broker(needs, broker)),
    database: async () => {
      const { target, otherKeys, close } = await databaseOf({ settings, told, manifest, isDryRun: needs.isDryRun, closers }, readKeys(folder));
      await importInto.database(needs, target).finally(close);
      if (otherKeys.length > 0) needs.tally.note(`Set ${otherKeys.join(" and ")} to what "${join(folder, "keys.json")}" says: rows were sealed or hashed so.`);
    },
  };
  let isWhole = true;
  for (const system of wanted) {
    await work[system]?.().catch((error: unknown) => {
      isWhole = false;
      console.error(`${system}: ${sentenceOf(error, "import")}`);
    });
  }
  return isWhole;
}

/** Prints the counts of each kind; answers the exit status. */
function report({ counts, notes }: Tally, isWhole: boolean): number {
  console.log(`\n${"".padEnd(28)}${RESULTS.map((result) => result.padStart(11)).join("")}`);
  for (const [kind, results] of counts()) console.log(kind.padEnd(28) + RESULTS.map((result) => String(results[result]).padStart(11)).join(""));
  for (const note of notes()) console.log(`\n${note}`);
  const all = [...counts().values()];
  if (!isWhole || all.some(({ failed }) => failed > 0)) {
    console.log("\nNot everything was imported. Repeat the command when the reason is gone: what is there is passed over.");
    return MISSING;
  }
  return all.some(({ different }) => different > 0) ? DIFFERENT : 0;
}
