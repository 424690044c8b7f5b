import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SettingsError } from "../src/env.ts";

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

/** The installation's secrets, made when `directory` has none; of several that make them at once, one wins. */
export function openInstallation(directory: string): Installation {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const path = join(directory, "secrets.json");
    if (!existsSync(path)) create(path, { ...newSecrets(), ADMIN_PASSWORD: newPassword() });
    // A later version may need secrets that this installation was made without.
    const installation = { ...newSecrets(), ...read(path) };
    write(path, installation);
    return installation;
  } catch (cause) {
    throw new SettingsError(`Cannot use the data directory "${directory}": ${(cause as Error).message}`, { cause });
  }
}

/** Forgets the administrator's password: it was shown once. */
export function forgetPassword(directory: string, installation: Installation): void {
  write(join(directory, "secrets.json"), { ...installation, ADMIN_PASSWORD: undefined });
}

function read(path: string): Partial<Installation> {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Partial<Installation>;
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new Error(`"${path}" is not JSON; restore it from a backup, since the data is lost without it`, { cause });
  }
}

/** A crash leaves the old file or the new one, never half of one. */
function write(path: string, installation: object): void {
  writeFileSync(`${path}.new`, text(installation), { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
}

/** Unlike a rename, a link does not replace what another process has made meanwhile. */
function create(path: string, installation: object): void {
  const made = `${path}.${crypto.randomUUID()}`;
  writeFileSync(made, text(installation), { mode: 0o600, flush: true });
  try {
    linkSync(made, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(made);
  }
}

function text(installation: object): string {
  return `${JSON.stringify(installation, null, 2)}\n`;
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
