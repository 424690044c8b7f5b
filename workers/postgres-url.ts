import { accessSync, constants } from "node:fs";
import { isNeon } from "../src/database/neon.ts";
import { SettingsError } from "../src/env.ts";

const MODES = ["disable", "require", "verify-ca", "verify-full", "no-verify"];

/**
 * The `postgres://` URL of a user, as `pg` has to be told it so that `sslmode` means what it means to libpq: `require`
 * encrypts without asking who answers, unless `sslrootcert` names who may vouch for it. Throws a SettingsError.
 */
export function urlForPg(given: string): string {
  const url = new URL(given);
  const { searchParams: options } = url;
  const mode = options.get("sslmode");
  if (mode !== null && !MODES.includes(mode)) throw refused(`sslmode "${mode}"`, `use one of ${MODES.join(", ")}`);
  const files = ["sslrootcert", "sslcert", "sslkey"].flatMap((name) => options.get(name) ?? []);
  for (const file of files) checkReadable(file);
  if (mode === "verify-ca" && !options.has("sslrootcert")) throw refused('sslmode "verify-ca"', "name the file of the authority as sslrootcert");
  // Neon is reached over the internet and has a certificate that anybody can check.
  if (mode === "require" && isNeon(given)) options.set("sslmode", "verify-full");
  else if (mode === "require" || mode === "verify-ca") options.set("uselibpqcompat", "true");
  return url.href;
}

/** Where the database is, for people; without credentials. */
export function hostOf(url: string): string {
  const { host, searchParams } = new URL(url);
  return host || (searchParams.get("host") ?? "");
}

function checkReadable(file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (cause) {
    throw refused(`the file "${file}"`, (cause as Error).message.split(",")[0]!, cause);
  }
}

function refused(what: string, why: string, cause?: unknown): SettingsError {
  return new SettingsError(`Cannot use ${what} of DATABASE_URL: ${why}`, { cause });
}
