import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { type Installation, SECRETS_FILE } from "../data.ts";

type Made = Record<Exclude<keyof Installation, "ADMIN_PASSWORD">, string>;

/** In the form that the first start makes them in, of no value to anybody. */
const STAND_IN = "x".repeat(43);
const STAND_INS: Made = {
  AUTH_SERVICE_CLIENT_SECRET: STAND_IN,
  USER_SERVICE_CLIENT_SECRET: STAND_IN,
  ADMIN_SERVICE_CLIENT_SECRET: STAND_IN,
  ADMIN_SERVICE_ROLE_ID: STAND_IN,
  ADMIN_SERVICE_SECRET_ID: STAND_IN,
  LOGIN_GUARD_KEY: STAND_IN,
  DATABASE_PASSWORD: STAND_IN,
  BROKER_PASSWORD: STAND_IN,
  CONFIG_SERVER_ROLE_ID: STAND_IN,
  CONFIG_SERVER_SECRET_ID: STAND_IN,
  DISCOVERY_PASSWORD: STAND_IN,
  CONFIG_PASSWORD: STAND_IN,
  WEBHOOK_KEY: STAND_IN,
  SECRETS_KEY: STAND_IN,
};

export type KeptInstallation = { path: string; state: "kept" | "none" | "broken"; installation: Installation };

/** What the first start made in `directory`, and stand-ins for what the next would make: unlike a start, this writes nothing. */
export function peekInstallation(directory: string): KeptInstallation {
  const path = join(directory, SECRETS_FILE);
  if (!existsSync(path)) return { path, state: "none", installation: STAND_INS };
  try {
    const kept = z.record(z.string(), z.string()).parse(JSON.parse(readFileSync(path, "utf8")));
    return { path, state: "kept", installation: { ...STAND_INS, ...kept } };
  } catch {
    return { path, state: "broken", installation: STAND_INS };
  }
}
