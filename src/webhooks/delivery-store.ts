import { sql } from "drizzle-orm";
import type { Database } from "../database/client.ts";
import { instant, isoText } from "../database/instant.ts";
import type { Outgoing } from "../events/envelope.ts";
import { deliveries, endpoints } from "./tables.ts";

/** A delivery of a lease, with what it takes to send it. */
export type Taken = {
  position: number;
  /** This attempt counted. */
  attempts: number;
  event: Outgoing;
  endpoint: {
    id: string;
    url: string;
    revision: number;
    /** Sealed; those to sign with. */
    secrets: string[];
    /** Its last attempt was in vain. */
    isFailing: boolean;
  };
};

type Lease = { holder: string; until: number };

type Taking = {
  lease: Lease;
  now: number;
  /** Of all, and of endpoints that fail among them. */
  limit: number;
  failing: number;
};

/** Why an attempt was in vain. */
export type FailureKind = "status" | "redirect" | "timeout" | "unreachable" | "private-address" | "unreadable-secret";

export type Failed = {
  kind: FailureKind;
  /** The receiver's answer, where there was one. */
  status: number | null;
  /** When to try again; null when that was the last attempt. */
  due: number | null;
  /** Until when nothing at all is sent to the endpoint. */
  restsUntil: number | null;
  /** Whether the receiver wants no more. */
  isGone: boolean;
};

/** A delivery as it is shown. Times are ISO 8601, UTC. */
export type Delivery = {
  position: number;
  event: string;
  type: string;
  subject: string;
  createdAt: string;
  attempts: number;
  /** Null for one that was set aside. */
  due: string | null;
  setAsideAt: string | null;
  lastFailure: FailureKind | null;
  lastStatus: number | null;
};

export type DeliveryStore = ReturnType<typeof deliveryStore>;

/** Under way to one endpoint at once; to one that fails, one. */
const AT_ONCE = 4;

export function deliveryStore(db: Database) {
  return {
    /**
     * Takes deliveries that are due: of each endpoint a few, in turns, those of endpoints that work before those of endpoints
     * that fail, so that none stands in another's way.
     */
    async take({ lease, now, limit, failing }: Taking): Promise<Taken[]> {
      const at = instant(now);
      const { rows } = await db.execute<{ taken: Taken }>(sql`
        WITH awake AS (
          SELECT id, failures > 0 AS is_failing, CASE WHEN failures > 0 THEN 1 ELSE ${AT_ONCE} END - (
            SELECT count(*) FROM ${deliveries} WHERE endpoint = e.id AND lease_holder IS NOT NULL AND due > ${at}
          ) AS room
          FROM ${endpoints} AS e WHERE disabled_at IS NULL AND (rests_until IS NULL OR rests_until <= ${at})
        ), ripe AS (
          SELECT next.position, next.due, is_failing, row_number() OVER (PARTITION BY id ORDER BY next.due, next.position) AS nth,
            row_number() OVER (PARTITION BY is_failing ORDER BY next.due) AS nth_of_kind
          FROM awake, LATERAL (
            SELECT position, due FROM ${deliveries} WHERE endpoint = awake.id AND set_aside_at IS NULL AND due <= ${at}
            ORDER BY due, position LIMIT greatest(0, awake.room)
          ) AS next
        ), free AS (
          SELECT position FROM ${deliveries} WHERE position IN (
            SELECT position FROM ripe WHERE NOT is_failing OR nth_of_kind <= ${failing} ORDER BY is_failing, nth, due LIMIT ${limit}
          ) AND set_aside_at IS NULL AND due <= ${at} FOR UPDATE SKIP LOCKED
        ), taken AS (
          UPDATE ${deliveries} SET lease_holder = ${lease.holder}, due = ${instant(lease.until)}, attempts = attempts + 1
          WHERE position IN (SELECT position FROM free) RETURNING *
        )
        SELECT jsonb_build_object('position', taken.position, 'attempts', attempts,
          'event', jsonb_build_object('id', event, 'type', type, 'key', subject, 'data', data, 'traceparent', NULL,
            'createdAt', (extract(epoch FROM "time") * 1000)::float8),
          'endpoint', jsonb_build_object('id', e.id, 'url', url, 'revision', revision, 'isFailing', failures > 0,
            'secrets', CASE WHEN old_until > ${at} THEN jsonb_build_array(secret, old_secret) ELSE jsonb_build_array(secret) END)) AS taken
        FROM taken JOIN ${endpoints} AS e ON e.id = taken.endpoint ORDER BY taken.position`);
      return rows.map(({ taken }) => taken);
    },

    /** It has arrived, whoever has it now. The endpoint is locked first, here as by all who touch both. */
    async arrived({ position, endpoint }: Taken, now: number): Promise<void> {
      await db.execute(sql`
        WITH held AS (SELECT id FROM ${endpoints} WHERE id = ${endpoint.id} FOR NO KEY UPDATE),
        done AS (DELETE FROM ${deliveries} WHERE position = ${position} AND endpoint IN (SELECT id FROM held) RETURNING 1)
        UPDATE ${endpoints} SET last_success_at = ${instant(now)}, failures = 0, failing_since = NULL
        WHERE id = ${endpoint.id} AND revision = ${endpoint.revision} AND EXISTS (SELECT FROM done)`);
    },

    /**
     * It has not, as far as `holder` knows who has the lease. An endpoint that wants no more, or that has failed without a
     * success since `hopelessSince` or longer, is disabled: by whom is the answer.
     */
    async failed({ position, endpoint }: Taken, { holder, now, hopelessSince, ...failure }: Failed & { holder: string; now: number; hopelessSince: number }): Promise<"receiver" | "failures" | undefined> {
      const { kind, status, due, restsUntil, isGone } = failure;
      const at = instant(now);
      const disabledBy = isGone ? sql`'receiver'` : sql`CASE WHEN failing_since <= ${instant(hopelessSince)} THEN 'failures' END`;
      const { rows } = await db.execute<{ disabledBy: "receiver" | "failures" | null }>(sql`
        WITH held AS (SELECT id FROM ${endpoints} WHERE id = ${endpoint.id} FOR NO KEY UPDATE),
        failed AS (
          UPDATE ${deliveries} SET lease_holder = NULL, due = ${due === null ? at : instant(due)}, set_aside_at = ${due === null ? at : null},
            last_failure = ${kind}, last_status = ${status}::int
          WHERE position = ${position} AND lease_holder = ${holder} AND endpoint IN (SELECT id FROM held) RETURNING 1
        )
        UPDATE ${endpoints} SET last_failure_at = ${at}, last_failure = ${kind}, last_status = ${status}::int, failures = failures + 1,
          failing_since = coalesce(failing_since, ${at}),
          rests_until = greatest(rests_until, ${restsUntil === null ? null : instant(restsUntil)}),
          disabled_by = coalesce(disabled_by, ${disabledBy}),
          disabled_at = coalesce(disabled_at, CASE WHEN ${disabledBy} IS NOT NULL THEN ${at} END)
        WHERE id = ${endpoint.id} AND revision = ${endpoint.revision} AND EXISTS (SELECT FROM failed)
        RETURNING CASE WHEN disabled_at = ${at} THEN disabled_by END AS "disabledBy"`);
      return rows[0]?.disabledBy ?? undefined;
    },

    async list(endpoint: string, { after, limit, isSetAside }: { after: number; limit: number; isSetAside: boolean }): Promise<Delivery[]> {
      const { rows } = await db.execute<Delivery>(sql`
        SELECT position::float8, event, type, subject, ${isoText(sql`created_at`)} AS "createdAt", attempts,
          CASE WHEN set_aside_at IS NULL THEN ${isoText(sql`due`)} END AS due, CASE WHEN set_aside_at IS NOT NULL THEN ${isoText(sql`set_aside_at`)} END AS "setAsideAt",
          last_failure AS "lastFailure", last_status AS "lastStatus"
        FROM ${deliveries}
        WHERE endpoint = ${endpoint} AND position > ${after} AND (set_aside_at IS NOT NULL) = ${isSetAside} ORDER BY position LIMIT ${limit}`);
      return rows;
    },

    /** Has an event sent again, as if for the first time; false when it was not set aside for that endpoint. */
    async retry(endpoint: string, { event, now }: { event: string; now: number }): Promise<boolean> {
      const { rows } = await db.execute(sql`
        UPDATE ${deliveries} SET set_aside_at = NULL, attempts = 0, due = ${instant(now)}
        WHERE endpoint = ${endpoint} AND event = ${event} AND set_aside_at IS NOT NULL RETURNING 1`);
      return rows.length === 1;
    },

    /** Forgets what has waited since `before`, as only what was set aside and what is for a disabled endpoint does for long. */
    async prune({ before, limit }: { before: number; limit: number }): Promise<void> {
      await db.execute(sql`
        DELETE FROM ${deliveries} WHERE position IN (
          SELECT position FROM ${deliveries} WHERE created_at < ${instant(before)} AND lease_holder IS NULL
          ORDER BY created_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
        )`);
    },
  };
}
