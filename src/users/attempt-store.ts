import { sql } from "drizzle-orm";
import type { Database } from "../database/client.ts";
import { instant, isoText } from "../database/instant.ts";
import { userEvent } from "../events/outbox-store.ts";
import { woken } from "./dormant-store.ts";
import { loginGuards, users } from "./tables.ts";

/** Failures at which an account is locked for the first time. */
const THRESHOLD = 5;
const FIRST_LOCK_S = 60;
const LONGEST_LOCK_S = 900;
const KEPT_MS = 24 * 3600_000;
const MAX_STRANGERS = 100_000;

export type Reservation = {
  userId: string;
  isKnown: boolean;
  isBlocked: boolean;
  isReserved: boolean;
  /** Milliseconds since the epoch; null when not locked. */
  lockedUntil: number | null;
};

type Settling = { attemptId: string | undefined; now: number; traceparent: string; requestId: string };
/** `isNewLock`: this very attempt has locked. */
type Settled = { failures: number; isLocked: boolean; isNewLock: boolean };

export type AttemptStore = ReturnType<typeof attemptStore>;

export function attemptStore(db: Database) {
  return {
    /**
     * Finds whom the name means and takes one of their guesses, in one statement: as many at once as failures are left
     * before the lock, one at a time after it. Concurrent reservations queue on the row's lock.
     */
    async reserve(on: {
      userId: string;
      emailKey: string | undefined;
      stranger: string;
      attemptId: string;
      now: number;
      until: number;
    }): Promise<Reservation> {
      const { rows } = await db.execute<Reservation>(sql`
        WITH known AS (
          SELECT user_id, status FROM ${users}
          WHERE registered_at IS NOT NULL AND (user_id = ${on.userId} OR email_key = ${on.emailKey ?? null})
        ), subject AS (
          SELECT coalesce((SELECT user_id FROM known), ${on.stranger}) AS subject,
            EXISTS (SELECT 1 FROM known) AS is_known, coalesce((SELECT status = 'BLOCKED' FROM known), false) AS is_blocked
        ), reserved AS (
          INSERT INTO ${loginGuards} AS guard (subject, pending, updated_at)
          SELECT subject, jsonb_build_object(${on.attemptId}::text, ${on.until}::bigint), ${instant(on.now)} FROM subject WHERE NOT is_blocked
          ON CONFLICT (subject) DO UPDATE SET
            pending = excluded.pending || (
              SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(guard.pending) WHERE value::bigint > ${on.now}::bigint),
            updated_at = excluded.updated_at
          WHERE (guard.locked_until IS NULL OR guard.locked_until <= ${instant(on.now)})
            AND (SELECT count(*) FROM jsonb_each(guard.pending) WHERE value::bigint > ${on.now}::bigint)
              < greatest(${THRESHOLD} - guard.failures, 1)
          RETURNING 1
        )
        SELECT subject AS "userId", is_known AS "isKnown", is_blocked AS "isBlocked", EXISTS (SELECT 1 FROM reserved) AS "isReserved",
          (SELECT (extract(epoch FROM locked_until) * 1000)::float8 FROM ${loginGuards} AS guard WHERE guard.subject = subject.subject) AS "lockedUntil"
        FROM subject`);
      return rows[0]!;
    },

    /**
     * Undefined when there is neither such a user nor such an attempt. Where nothing is counted, the row is read under its
     * lock: as it was when the statement began, another delivery of this attempt may not have been in it yet.
     */
    async fail(userId: string, { attemptId, now, traceparent, requestId }: Settling): Promise<Settled | undefined> {
      const attempt = attemptId ?? null;
      const { rows } = await db.execute<Settled>(sql`
        WITH subject AS (
          SELECT ${userId} AS subject WHERE EXISTS (SELECT 1 FROM ${users} WHERE user_id = ${userId} AND registered_at IS NOT NULL)
            OR EXISTS (SELECT 1 FROM ${loginGuards} WHERE subject = ${userId})
        ), counted AS (
          INSERT INTO ${loginGuards} AS guard (subject, failures, updated_at)
          SELECT subject, 1, ${instant(now)} FROM subject WHERE ${attempt}::text IS NULL OR EXISTS (SELECT 1 FROM ${loginGuards} WHERE subject = ${userId})
          ON CONFLICT (subject) DO UPDATE SET
            failures = guard.failures + 1,
            pending = guard.pending - coalesce(${attempt}::text, ''),
            locked_until = CASE WHEN guard.failures + 1 >= ${THRESHOLD} THEN
              ${instant(now)} + interval '1 second' * least(${LONGEST_LOCK_S}, ${FIRST_LOCK_S} * 2 ^ least(guard.failures + 1 - ${THRESHOLD}, 10)) END,
            updated_at = excluded.updated_at
          WHERE ${attempt}::text IS NULL OR jsonb_exists(guard.pending, ${attempt}::text)
          RETURNING subject, failures, locked_until
        ), known AS (
          SELECT counted.* FROM counted JOIN ${users} ON user_id = subject
        ), failed AS (
          ${userEvent("user.login-failed", {
            key: sql`subject`,
            data: sql`jsonb_build_object('userId', subject, 'loginFailedAttempts', failures, 'requestId', ${requestId}::text)`,
            from: sql`FROM known`,
            now,
            traceparent,
          })}
        ), locked AS (
          ${userEvent("user.login-locked", {
            key: sql`subject`,
            data: sql`jsonb_build_object('userId', subject, 'lockedUntil', ${isoText(sql`locked_until`)}, 'requestId', ${requestId}::text)`,
            from: sql`FROM known WHERE locked_until IS NOT NULL`,
            now,
            traceparent,
          })}
        ), latest AS (
          SELECT subject, failures, locked_until FROM ${loginGuards} WHERE subject = ${userId} AND NOT EXISTS (SELECT 1 FROM counted) FOR UPDATE
        )
        SELECT failures, locked_until IS NOT NULL AS "isLocked", locked_until IS NOT NULL AS "isNewLock" FROM counted
        UNION ALL
        SELECT coalesce(failures, 0), coalesce(locked_until > ${instant(now)}, false), false FROM subject LEFT JOIN latest USING (subject)
        WHERE NOT EXISTS (SELECT 1 FROM counted)`);
      return rows[0];
    },

    /**
     * Undefined when there is neither such a user nor such an attempt. `isBarred`: the user was locked while the identity
     * provider judged, so that its session may be younger than the end of all others, and is not to be had.
     */
    async succeed(userId: string, { attemptId, lease, now, traceparent, requestId }: Settling & { lease: number }): Promise<{ isBarred: boolean } | undefined> {
      const attempt = attemptId ?? null;
      const counts = sql`FROM known WHERE NOT is_barred AND (${attempt}::text IS NULL OR EXISTS (SELECT 1 FROM settled))`;
      const { rows } = await db.execute<{ isBarred: boolean }>(sql`
        WITH guard AS (
          SELECT (pending ->> ${attempt}::text)::bigint AS until FROM ${loginGuards} WHERE subject = ${userId}
        ), known AS (
          SELECT user_id, identity_id, ${attempt}::text IS NOT NULL
            AND (status = 'BLOCKED' OR coalesce(extract(epoch FROM locked_at) * 1000 >= coalesce((SELECT until FROM guard), ${now}::bigint) - ${lease}::bigint, false)) AS is_barred
          FROM ${users} WHERE user_id = ${userId} AND registered_at IS NOT NULL
        ), barred AS (
          SELECT coalesce((SELECT is_barred FROM known), false) AS is_barred
        ), settled AS (
          UPDATE ${loginGuards} SET pending = pending - coalesce(${attempt}::text, ''), updated_at = ${instant(now)},
            failures = CASE WHEN is_barred THEN failures ELSE 0 END, locked_until = CASE WHEN is_barred THEN locked_until END
          FROM barred WHERE subject = ${userId} AND (${attempt}::text IS NULL OR jsonb_exists(pending, ${attempt}::text))
          RETURNING subject
        ), ${woken({ which: sql`SELECT user_id ${counts}`, now, traceparent })}, signed_in AS (
          ${userEvent("user.signed-in", {
            key: sql`user_id`,
            data: sql`jsonb_build_object('userId', user_id, 'identityId', identity_id, 'requestId', ${requestId}::text)`,
            from: counts,
            now,
            traceparent,
          })}
        )
        SELECT is_barred AS "isBarred" FROM barred WHERE EXISTS (SELECT 1 FROM known) OR EXISTS (SELECT 1 FROM guard)`);
      return rows[0];
    },

    /** Gives a guess back that was never judged. */
    async release(userId: string, attemptId: string): Promise<void> {
      await db.execute(sql`UPDATE ${loginGuards} SET pending = pending - ${attemptId}::text WHERE subject = ${userId}`);
    },

    /** Forgets curves that have run out, and of unknown names those beyond a bound: the unlocked and oldest first. */
    async sweep(now: number): Promise<void> {
      await db.execute(sql`
        DELETE FROM ${loginGuards} WHERE updated_at < ${instant(now - KEPT_MS)} OR subject IN (
          SELECT subject FROM ${loginGuards} WHERE subject NOT IN (SELECT user_id FROM ${users})
          ORDER BY coalesce(locked_until > ${instant(now)}, false) DESC, updated_at DESC OFFSET ${MAX_STRANGERS}
        )`);
    },
  };
}
