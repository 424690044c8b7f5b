import { gate } from "../../passwords/gate.ts";
import { hashPassword, PASSWORD_COST, verifyNothing, verifyPassword } from "../../passwords/password.ts";
import { jsonLog, type Log } from "../../http/log.ts";
import type { Database } from "../../database/client.ts";
import { keyRing, type Keys } from "./keys/keys.ts";

export type IdentityNeeds = {
  db: Database;
  /** Where the world reaches this server, such as `http://localhost:8180`: the issuer is `{url}/realms/{realm}`. */
  url: string;
  realm: string;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Of PBKDF2, for passwords set from now on. */
  iterations?: number | undefined;
  /** Hears of defects; without it, they go to the console. */
  log?: Log | undefined;
};

/** What the handlers of one embedded realm share. */
export type Realm = {
  db: Database;
  name: string;
  url: string;
  issuer: string;
  now: () => number;
  log: Log;
  keys: () => Promise<Keys>;
  hash: (password: string) => Promise<string>;
  /** With nothing stored, the same work and `false`. */
  verify: (password: string, stored: string | null | undefined) => Promise<boolean>;
};

// A hash is about 0.2 s of one core: more at once only makes all of them late.
const HASHINGS = { atOnce: 4, waiting: 32 };

export function openRealm({ db, url, realm, now, iterations = PASSWORD_COST.iterations, log = jsonLog(console.error, now) }: IdentityNeeds): Realm {
  const cost = { iterations, rounds: 1 };
  const pass = gate(HASHINGS);
  return {
    db,
    name: realm,
    url,
    issuer: `${url}/realms/${realm}`,
    now,
    log,
    keys: keyRing(db),
    hash: (password) => pass(() => hashPassword(password, cost)),
    verify: (password, stored) => pass(() => (stored ? verifyPassword(password, stored) : verifyNothing(password, cost))),
  };
}
