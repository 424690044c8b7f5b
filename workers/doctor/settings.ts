import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";
import { processSettings, readSettings, type ServiceName, SettingsError } from "../../src/env.ts";
import { type Mistake, processMistakes } from "../../src/doctor/settings/mistakes.ts";
import type { SecretFile } from "../../src/doctor/settings/files.ts";
import { environment, type Environment, type Given } from "../environment.ts";
import { readPolicies } from "../policies.ts";
import { urlForPg } from "../postgres-url.ts";
import { placeOf } from "../registrations.ts";
import { ownEnvironment, readSettingsFile, settingsFile } from "../settings-file.ts";
import { type KeptInstallation, peekInstallation } from "./installation.ts";

export type ReadSettings = ReturnType<typeof readEverything>;

/** What the platform would start with, as far as it can be read; nothing is made. */
export function readEverything() {
  const own = ownEnvironment();
  const file = settingsFile(own);
  const filed = fileOf(own, file);
  const told: Environment = { ...filed, ...own };
  const wrong = processMistakes(told);
  // What is wrong is as if it were not said: the rest can still be looked at.
  const usable = Object.fromEntries(Object.entries(told).filter(([name]) => !wrong.some((mistake) => mistake.name === name)));
  const given = readSettings(processSettings, usable);
  const kept = peekInstallation(given.GATEHOUSE_DATA);
  const runs = (...names: ServiceName[]) => names.some((name) => given.SERVICES.includes(name));
  const broker = { username: "gatehouse", password: kept.installation.BROKER_PASSWORD };
  const { made, set } = environment({ told: usable, given, installation: kept.installation, runs, broker, database: undefined });
  const policies = attempt("POLICIES_DIR", () => readPolicies(given.POLICIES_DIR));
  return {
    own,
    file,
    filed,
    told,
    given,
    kept,
    runs,
    set,
    // The embedded one is opened in process, by an address of its own.
    made: { DATABASE_URL: "postgres://embedded@localhost/gatehouse", ...made },
    policies: policies.value ?? {},
    mistakes: [...wrong, ...policies.mistakes, ...placeMistakes(given, { ...made, ...set })],
    files: secretFiles(kept, { file, directory: given.GATEHOUSE_DATA }),
  };
}

/** Undefined when it cannot be read. */
function fileOf({ SETTINGS_FILE: named }: Environment, file: string): Environment | undefined {
  try {
    if (named !== undefined) accessSync(named, constants.R_OK);
    return readSettingsFile(file);
  } catch {
    return undefined;
  }
}

/** What a start refuses besides the schemas, in its own words. */
function placeMistakes(given: Given, { DISCOVERY_URL: registry }: Environment): Mistake[] {
  const { DATABASE_URL: database, SERVICES: services } = given;
  const readable = Object.entries({ KAFKA_CA_FILE: given.KAFKA_CA_FILE, REDIS_CA_FILE: given.REDIS_CA_FILE, CONFIG_DIR: given.CONFIG_DIR });
  return [
    ...(database ? attempt("DATABASE_URL", () => urlForPg(database)).mistakes : []),
    ...(registry && services.some((name) => name !== "discovery") ? attempt("INSTANCE_HOST", () => placeOf(given, registry)).mistakes : []),
    ...readable.flatMap(([name, path]) => (path === undefined ? [] : attempt(name, () => accessSync(path, constants.R_OK)).mistakes)),
  ];
}

function attempt<T>(name: string, work: () => T): { value?: T; mistakes: Mistake[] } {
  try {
    return { value: work(), mistakes: [] };
  } catch (error) {
    const { code } = error as { code?: unknown };
    const message = error instanceof SettingsError ? error.message : `it cannot be read (${String(code)})`;
    return { mistakes: [{ name, message, isMissing: false }] };
  }
}

function secretFiles({ path, state }: KeptInstallation, { file, directory }: { file: string; directory: string }): SecretFile[] {
  const folders = [...new Set([directory, ...(state === "none" ? [] : [dirname(path)])])];
  return [...folders, file, path].flatMap((at) => {
    const found = statSync(at, { throwIfNoEntry: false });
    // Windows has no such bits, and makes some up.
    return found ? [{ path: at, isDirectory: found.isDirectory(), mode: process.platform === "win32" ? undefined : found.mode & 0o777 }] : [];
  });
}
