import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SettingsError } from "../src/env.ts";
import { lockFile } from "./lock.ts";
import { writeForOwner } from "./write-for-owner.ts";

/** The file of an installation in its data directory. */
export const SECRETS_FILE = "secrets.json";

/** What the first start made, kept beside the data with owner-only rights. */
export type Installation = {
  AUTH_SERVICE_CLIENT_SECRET: string;
  USER_SERVICE_CLIENT_SECRET: string;
  ADMIN_SERVICE_CLIENT_SECRET: string;
  ADMIN_SERVICE_ROLE_ID: string;
  ADMIN_SERVICE_SECRET_ID: string;
  LOGIN_GUARD_KEY: string;
  DATABASE_PASSWORD: string;
  BROKER_PASSWORD: string;
  CONFIG_SERVER_ROLE_ID: string;
  CONFIG_SERVER_SECRET_ID: string;
  /** Asked of whoever registers with the discovery service, and of whoever reads a configuration. */
  DISCOVERY_PASSWORD: string;
  CONFIG_PASSWORD: string;
  /** Seals the secrets that webhooks are signed with. */
  WEBHOOK_KEY: string;
  /** Seals what the embedded secrets store holds. */
  SECRETS_KEY: string;
  /** The first administrator's generated password, until it was shown. */
  ADMIN_PASSWORD?: string;
};

/** Milliseconds that another process may take to write a few lines. */
const WRITING_MS = 15_000;

/** The installation's secrets, made when `directory` has none; all processes that share it have the same. */
export function openInstallation(directory: string): Installation {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const path = join(directory, SECRETS_FILE);
    const kept = existsSync(path) ? read(path) : undefined;
    return isWhole(kept) ? kept : changed(path, complete);
  } catch (cause) {
    throw new SettingsError(`Cannot use the data directory "${directory}": ${(cause as Error).message}`, { cause });
  }
}

/** What has been made so far; nothing is made. */
export function installationIn(directory: string): Partial<Installation> {
  const path = join(directory, SECRETS_FILE);
  try {
    return existsSync(path) ? read(path) : {};
  } catch (cause) {
    throw new SettingsError(`Cannot use the data directory "${directory}": ${(cause as Error).message}`, { cause });
  }
}

/** Forgets the administrator's password: it was shown once. */
export function forgetPassword(directory: string): void {
  changed(join(directory, SECRETS_FILE), (kept) => ({ ...complete(kept), ADMIN_PASSWORD: undefined }));
}

/** A later version may need secrets that an installation was made without. */
function complete(kept: Partial<Installation> | undefined): Installation {
  return { ...newSecrets(), ...(kept ?? { ADMIN_PASSWORD: newPassword() }) };
}

function isWhole(kept: Partial<Installation> | undefined): kept is Installation {
  return kept !== undefined && Object.keys(newSecrets()).every((name) => Object.hasOwn(kept, name));
}

/** What is in the file after `change`, which no other process makes at the same time. */
function changed(path: string, change: (kept: Partial<Installation> | undefined) => Installation): Installation {
  const unlock = lockFile(`${path}.lock`, WRITING_MS);
  if (!unlock) throw new Error(`another process keeps "${path}.lock"`);
  try {
    const installation = change(existsSync(path) ? read(path) : undefined);
    writeForOwner(path, `${JSON.stringify(installation, null, 2)}\n`);
    return installation;
  } finally {
    unlock();
  }
}

function read(path: string): Partial<Installation> {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Partial<Installation>;
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new Error(`"${path}" is not JSON; restore it from a backup, since the data is lost without it`, { cause });
  }
}

function newSecrets(): Installation {
  return {
    AUTH_SERVICE_CLIENT_SECRET: newSecret(),
    USER_SERVICE_CLIENT_SECRET: newSecret(),
    ADMIN_SERVICE_CLIENT_SECRET: newSecret(),
    ADMIN_SERVICE_ROLE_ID: crypto.randomUUID(),
    ADMIN_SERVICE_SECRET_ID: newSecret(),
    LOGIN_GUARD_KEY: newSecret(),
    DATABASE_PASSWORD: newSecret(),
    BROKER_PASSWORD: newSecret(),
    CONFIG_SERVER_ROLE_ID: crypto.randomUUID(),
    CONFIG_SERVER_SECRET_ID: newSecret(),
    DISCOVERY_PASSWORD: newSecret(),
    CONFIG_PASSWORD: newSecret(),
    WEBHOOK_KEY: newSecret(),
    SECRETS_KEY: newSecret(),
  };
}

function newSecret(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
}

/** 25 characters without look-alikes, about 110 bits, that meet the rules for passwords. */
export function newPassword(): string {
  const letters = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ23456789";
  const text = Array.from(crypto.getRandomValues(new Uint32Array(17)), (number) => letters[number % letters.length]).join("");
  return `Gh7-${text.slice(0, 6)}-${text.slice(6, 12)}-${text.slice(12)}`;
}
