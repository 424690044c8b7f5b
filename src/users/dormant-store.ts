import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../database/client.ts";
import { instant } from "../database/instant.ts";
import type { Effect } from "../events/consumer-store.ts";
import { PENDING, userEvent } from "../events/outbox-store.ts";
import { outbox, positions } from "../events/tables.ts";
import { users } from "./tables.ts";

type Change = { which: SQL; now: number; traceparent: string };

/** Nobody asked. */
const NO_TRACE = sql.raw("NULL::text");

/** CTEs that make dormant users ACTIVE again, with the event: `which` selects their ids. */
export function woken({ which, now, traceparent }: Change): SQL {
  return sql`
    woken AS (
      UPDATE ${users} SET status = 'ACTIVE', updated_at = ${instant(now)} WHERE status = 'DORMANT' AND user_id IN (${which}) RETURNING user_id, status
    ), woken_event AS (${statusEvent({ from: sql`FROM woken`, now, traceparent })})`;
}

/** What becomes of `user.signed-in`: the time of the last, and nobody stays dormant who has signed in within `period` milliseconds. */
export function noteSignIns(period: number): Effect {
  return ({ events, now }) => sql`
    seen AS (
      SELECT u.user_id, u.status AS old_status, s.at FROM ${users} AS u
      JOIN (SELECT subject, least(max("time"), ${instant(now)}) AS at FROM ${events} GROUP BY subject) AS s ON s.subject = u.user_id
      WHERE u.registered_at IS NOT NULL ORDER BY u.user_id FOR UPDATE OF u
    ), noted AS (
      UPDATE ${users} AS u SET last_signed_in_at = greatest(u.last_signed_in_at, seen.at),
        status = CASE WHEN u.status = 'DORMANT' AND seen.at > ${instant(now - period)} THEN 'ACTIVE' ELSE u.status END
      FROM seen WHERE u.user_id = seen.user_id RETURNING u.user_id, u.status, seen.old_status
    ), noted_event AS (${statusEvent({ from: sql`FROM noted WHERE status <> old_status`, now, traceparent: NO_TRACE })})`;
}

export type DormantStore = ReturnType<typeof dormantStore>;

export function dormantStore(db: Database) {
  return {
    /**
     * Marks some users DORMANT who have not signed in for `period` milliseconds, with their events; answers how many. Time
     * counts only while `consumer` reads without a gap, and up to where it has read: a sign-in it does not know of yet,
     * or that waits for the broker, is none that is missing.
     */
    async markDormant(on: { consumer: string; period: number; now: number; limit: number }): Promise<number> {
      const { consumer, period, now, limit } = on;
      const { rows } = await db.execute<{ count: number }>(sql`
        WITH observed AS (
          SELECT max(since) AS since, least(min(coalesce(caught_up_at, '-infinity')), ${instant(now)}) - interval '1 millisecond' * ${period} AS before
          FROM ${positions} WHERE consumer = ${consumer}
        ), idle AS (
          SELECT user_id FROM ${users} AS u, observed
          WHERE u.status = 'ACTIVE' AND observed.since < observed.before AND coalesce(u.last_signed_in_at, u.registered_at) < observed.before
            AND NOT EXISTS (SELECT FROM ${outbox} WHERE topic = 'platform.audit' AND key = u.user_id AND type = 'user.signed-in' AND ${PENDING})
          ORDER BY coalesce(u.last_signed_in_at, u.registered_at) LIMIT ${limit} FOR UPDATE OF u SKIP LOCKED
        ), marked AS (
          UPDATE ${users} SET status = 'DORMANT', updated_at = ${instant(now)} WHERE user_id IN (SELECT user_id FROM idle) RETURNING user_id, status
        ), told AS (${statusEvent({ from: sql`FROM marked`, now, traceparent: NO_TRACE })})
        SELECT count(*)::int AS count FROM marked`);
      return rows[0]?.count ?? 0;
    },
  };
}

function statusEvent({ from, now, traceparent }: { from: SQL; now: number; traceparent: string | SQL }): SQL {
  const data = sql`jsonb_build_object('userId', user_id, 'address', false, 'contact', false, 'status', status)`;
  return userEvent("user.updated", { key: sql`user_id`, data, from, now, traceparent });
}
