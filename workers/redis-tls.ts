import { readFileSync } from "node:fs";
import { SettingsError } from "../src/env.ts";

/** TLS of a client of Redis, with the PEM file of who may vouch for the server; without one, the URL decides alone. Throws a SettingsError. */
export function redisTls(file: string | undefined): { tls: true; ca: string } | undefined {
  if (file === undefined) return undefined;
  try {
    return { tls: true, ca: readFileSync(file, "utf8") };
  } catch (cause) {
    throw new SettingsError(`Cannot read REDIS_CA_FILE: ${(cause as Error).message}`, { cause });
  }
}
