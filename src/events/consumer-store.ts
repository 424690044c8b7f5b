import { type SQL, sql } from "drizzle-orm";
import type { Place } from "../broker/reading.ts";
import type { Database } from "../database/client.ts";
import { instant } from "../database/instant.ts";
import type { Delivery } from "./consumer-deliveries.ts";
import { givenUp, handled, positions } from "./tables.ts";

/** Where a consumer stands in one partition. */
export type Position = Place & {
  /** The first offset it has not dealt with; null before its first read. */
  next: number | null;
  tries: number;
  /** Milliseconds since the epoch. */
  retryAt: number | null;
  caughtUpAt: number | null;
};

/**
 * The effect of some events: one or more CTEs, `name AS (…), name AS (…)`, over `events`, the CTE of those that had none
 * yet. Its columns: `"offset"` (by which to order), `id`, `type`, `subject`, `time` (timestamptz) and `data` (jsonb).
 */
export type Effect = (on: { events: SQL; now: number }) => SQL;

export type Step = { from: number | null; next: number; events: Delivery[] };

export type ConsumerState = { partitions: number; stopped: number; givenUp: number; caughtUpAt: number | null };

export type ConsumerStore = ReturnType<typeof consumerStore>;

const PRUNED_AT_ONCE = 5000;

export function consumerStore(db: Database, { name, effect }: { name: string; effect: Effect }) {
  const at = ({ topic, partition }: Place) => sql`consumer = ${name} AND topic = ${topic} AND partition = ${partition}`;
  const stands = (place: Place, next: number | null) => sql`${at(place)} AND next_offset IS NOT DISTINCT FROM ${next}::bigint`;
  const moved = (next: number) => sql`next_offset = ${next}, tries = 0, retry_at = NULL, last_error = NULL`;

  return {
    async positions(topic: string, partitions: number): Promise<Position[]> {
      const columns = sql`topic, partition, next_offset::float8 AS next, tries, (extract(epoch FROM retry_at) * 1000)::float8 AS "retryAt",
        (extract(epoch FROM caught_up_at) * 1000)::float8 AS "caughtUpAt"`;
      const read = () => db.execute<Position>(sql`
        WITH begun AS (
          INSERT INTO ${positions} (consumer, topic, partition) SELECT ${name}, ${topic}, generate_series(0, ${partitions}::int - 1)
          ON CONFLICT DO NOTHING RETURNING *
        )
        SELECT ${columns} FROM begun UNION ALL SELECT ${columns} FROM ${positions} WHERE consumer = ${name} AND topic = ${topic}
        ORDER BY partition`);
      const { rows } = await read();
      // Those that another runner has just made, the statement neither makes nor sees: to go on without them would be to skip them.
      return rows.length < partitions ? (await read()).rows : rows;
    },

    /**
     * The effects of these events, the note that they were had, and the move of the position, all or nothing: and nothing
     * unless the position still stands where the events were read from. Answers how many events were new; undefined when
     * another runner has moved the position.
     */
    async apply(place: Place, { from, next, events, now }: Step & { now: number }): Promise<number | undefined> {
      const input = JSON.stringify(events);
      const held = sql`UPDATE ${positions} SET ${moved(next)}, since = coalesce(since, ${instant(now)}) WHERE ${stands(place, from)} RETURNING 1`;
      const effects =
        events.length === 0
          ? sql`fresh AS (SELECT 1 WHERE false)`
          : // In the order of the ids, so that two partitions that bring the same events do not wait for each other.
            sql`input AS (
              SELECT * FROM jsonb_to_recordset(${input}::jsonb) AS r("offset" bigint, id text, type text, subject text, "time" float8, data jsonb)
            ), fresh AS (
              INSERT INTO ${handled} (consumer, id, at)
              SELECT DISTINCT ${name}, id, ${instant(now)} FROM input WHERE EXISTS (SELECT FROM held) ORDER BY id
              ON CONFLICT DO NOTHING RETURNING id
            ), events AS (
              SELECT DISTINCT ON (id) "offset", id, type, subject, to_timestamp("time" / 1000) AS "time", data
              FROM input JOIN fresh USING (id) ORDER BY id, "offset"
            ), ${effect({ events: sql`events`, now })}`;
      const { rows } = await db.execute<{ isHeld: boolean; applied: number }>(sql`
        WITH RECURSIVE held AS (${held}), ${effects}
        SELECT EXISTS (SELECT FROM held) AS "isHeld", (SELECT count(*)::int FROM fresh) AS applied`);
      return rows[0]?.isHeld ? rows[0].applied : undefined;
    },

    /** One more try in vain, unless another runner has counted it. */
    async fail(place: Place, { from, tries, retryAt, error }: { from: number | null; tries: number; retryAt: number; error: string }): Promise<void> {
      await db.execute(sql`
        UPDATE ${positions} SET tries = tries + 1, retry_at = ${instant(retryAt)}, last_error = ${error}
        WHERE ${stands(place, from)} AND tries = ${tries}`);
    },

    /** Goes on at `next`, keeping what is passed over; whether it was this runner that did. */
    async giveUp(place: Place, what: { from: number | null; next: number; event: string | null; error: string; now: number }): Promise<boolean> {
      const { rows } = await db.execute(sql`
        WITH held AS (UPDATE ${positions} SET ${moved(what.next)} WHERE ${stands(place, what.from)} RETURNING 1)
        INSERT INTO ${givenUp} (consumer, topic, partition, "offset", event, error, at)
        SELECT ${name}, ${place.topic}, ${place.partition}, ${what.next - 1}, ${what.event}, ${what.error}, ${instant(what.now)} FROM held
        ON CONFLICT (consumer, topic, partition, "offset") DO UPDATE SET event = excluded.event, error = excluded.error, at = excluded.at
        RETURNING 1`);
      return rows.length === 1;
    },

    /** Goes on at `next` after a gap: from here on, nothing is missed again. Whether it was this runner that did. */
    async resume(place: Place, { from, next, now }: { from: number | null; next: number; now: number }): Promise<boolean> {
      const { rows } = await db.execute(sql`
        UPDATE ${positions} SET ${moved(next)}, since = ${instant(now)} WHERE ${stands(place, from)} RETURNING 1`);
      return rows.length === 1;
    },

    async sawEnd(place: Place, { next, now }: { next: number | null; now: number }): Promise<void> {
      await db.execute(sql`UPDATE ${positions} SET caught_up_at = ${instant(now)}, tries = 0, retry_at = NULL, last_error = NULL WHERE ${stands(place, next)}`);
    },

    async state(): Promise<ConsumerState> {
      const { rows } = await db.execute<ConsumerState>(sql`
        SELECT count(*)::int AS partitions, count(*) FILTER (WHERE tries > 0)::int AS stopped,
          (extract(epoch FROM min(caught_up_at)) * 1000)::float8 AS "caughtUpAt",
          (SELECT count(*)::int FROM ${givenUp} WHERE consumer = ${name}) AS "givenUp"
        FROM ${positions} WHERE consumer = ${name}`);
      return rows[0]!;
    },

    /** Forgets what was handled before `before`, some at a time. */
    async prune(before: number): Promise<void> {
      await db.execute(sql`
        DELETE FROM ${handled} WHERE (consumer, id) IN (
          SELECT consumer, id FROM ${handled} WHERE consumer = ${name} AND at < ${instant(before)} ORDER BY at LIMIT ${PRUNED_AT_ONCE}
        )`);
    },
  };
}
