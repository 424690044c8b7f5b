// The command that makes real systems what the platform needs: `npm run provision`. It shows what it would do before it does it.
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { AdministrationError } from "../src/administration/administer.ts";
import { readSettings, SettingsError } from "../src/env.ts";
import { beginCall, type Call } from "../src/http/call.ts";
import { UNSHOWN_PASSWORD } from "../src/provision/identity/administrator.ts";
import { chosen, planPlaces } from "../src/provision/places.ts";
import { type Kept, type Plan, type Step, together } from "../src/provision/plan.ts";
import { provisionSettings, SYSTEMS } from "../src/provision/settings.ts";
import { planShared } from "../src/provision/shared.ts";
import { runCommand } from "./command.ts";
import { installationIn } from "./data.ts";
import { lockFile } from "./lock.ts";
import type { Closers } from "./process.ts";
import { ask, isTerminal } from "./provision/ask.ts";
import { keptIn } from "./provision/kept.ts";
import { planSystems } from "./provision/systems.ts";
import { ownEnvironment, readSettingsFile, settingsFile } from "./settings-file.ts";

const USAGE = `Usage: npm run provision -- [--dry-run] [--yes] [--adopt]

Makes the systems that IDENTITY_URL, SECRETS_URL, BROKER_URL, DATABASE_URL, REDIS_URL and their like name what the platform needs,
and keeps what it starts from in SETTINGS_FILE, or settings.env in GATEHOUSE_DATA. Administrators' credentials are not kept:
IDENTITY_ADMIN_USERNAME and IDENTITY_ADMIN_PASSWORD (or IDENTITY_ADMIN_CLIENT_ID and IDENTITY_ADMIN_CLIENT_SECRET), SECRETS_ADMIN_TOKEN.
It shows what it would do, and asks "Do it? [y/N]". Where there is no terminal to ask on, it does nothing without --yes.
  --dry-run  shows what would be done, and does nothing
  --yes      does it without asking
  --adopt    brings in line also what is there already and was not made by this command
Ends with 0 when everything is as it is needed (or would be, with --dry-run), with 1 when something could not be done, with 2 when nobody
agreed and nothing was changed, with 3 when something that was not made by this command was left otherwise.`;

/** The statuses it ends with. */
const FAILED = 1;
const NOT_CONFIRMED = 2;
const DIFFERENT = 3;

/** Milliseconds for all of it. */
const LIMIT_MS = 30 * 60_000;

const OPTIONS = { "dry-run": { type: "boolean" }, yes: { type: "boolean" }, adopt: { type: "boolean" } } as const;

await runCommand({ name: "provision", usage: USAGE, options: OPTIONS, failed: FAILED }, ({ flags, closers }) => {
  return provision({ isTrial: flags["dry-run"] ?? false, isConfirmed: flags.yes ?? false, adopts: flags.adopt ?? false }, closers);
});

type Flags = { isTrial: boolean; isConfirmed: boolean; adopts: boolean };

async function provision({ isTrial, isConfirmed, adopts }: Flags, closers: Closers): Promise<number> {
  const own = ownEnvironment();
  const path = settingsFile(own);
  const told = chosen({ file: readSettingsFile(path), own });
  const settings = readSettings(provisionSettings, told);
  if (!SYSTEMS.some((name) => told[name])) throw new SettingsError(`Cannot provision: set one of ${SYSTEMS.join(", ")} at least\n\n${USAGE}`);
  if (!isTrial) closers.push(lock(path));
  const kept = keptIn(path);
  const call = beginCall(new Headers(), { now: Date.now(), limit: LIMIT_MS });
  const systems = await planSystems(call, settings, { kept, own, adopts, closers });
  const { DATABASE_URL: database, GATEHOUSE_DATA: data } = settings;
  const sealed = async () => (database ? (await import("./provision/database.ts")).sealedIn(database) : []);
  const shared = await planShared({ kept, installed: () => installationIn(data), own, path, sealed });
  const { steps, differences, notes } = together(systems, shared, planPlaces(told, { kept, path }));
  show({ steps, differences, notes });
  const ending = differences.length > 0 ? DIFFERENT : 0;
  if (isTrial) return ending;
  if (steps.length > 0) {
    if (!isConfirmed && !(await isAgreed())) {
      console.error("Nothing was changed: --yes does it without asking");
      return NOT_CONFIRMED;
    }
    await apply(steps, { call, path });
    console.log(`\nDone. The platform starts from "${path}".`);
  }
  showPassword(kept, settings.ADMIN_USERNAME);
  return ending;
}

function show({ steps, differences, notes }: Plan): void {
  if (steps.length === 0) console.log(differences.length === 0 ? "Nothing to do." : "Nothing to do but what was not made by this command.");
  else console.log(`To do:\n${steps.map(({ change }, index) => `${String(index + 1).padStart(4)}. ${change}`).join("\n")}`);
  if (differences.length > 0) console.log(`\nLeft as it is, unless --adopt is given:\n${bulleted(differences)}`);
  if (notes.length > 0) console.log(`\nTo think about:\n${bulleted(notes)}`);
}

/** Two at once would each make secrets of their own. */
function lock(path: string): () => void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const unlock = lockFile(`${path}.lock`);
  if (!unlock) throw new SettingsError(`Cannot provision: another run is writing "${path}"`);
  return unlock;
}

function bulleted(lines: string[]): string {
  return lines.map((line) => `   - ${line}`).join("\n");
}

async function isAgreed(): Promise<boolean> {
  return isTerminal() && /^y(es)?$/i.test(await ask("\nDo it? [y/N] "));
}

async function apply(steps: Step[], { call, path }: { call: Call; path: string }): Promise<void> {
  console.log("");
  for (const [index, { change, apply }] of steps.entries()) {
    try {
      await apply(call);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new AdministrationError(`Cannot do step ${index + 1} (${change}): ${why}\nWhat was done is kept in "${path}": run this again to go on`, { cause });
    }
    console.log(`${String(index + 1).padStart(4)}. done`);
  }
}

/** Once: it is forgotten with that. */
function showPassword(kept: Kept, username: string): void {
  const password = kept.get(UNSHOWN_PASSWORD);
  if (password === undefined) return;
  console.log(`\n  Administrator  ${username}\n  Password       ${password}   (shown this once: keep it)`);
  kept.keep({ [UNSHOWN_PASSWORD]: "" });
}
