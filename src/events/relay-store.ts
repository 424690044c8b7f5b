import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../database/client.ts";
import { instant } from "../database/instant.ts";
import type { Outgoing } from "./envelope.ts";
import { PENDING } from "./outbox-store.ts";
import { outbox } from "./tables.ts";

/** One event of a lease. */
export type Taken = Omit<Outgoing, "data"> & {
  position: number;
  /** Null when it is too large for any event. */
  data: Outgoing["data"] | null;
  attempts: number;
  /** How often it was taken before without an answer since. */
  unanswered: number;
};

type Lease = { holder: string; until: number };

type Taking = {
  topic: string;
  after: string | undefined;
  lease: Lease;
  now: number;
  limit: number;
  /** Of an event's data. */
  maxBytes: number;
};

/**
 * What became of an event: `sent`; `refused`, which is an attempt; `held`, which is none. The latter two pause the key
 * for `pause` milliseconds. `code` is the broker's.
 */
export type Verdict = { position: number; outcome: "sent" | "refused" | "held"; code: string | null; pause: number };

export type RelayStore = ReturnType<typeof relayStore>;

export function relayStore(db: Database) {
  return {
    /**
     * Takes the first event of each of the next `limit` keys of `topic` after the key `after`, unless somebody has it or
     * it is to wait. No more than one of a key is ever out: what comes after it is not first before it is settled. `last`
     * is the key to go on from; undefined at the end. Keys are found by one lookup each, however much waits behind them.
     */
    async take({ topic, after, lease, now, limit, maxBytes }: Taking): Promise<{ taken: Taken[]; last: string | undefined }> {
      const isFree = sql`(due IS NULL OR due <= ${instant(now)})`;
      const firstAfter = (key: SQL, nth: SQL) => sql`
        SELECT key, position, due, ${nth}::int AS nth FROM ${outbox}
        WHERE ${PENDING} AND topic = ${topic} AND key > ${key} ORDER BY key, position LIMIT 1`;
      const { rows } = await db.execute<{ taken: Taken[]; last: string | null }>(sql`
        WITH RECURSIVE firsts AS (
          (${firstAfter(sql`${after ?? ""}`, sql`1`)})
          UNION ALL
          SELECT next.* FROM firsts, LATERAL (${firstAfter(sql`firsts.key`, sql`firsts.nth + 1`)}) AS next WHERE firsts.nth < ${limit}
        ), free AS (
          SELECT position FROM ${outbox} WHERE position = ANY (ARRAY(SELECT position FROM firsts WHERE ${isFree})) AND ${isFree}
            -- Written so that no index of what is pending serves it: one of those may be read whole for a few positions.
            AND coalesce(sent_at, set_aside_at) IS NULL
          FOR UPDATE SKIP LOCKED
        ), taken AS (
          UPDATE ${outbox} SET lease_holder = ${lease.holder}, due = ${instant(lease.until)}, unanswered = unanswered + 1
          WHERE position = ANY (ARRAY(SELECT position FROM free))
          RETURNING *
        )
        SELECT coalesce((SELECT jsonb_agg(jsonb_build_object(
            'position', position, 'id', id, 'type', type, 'key', key, 'traceparent', traceparent,
            'createdAt', (extract(epoch FROM created_at) * 1000)::float8, 'attempts', attempts, 'unanswered', unanswered - 1,
            'data', CASE WHEN octet_length(data::text) <= ${maxBytes} THEN data END) ORDER BY position) FROM taken), '[]') AS taken,
          (SELECT key FROM firsts WHERE nth = ${limit}) AS last`);
      const { taken, last } = rows[0]!;
      return { taken, last: last ?? undefined };
    },

    /** Writes what became of events down, each while `holder` still has it; answers which are now set aside. */
    async settle(verdicts: readonly Verdict[], { holder, now, maxAttempts }: { holder: string; now: number; maxAttempts: number }): Promise<{ id: string; type: string; code: string }[]> {
      const isLast = sql`verdict.outcome = 'refused' AND attempts + 1 >= ${maxAttempts}`;
      const { rows } = await db.execute<{ id: string; type: string; code: string; isSetAside: boolean }>(sql`
        WITH settled AS (
          UPDATE ${outbox} SET
            sent_at = CASE WHEN verdict.outcome = 'sent' THEN ${instant(now)} END,
            set_aside_at = CASE WHEN ${isLast} THEN ${instant(now)} END,
            due = CASE WHEN verdict.outcome <> 'sent' AND NOT (${isLast}) THEN ${instant(now)} + verdict.pause * interval '1 millisecond' END,
            attempts = attempts + (verdict.outcome = 'refused')::int,
            last_error = coalesce(verdict.code, last_error),
            lease_holder = NULL, unanswered = 0
          FROM jsonb_to_recordset(${JSON.stringify(verdicts)}::jsonb) AS verdict(position bigint, outcome text, code text, pause float8)
          WHERE ${outbox}.position = verdict.position AND lease_holder = ${holder}
          RETURNING id, type, last_error AS code, set_aside_at IS NOT NULL AS "isSetAside"
        )
        SELECT id, type, code FROM settled WHERE "isSetAside"`);
      return rows;
    },

    /** Removes some of what was sent before; answers how many. */
    async removeSent({ before, limit }: { before: number; limit: number }): Promise<number> {
      const { rowCount } = await db.execute(sql`
        DELETE FROM ${outbox} WHERE position = ANY (ARRAY(
          SELECT position FROM ${outbox} WHERE sent_at < ${instant(before)} ORDER BY sent_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
        ))`);
      return rowCount;
    },
  };
}
