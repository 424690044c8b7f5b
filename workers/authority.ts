import { readFileSync } from "node:fs";
import { SettingsError } from "../src/env.ts";

/** The PEM of who may vouch for a server, in the file that `setting` names. Throws a SettingsError. */
export function readAuthority(setting: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new SettingsError(`Cannot read ${setting} "${file}": ${(cause as Error).message}`, { cause });
  }
}
