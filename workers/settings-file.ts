import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { parseEnv } from "node:util";
import { SettingsError } from "../src/env.ts";
import type { Environment } from "./environment.ts";

/** What this process is told: its environment, over the settings file. An empty value says nothing. */
export function processEnvironment(): Environment {
  const environment = said(process.env);
  return { ...said(readSettingsFile(environment)), ...environment };
}

/** Where settings are kept: `SETTINGS_FILE`, or beside the data. */
export function settingsFile({ SETTINGS_FILE: file, GATEHOUSE_DATA: data = ".gatehouse" }: Environment): string {
  return file ?? join(data, "settings.env");
}

function readSettingsFile(environment: Environment): Environment {
  const path = settingsFile(environment);
  if (!existsSync(path) && environment["SETTINGS_FILE"] === undefined) return {};
  try {
    return parseEnv(readFileSync(path, "utf8")) as Environment;
  } catch (cause) {
    throw new SettingsError(`Cannot read the settings file "${path}": ${(cause as Error).message}`, { cause });
  }
}

/** Writes `settings` so that only the owner may read them, over what the file had; a crash leaves the old file or the new one. */
export function writeSettingsFile(path: string, settings: Record<string, string>): void {
  const made = `${path}.${crypto.randomUUID()}`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(made, Object.entries(settings).map(line).join(""), { mode: 0o600, flush: true });
    renameSync(made, path);
  } finally {
    rmSync(made, { force: true });
  }
}

/** One line that is read back as it was: the format has no escapes, so a value is put between quotes that it does not have. */
function line([name, value]: [string, string]): string {
  const quote = ["", "'", "`"].find((mark) => (mark === "" ? /^[\w./:@,+-]*$/.test(value) : !value.includes(mark)));
  if (quote === undefined || /[\r\n]/.test(value)) throw new SettingsError(`Cannot write ${name} to a settings file: set it in the environment`);
  return `${name}=${quote}${value}${quote}\n`;
}

function said(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ""));
}
