import { sql } from "drizzle-orm";
import type { Database } from "../database/client.ts";
import { instant } from "../database/instant.ts";
import { userEvent } from "../events/outbox-store.ts";
import { ALIGNED, type Aligned, type Lease } from "./alignment-store.ts";
import { abandoned, users } from "./tables.ts";

export type NewUser = {
  userId: string;
  firstName: string;
  lastName: string;
  emailId: string;
  emailKey: string;
  primaryContactNumber: string;
  /** Keyed to the e-mail, so that two people may choose the same key. */
  idempotencyKey: string | undefined;
  /** Digest of what was asked for, without the password. */
  fingerprint: string;
};

export type Repeat = Aligned & { outcome: "resumed" | "registered" | "in-progress" | "other-request" };

export type RegistrationStore = ReturnType<typeof registrationStore>;

export function registrationStore(db: Database) {
  return {
    /** S1: the PENDING row; false when the e-mail or the contact number is somebody's. */
    async begin(user: NewUser, { lease, now }: { lease: Lease; now: number }): Promise<boolean> {
      const { rows } = await db.execute(sql`
        INSERT INTO ${users} (user_id, status, first_name, last_name, email_id, email_key, primary_contact_number,
          idempotency_key, fingerprint, created_at, updated_at, sync_due, lease_holder, lease_until)
        VALUES (${user.userId}, 'PENDING', ${user.firstName}, ${user.lastName}, ${user.emailId}, ${user.emailKey},
          ${user.primaryContactNumber}, ${user.idempotencyKey ?? null}, ${user.fingerprint}, ${instant(now)}, ${instant(now)},
          ${instant(now)}, ${lease.holder}, ${instant(lease.until)})
        ON CONFLICT DO NOTHING
        RETURNING user_id`);
      return rows.length === 1;
    },

    /** What an idempotency key stands for; an unfinished registration that nobody works on is taken over. */
    async repeat(key: string, { fingerprint, lease, now }: { fingerprint: string; lease: Lease; now: number }): Promise<Repeat | undefined> {
      const { rows } = await db.execute<Repeat>(sql`
        WITH resumed AS (
          UPDATE ${users} SET lease_holder = ${lease.holder}, lease_until = ${instant(lease.until)}
          WHERE idempotency_key = ${key} AND fingerprint = ${fingerprint} AND registered_at IS NULL
            AND (lease_until IS NULL OR lease_until <= ${instant(now)})
          RETURNING *
        )
        SELECT 'resumed' AS outcome, ${ALIGNED} FROM resumed
        UNION ALL
        SELECT CASE WHEN fingerprint <> ${fingerprint} THEN 'other-request' WHEN registered_at IS NULL THEN 'in-progress' ELSE 'registered' END,
          ${ALIGNED}
        FROM ${users} WHERE idempotency_key = ${key} AND NOT EXISTS (SELECT 1 FROM resumed)`);
      return rows[0];
    },

    /** S3: ACTIVE and its event in one statement; repeated, it has no second effect. Undefined when the row is not ours any more. */
    async activate(userId: string, on: { identityId: string; holder: string; now: number; traceparent: string }): Promise<Aligned | undefined> {
      const { identityId, holder, now, traceparent } = on;
      const { rows } = await db.execute<Aligned>(sql`
        WITH activated AS (
          UPDATE ${users} SET status = 'ACTIVE', identity_id = ${identityId}, revision = revision + 1, updated_at = ${instant(now)}
          WHERE user_id = ${userId} AND status = 'PENDING' AND lease_holder = ${holder}
          RETURNING *
        ), event AS (
          ${userEvent("user.registered", {
            key: sql`user_id`,
            data: sql`jsonb_build_object('userId', user_id, 'emailId', email_id, 'firstName', first_name, 'lastName', last_name)`,
            from: sql`FROM activated`,
            now,
            traceparent,
          })}
        )
        SELECT ${ALIGNED} FROM activated
        UNION ALL
        SELECT ${ALIGNED} FROM ${users} WHERE user_id = ${userId} AND status <> 'PENDING' AND lease_holder = ${holder}`);
      return rows[0];
    },

    /** Takes the PENDING row away; an identity that still arrives is removed until `until`. */
    async abandon(userId: string, { holder, now, until }: { holder: string; now: number; until: number }): Promise<void> {
      await db.execute(sql`
        WITH gone AS (
          DELETE FROM ${users} WHERE user_id = ${userId} AND status = 'PENDING' AND lease_holder = ${holder} RETURNING user_id
        )
        INSERT INTO ${abandoned} (user_id, check_at, until) SELECT user_id, ${instant(now)}, ${instant(until)} FROM gone`);
    },

    /** The abandoned registrations to look at now; each is not due again before `next`. */
    async abandonedDue({ now, next, limit }: { now: number; next: number; limit: number }): Promise<{ userId: string; isOver: boolean }[]> {
      const { rows } = await db.execute<{ userId: string; isOver: boolean }>(sql`
        UPDATE ${abandoned} SET check_at = ${instant(next)}
        WHERE user_id IN (
          SELECT user_id FROM ${abandoned} WHERE check_at <= ${instant(now)} ORDER BY check_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
        )
        RETURNING user_id AS "userId", until <= ${instant(now)} AS "isOver"`);
      return rows;
    },

    async forget(userId: string): Promise<void> {
      await db.execute(sql`DELETE FROM ${abandoned} WHERE user_id = ${userId}`);
    },
  };
}
