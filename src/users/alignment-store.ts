import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../database/client.ts";
import { instant } from "../database/instant.ts";
import { users } from "./tables.ts";

/** Who works on a row, and until when (milliseconds since the epoch) nobody else does. */
export type Lease = { holder: string; until: number };

/** What the identity has to follow: a row as it stood when its lease was taken. */
export type Aligned = {
  userId: string;
  identityId: string | null;
  status: "PENDING" | "ACTIVE" | "BLOCKED" | "DORMANT";
  revision: number;
  /** Milliseconds since the epoch; null for who never was. */
  lockedAt: number | null;
};

/** A row that is due, with what decides on an unfinished registration. */
export type Task = Aligned & {
  isResumable: boolean;
  /** Milliseconds since the epoch. */
  createdAt: number;
};

/** The columns of `Aligned`. */
export const ALIGNED = sql.raw(
  'user_id AS "userId", identity_id AS "identityId", status, revision, (extract(epoch FROM locked_at) * 1000)::float8 AS "lockedAt"',
);

export type AlignmentStore = ReturnType<typeof alignmentStore>;

export function alignmentStore(db: Database) {
  async function claim(which: SQL, { lease, now }: { lease: Lease; now: number }): Promise<Task[]> {
    const { rows } = await db.execute<Task>(sql`
      UPDATE ${users} SET lease_holder = ${lease.holder}, lease_until = ${instant(lease.until)}
      WHERE sync_due IS NOT NULL AND (lease_until IS NULL OR lease_until <= ${instant(now)}) AND ${which}
      RETURNING ${ALIGNED}, idempotency_key IS NOT NULL AS "isResumable", (extract(epoch FROM created_at) * 1000)::float8 AS "createdAt"`);
    return rows;
  }

  return {
    /** The rows that are due and that nobody works on. */
    claimDue: (on: { lease: Lease; now: number; limit: number }) =>
      claim(
        sql`user_id IN (
          SELECT user_id FROM ${users}
          WHERE sync_due <= ${instant(on.now)} AND (lease_until IS NULL OR lease_until <= ${instant(on.now)})
          ORDER BY sync_due LIMIT ${on.limit} FOR UPDATE SKIP LOCKED
        )`,
        on,
      ),

    /** This row if it is out of line and nobody works on it. */
    async claimOne(userId: string, on: { lease: Lease; now: number }): Promise<Task | undefined> {
      return (await claim(sql`user_id = ${userId} AND status <> 'PENDING'`, on))[0];
    },

    /** How many rows wait for the other system: of registrations, and of changes to users. */
    async underway(): Promise<{ registrations: number; alignments: number }> {
      const { rows } = await db.execute<{ registrations: number; alignments: number }>(sql`
        SELECT count(*) FILTER (WHERE registered_at IS NULL)::int AS registrations,
          count(*) FILTER (WHERE registered_at IS NOT NULL)::int AS alignments
        FROM ${users} WHERE sync_due IS NOT NULL`);
      return rows[0]!;
    },

    /** Whether the identity follows the row at least as it stood at `revision`. */
    async isAligned(userId: string, revision: number): Promise<boolean> {
      const { rows } = await db.execute(sql`SELECT 1 FROM ${users} WHERE user_id = ${userId} AND aligned_revision >= ${revision}`);
      return rows.length === 1;
    },

    /**
     * The identity follows revision `revision`: the lease ends, and so does the work unless the row has moved on.
     * After a change that may still arrive late, one more look is due at `again`.
     */
    async settle({ userId, revision }: Aligned, { holder, now, again }: { holder: string; now: number; again: number }): Promise<void> {
      await db.execute(sql`
        UPDATE ${users} SET
          sync_due = CASE WHEN revision <> ${revision} THEN ${instant(now)} WHEN is_doubtful THEN ${instant(again)} END,
          is_doubtful = revision <> ${revision} AND is_doubtful,
          aligned_revision = ${revision},
          registered_at = coalesce(registered_at, ${instant(now)}),
          lease_holder = NULL, lease_until = NULL
        WHERE user_id = ${userId} AND lease_holder = ${holder} AND status <> 'PENDING'`);
    },

    /** Gives the row back unfinished; it is due again at `due`. */
    async release(userId: string, { holder, due }: { holder: string; due: number }): Promise<void> {
      await db.execute(sql`
        UPDATE ${users} SET sync_due = ${instant(due)}, is_doubtful = status <> 'PENDING', lease_holder = NULL, lease_until = NULL
        WHERE user_id = ${userId} AND lease_holder = ${holder}`);
    },
  };
}
