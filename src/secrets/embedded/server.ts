import { base64url } from "jose";
import type { Database } from "../../database/client.ts";
import { jsonLog, type Log } from "../../http/log.ts";
import { pause } from "../../http/pause.ts";
import { installationKeys, type Keys, type RandomBytes } from "./keys.ts";
import { atOnce, type Turns, turns } from "./turns.ts";

export type SecretsNeeds = {
  db: Database;
  /** The installation's key, 32 bytes in base64url: without it nothing that is stored can be read. */
  key: string;
  /** Milliseconds since the epoch. */
  now: () => number;
  randomBytes: RandomBytes;
  /** Whether writers of one path may wait for each other; not on Workers, where they collide and try again. */
  sharesPending?: boolean | undefined;
  /** Hears of defects; without it, they go to the console. */
  log?: Log | undefined;
};

/** What the handlers of one embedded server share. */
export type Server = {
  db: Database;
  now: () => number;
  log: Log;
  keys: Keys;
  newId: () => string;
  newToken: () => string;
  /** Has the writers of one path come one after another, as far as this process knows of them. */
  inTurn: Turns;
  /** Waits some times as long as the try that was lost, at random and longer with every one: writers who collide spread out. */
  backOff: (tries: number, lost: { milliseconds: number }) => Promise<void>;
};

const TOKEN_BYTES = 24;
const MAX_BACK_OFF = { times: 16, milliseconds: 500 };

export function openServer({ db, key, now, randomBytes, sharesPending = false, log = jsonLog(console.error, now) }: SecretsNeeds): Server {
  return {
    db,
    now,
    log,
    keys: installationKeys(key, randomBytes),
    newId: () => uuid(randomBytes(16)),
    newToken: () => `hvs.${base64url.encode(randomBytes(TOKEN_BYTES))}`,
    inTurn: sharesPending ? turns() : atOnce,
    backOff: (tries, { milliseconds }) => {
      const longest = Math.min(2 ** (tries + 1), MAX_BACK_OFF.times) * Math.max(milliseconds, 1);
      const share = (randomBytes(1)[0] ?? 0) / 256;
      return pause(share * Math.min(longest, MAX_BACK_OFF.milliseconds));
    },
  };
}

/** RFC 9562, version 4, of these 16 bytes. */
function uuid(bytes: Uint8Array): string {
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const variant = "89ab"[(bytes[8] ?? 0) & 3];
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20)}`;
}
