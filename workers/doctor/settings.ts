import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";
import { type Environment, SettingsError } from "../../src/env.ts";
import type { Mistake } from "../../src/doctor/settings/mistakes.ts";
import type { SecretFile } from "../../src/doctor/settings/files.ts";
import type { Given } from "../environment.ts";
import { readPolicies } from "../policies.ts";
import { urlForPg } from "../postgres-url.ts";
import { instanceAddress } from "../registrations.ts";
import { ownEnvironment, peekSettingsFile, settingsFile } from "../settings-file.ts";
import { readTold } from "../told.ts";
import type { KeptInstallation } from "./installation.ts";

export type ReadSettings = ReturnType<typeof readEverything>;

/** What the platform would start with, as far as it can be read; nothing is made. */
export function readEverything() {
  const own = ownEnvironment();
  const file = settingsFile(own);
  const { settings: filed, strays } = fileOf(own, file);
  const told: Environment = { ...filed, ...own };
  const { given, kept, made, set, mistakes } = readTold(told);
  const policies = attempt("POLICIES_DIR", () => readPolicies(given.POLICIES_DIR));
  return {
    own,
    file,
    filed,
    strays,
    told,
    given,
    kept,
    made,
    set,
    policies: policies.value ?? {},
    mistakes: [...mistakes, ...policies.mistakes, ...placeMistakes(given, { ...made, ...set })],
    files: secretFiles(kept, { file, directory: given.GATEHOUSE_DATA }),
  };
}

/** No settings when it cannot be read. */
function fileOf({ SETTINGS_FILE: named }: Environment, file: string): { settings: Environment | undefined; strays: number[] } {
  try {
    if (named !== undefined) accessSync(named, constants.R_OK);
    return peekSettingsFile(file);
  } catch {
    return { settings: undefined, strays: [] };
  }
}

/** What a start refuses besides the schemas, in its own words. */
function placeMistakes(given: Given, { DISCOVERY_URL: registry }: Environment): Mistake[] {
  const { DATABASE_URL: database, SERVICES: services } = given;
  const readable = Object.entries({ KAFKA_CA_FILE: given.KAFKA_CA_FILE, REDIS_CA_FILE: given.REDIS_CA_FILE, CONFIG_DIR: given.CONFIG_DIR });
  return [
    ...(database ? attempt("DATABASE_URL", () => urlForPg(database)).mistakes : []),
    ...(registry && services.some((name) => name !== "discovery") ? attempt("INSTANCE_HOST", () => instanceAddress(given, registry)).mistakes : []),
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
