import type { PGlite } from "@electric-sql/pglite";
import { drizzle as onPostgres } from "drizzle-orm/node-postgres";
import { migrate as migrateOnPostgres } from "drizzle-orm/node-postgres/migrator";
import { drizzle as onPglite } from "drizzle-orm/pglite";
import { migrate as migrateOnPglite } from "drizzle-orm/pglite/migrator";
import { SettingsError } from "../src/env.ts";
import { codesIn } from "../src/http/causes.ts";
import { journal, migrationsFolder } from "./migration-files.ts";
import { clientOf, whileOpen } from "./pg.ts";
import { hostOf } from "./postgres-url.ts";

/** Any number that nothing else in the database takes for an advisory lock. */
const LOCK = 4_738_267_091;
/** For so long others may migrate, or hold what is to be migrated. */
const LOCK_TIMEOUT_MS = 60_000;

/** Brings `pglite` up to date; it has no other user that would have to be kept out. */
export async function migratePglite(pglite: PGlite, folder = migrationsFolder): Promise<void> {
  if (journal(folder).length === 0) return;
  await migrateOnPglite(onPglite({ client: pglite }), { migrationsFolder: folder });
}

/** Brings the Postgres at `url` up to date, once however many processes start together. */
export async function migratePostgres(url: string, folder = migrationsFolder): Promise<void> {
  if (journal(folder).length === 0) return;
  // One transaction around all of it, and a lock that ends with it: behind a pooler that shares sessions among
  // transactions, a session's lock would stay with whoever has the session next. The migrator's own BEGIN inside it
  // does nothing but warn, its COMMIT or ROLLBACK ends the whole.
  // However short our role's statements must be: this waits for others, and may change a large table.
  const unlimited = "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0";
  const begin = `BEGIN; ${unlimited}; SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}; SELECT pg_advisory_xact_lock(${LOCK})`;
  const client = clientOf({ url: unpooled(url), connectionTimeoutMillis: 10_000, keepAlive: true });
  let isOpen = false;
  try {
    await whileOpen(client, async () => {
      isOpen = true;
      await client.query(begin);
      await migrateOnPostgres(onPostgres({ client }), { migrationsFolder: folder });
    });
  } catch (cause) {
    const sentence = `Cannot migrate the database at "${hostOf(url)}": ${reasonOf(cause)}`;
    throw !isOpen || isForeseen(cause) ? new SettingsError(sentence, { cause }) : new Error(sentence, { cause });
  }
}

/** A right that is missing, a lock that others held for too long, or a server that ended meanwhile. */
function isForeseen(error: unknown): boolean {
  return codesIn(error).some((code) => /^(42501|55P03|57P0[1-3]|08...|ECONNRESET|EPIPE|ETIMEDOUT)$/.test(code));
}

/** Behind Neon's pooler two statements may meet two sessions, and the lock is a session's; its host without it is documented. */
function unpooled(url: string): string {
  return url.replace(/-pooler(\.[^@/]+\.neon\.tech)/, "$1");
}

/** Why, in one sentence: drizzle and the system wrap what happened. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  // Of a name with several addresses, each was tried; the error around them says nothing.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(", ");
  return error.message;
}
