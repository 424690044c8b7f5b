import { existsSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { parseEnv } from "node:util";
import { type Environment, said, SettingsError } from "../src/env.ts";
import { writeForOwner } from "./write-for-owner.ts";

/** What this process is told: its environment, over the settings file. An empty value says nothing. */
export function processEnvironment(): Environment {
  const environment = ownEnvironment();
  const { SETTINGS_FILE: named } = environment;
  if (named !== undefined && !existsSync(named)) throw new SettingsError(`Cannot read the settings file "${named}": it is not there`);
  return { ...readSettingsFile(settingsFile(environment)), ...environment };
}

/** The settings file, and the names of what it says to this process: not those that the environment has too. */
export function filedSettings(): { path: string; names: string[] } {
  const own = ownEnvironment();
  const path = settingsFile(own);
  return { path, names: Object.keys(readSettingsFile(path)).filter((name) => own[name] === undefined) };
}

/** What the environment alone says. */
export function ownEnvironment(): Environment {
  return said(process.env);
}

/** Where settings are kept: `SETTINGS_FILE`, or beside the data. */
export function settingsFile({ SETTINGS_FILE: file, GATEHOUSE_DATA: data = ".gatehouse" }: Environment): string {
  return file ?? join(data, "settings.env");
}

/** What the file says; nothing where there is none. Throws a SettingsError that names the lines which say nothing. */
export function readSettingsFile(path: string): Environment {
  const { settings, strays } = peekSettingsFile(path);
  if (strays.length > 0) throw new SettingsError(`Cannot read the settings file "${path}": no NAME=value in line ${strays.join(", ")}`);
  return settings;
}

/** What the lines of the file say, and the numbers of those that say nothing. */
export function peekSettingsFile(path: string): { settings: Environment; strays: number[] } {
  const text = existsSync(path) ? textOf(path) : "";
  return { settings: said(parsed(text)), strays: straysIn(text) };
}

/** Writes `settings` so that only the owner may read them, in the place of all that the file had but its comments. A link stays one. */
export function writeSettingsFile(path: string, settings: Record<string, string>): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const isThere = existsSync(path);
  writeForOwner(isThere ? realpathSync(path) : path, textFor(settings, isThere ? textOf(path) : ""));
}

/** `settings` in the order and among the comments of the text that was there. */
function textFor(settings: Record<string, string>, before: string): string {
  const left = new Map(Object.entries(settings));
  const kept = before.split("\n").flatMap((text) => {
    if (/^\s*(#.*)?$/.test(text)) return [`${text}\n`];
    const name = /^\s*(?:export\s+)?([\w.-]+)\s*=/.exec(text)?.[1] ?? "";
    const value = left.get(name);
    left.delete(name);
    return value === undefined ? [] : [line([name, value])];
  });
  const whole = `${kept.join("").trimEnd()}\n`.trimStart() + [...left].map(line).join("");
  // A comment sign within a value of several lines is none.
  return isSame(parsed(whole), settings) ? whole : Object.entries(settings).map(line).join("");
}

/** One line that is read back as it was: the format has no escapes, so a value is put between quotes that it does not have. */
function line([name, value]: [string, string]): string {
  const quote = ["", "'", "`"].find((mark) => (mark === "" ? /^[\w./:@,+-]*$/.test(value) : !value.includes(mark)));
  if (quote === undefined || /[\r\n]/.test(value)) throw new SettingsError(`Cannot write ${name} to a settings file: set it in the environment`);
  return `${name}=${quote}${value}${quote}\n`;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new SettingsError(`Cannot read the settings file "${path}": ${(cause as Error).message}`, { cause });
  }
}

function parsed(text: string): Environment {
  return parseEnv(text) as Environment;
}

/** Blank, a comment, or a setting, whose value goes on to the end of its quotes, as `parseEnv` takes them. */
const LINE = /[ \t\r]*(?:#[^\n]*|(?:export[ \t]+)?[\w.-]+[ \t]*=[ \t]*(?:"[^"]*"|'[^']*'|`[^`]*`)?[^\n]*)?(?:\n|$)/y;

/** `parseEnv` passes over what it cannot take. */
function straysIn(text: string): number[] {
  const strays: number[] = [];
  for (let at = 0, line = 1; at < text.length; ) {
    LINE.lastIndex = at;
    const entry = LINE.exec(text)?.[0];
    if (entry === undefined) strays.push(line);
    const next = entry === undefined ? text.indexOf("\n", at) + 1 || text.length : LINE.lastIndex;
    line += text.slice(at, next).split("\n").length - 1;
    at = next;
  }
  return strays;
}

function isSame(one: Environment, other: Environment): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}
