import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SettingsError } from "../src/env.ts";
import { lockFile } from "./lock.ts";

/** What the first start made, kept beside the data with owner-only rights. */
export type Installation = {
  AUTH_SERVICE_CLIENT_SECRET: string;
  USER_SERVICE_CLIENT_SECRET: string;
  ADMIN_SERVICE_CLIENT_SECRET: string;
  LOGIN_GUARD_KEY: string;
  DATABASE_PASSWORD: string;
  /** The first administrator's generated password, until it was shown. */
  ADMIN_PASSWORD?: string;
};

/** Takes the data directory for this process alone; call the answer to give it back. Throws a SettingsError when it is taken. */
export function lockData(directory: string): () => void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new SettingsError(`Cannot use the data directory "${directory}": ${(error as Error).message}`);
  }
  const unlock = lockFile(join(directory, "lock"));
  if (!unlock) throw new SettingsError(`Cannot use the data directory "${directory}": another process is using it`);
  return unlock;
}

/** The installation's secrets, made when `directory` has none. */
export function openInstallation(directory: string): Installation {
  const path = join(directory, "secrets.json");
  const kept = read(path);
  const made: Installation = {
    AUTH_SERVICE_CLIENT_SECRET: newSecret(),
    USER_SERVICE_CLIENT_SECRET: newSecret(),
    ADMIN_SERVICE_CLIENT_SECRET: newSecret(),
    LOGIN_GUARD_KEY: newSecret(),
    DATABASE_PASSWORD: newSecret(),
    ...(kept ? {} : { ADMIN_PASSWORD: newPassword() }),
    ...kept,
  };
  write(path, made);
  return made;
}

/** Forgets the administrator's password: it was shown once. */
export function forgetPassword(directory: string, { ADMIN_PASSWORD: _, ...rest }: Installation): void {
  write(join(directory, "secrets.json"), rest);
}

function read(path: string): Partial<Installation> | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new SettingsError(`Cannot read "${path}": ${(error as Error).message}`);
  }
  try {
    return JSON.parse(text) as Partial<Installation>;
  } catch {
    throw new SettingsError(`Cannot read "${path}": it is not JSON; restore it from a backup, since the data is lost without it`);
  }
}

/** A crash leaves the old file or the new one, never half of one. */
function write(path: string, installation: Omit<Installation, "ADMIN_PASSWORD">): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(installation, null, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
}

function newSecret(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
}

/** 25 characters without look-alikes, about 110 bits, that meet the rules for passwords. */
function newPassword(): string {
  const letters = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ23456789";
  const text = Array.from(crypto.getRandomValues(new Uint32Array(17)), (number) => letters[number % letters.length]).join("");
  return `Gh7-${text.slice(0, 6)}-${text.slice(6, 12)}-${text.slice(12)}`;
}
