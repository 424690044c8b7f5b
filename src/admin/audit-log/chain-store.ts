import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../database/client.ts";
import { isoText } from "../../database/instant.ts";
import type { Effect } from "../../events/consumer-store.ts";
import { auditEntries, auditHead } from "../tables.ts";
import { type Link, START } from "./entry.ts";

const AT = isoText(sql`at`);

/** What is hashed of an entry besides its place, in this order. */
const SAID = [sql`id`, AT, sql`actor`, sql`client`, sql`action`, sql`resource`, sql`outcome`, sql`code`, sql`request_id`];

/** As in JSON without spaces, each a string or null; how Postgres escapes text is how JavaScript does. */
const SAID_TEXT = sql.join(SAID.map((value) => sql`coalesce(to_json(${value})::text, 'null')`), sql` || ',' || `);

/**
 * SHA-256 in hex of the entry's canonical form, the JSON array of its sequence, the hash of the entry before, and what it
 * says: in JavaScript, `JSON.stringify([sequence, previous, id, at, actor, client, action, resource, outcome, code, requestId])`.
 */
function hashOf({ sequence, previous, said }: { sequence: SQL; previous: SQL; said: SQL }): SQL {
  return sql`encode(sha256(convert_to('[' || (${sequence}) || ',"' || ${previous} || '",' || ${said} || ']', 'UTF8')), 'hex')`;
}

/**
 * Appends events as entries, in their order, each event once for ever. Who appends waits for the lock of the head and reads
 * it when the one before has committed, so that the chain cannot fork; where there is no head yet to lock, the keys keep it whole.
 */
export const append: Effect = ({ events }) => sql`
  novel AS (
    SELECT row_number() OVER (ORDER BY "offset") AS nth, id, at, actor, client, action, resource, outcome, code, request_id, ${SAID_TEXT} AS said FROM (
      SELECT "offset", id, "time"::timestamptz(3) AS at, data->>'actor' AS actor, data->>'client' AS client, data->>'action' AS action,
        data->>'resource' AS resource, data->>'outcome' AS outcome, data->>'code' AS code, data->>'requestId' AS request_id
      FROM ${events} AS event WHERE NOT EXISTS (SELECT FROM ${auditEntries} AS entry WHERE entry.id = event.id)
    ) AS entry
  ), head AS (
    -- Last of all that is locked, whoever appends: nobody who has it waits for another.
    SELECT sequence, hash FROM ${auditHead} WHERE name = 'audit' AND EXISTS (SELECT FROM novel) FOR UPDATE
  ), chain AS (
    SELECT 0::bigint AS nth, coalesce(max(sequence), ${START.sequence}) AS sequence, NULL::text AS previous, coalesce(max(hash), ${START.hash}) AS hash FROM head
    UNION ALL
    SELECT novel.nth, chain.sequence + 1, chain.hash, ${hashOf({ sequence: sql`chain.sequence + 1`, previous: sql`chain.hash`, said: sql`novel.said` })}
    FROM chain JOIN novel ON novel.nth = chain.nth + 1
  ), appended AS (
    INSERT INTO ${auditEntries} (sequence, id, at, actor, client, action, resource, outcome, code, request_id, previous, hash)
    SELECT sequence, id, at, actor, client, action, resource, outcome, code, request_id, previous, hash FROM chain JOIN novel USING (nth)
  ), moved AS (
    INSERT INTO ${auditHead} (name, sequence, hash) SELECT 'audit', sequence, hash FROM chain WHERE nth > 0 ORDER BY nth DESC LIMIT 1
    ON CONFLICT (name) DO UPDATE SET sequence = excluded.sequence, hash = excluded.hash
  )`;

/** What the log is to be at this moment, and what there is of it. */
type Extent = {
  /** Null before the first entry. */
  head: Link | null;
  first: number | null;
  last: number | null;
};

/** `end` is its last entry, null without any. */
type Stretch = { entries: number; end: Link | null; broken: Broken | null };

type Broken = { sequence: number; reason: "missing" | "altered" | "unlinked" };

export type ChainStore = ReturnType<typeof chainStore>;

export function chainStore(db: Database) {
  return {
    async extent(): Promise<Extent> {
      const { rows } = await db.execute<Extent>(sql`
        SELECT (SELECT jsonb_build_object('sequence', sequence, 'hash', hash) FROM ${auditHead} WHERE name = 'audit') AS head,
          min(sequence)::float8 AS first, max(sequence)::float8 AS last FROM ${auditEntries}`);
      return rows[0]!;
    },

    /** The hash that the entry says it has; undefined without one. */
    async hashAt(sequence: number): Promise<string | undefined> {
      const { rows } = await db.execute<{ hash: string }>(sql`SELECT hash FROM ${auditEntries} WHERE sequence = ${sequence}`);
      return rows[0]?.hash;
    },

    /** Recomputes the entries from the one that is `after`, which itself is looked at again, to `last`; answers the first that is not right. */
    async check(after: Link, last: number): Promise<Stretch> {
      const { rows } = await db.execute<Stretch>(sql`
        WITH stretch AS (
          SELECT sequence, hash, previous, ${hashOf({ sequence: sql`sequence`, previous: sql`previous`, said: SAID_TEXT })} AS computed,
            lag(sequence, 1, ${after.sequence}::bigint) OVER place AS before, lag(hash, 1, ${after.hash}::text) OVER place AS linked
          FROM ${auditEntries} WHERE sequence BETWEEN ${after.sequence} AND ${last} WINDOW place AS (ORDER BY sequence)
        ), broken AS (
          SELECT sequence, CASE WHEN sequence > before + 1 THEN 'missing' WHEN computed IS DISTINCT FROM hash THEN 'altered' ELSE 'unlinked' END AS reason, before
          FROM stretch WHERE computed IS DISTINCT FROM hash OR (sequence > ${after.sequence} AND (sequence <> before + 1 OR previous IS DISTINCT FROM linked))
          ORDER BY sequence LIMIT 1
        )
        SELECT (SELECT count(*)::int FROM stretch WHERE sequence > ${after.sequence}) AS entries,
          (SELECT jsonb_build_object('sequence', sequence, 'hash', hash) FROM stretch ORDER BY sequence DESC LIMIT 1) AS "end",
          (SELECT jsonb_build_object('sequence', CASE reason WHEN 'missing' THEN before + 1 ELSE sequence END, 'reason', reason) FROM broken) AS broken`);
      return rows[0]!;
    },
  };
}
