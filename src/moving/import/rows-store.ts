import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../database/client.ts";
import { isUniqueViolation } from "../../database/violation.ts";
import type { Table } from "../kinds.ts";
import { type Columns, list, named } from "../rows-store.ts";
import type { UnreadEvent } from "../schema.ts";

/** Rows as JSON texts; `patch`, the JSON of what of one is to be otherwise than where it comes from. */
export type Given = { row: string; patch?: string };

/** `different` names the keys of rows that are there and say something else, or that another row stands in the way of. */
export type Outcome = { made: number; same: number; changed: number; different: string[] };

type Place = { table: Table; columns: Columns };

/**
 * The rows given, as records of the table: what each was (`old`) and is to be (`new`), with `there`, what is there under its key.
 * Compared as the database writes them, whatever its time zone.
 */
function given(rows: Given[], { table, columns }: Place): SQL {
  const input = `[${rows.map(({ row, patch = "{}" }) => `{"row":${row},"patch":${patch}}`).join(",")}]`;
  return sql`input AS (SELECT row, patch FROM jsonb_to_recordset(${input}::jsonb) AS r(row jsonb, patch jsonb)),
    given AS (
      SELECT to_jsonb(o) AS old, to_jsonb(n) AS new, to_jsonb(t) AS there FROM input
      CROSS JOIN LATERAL jsonb_populate_record(NULL::${named(table)}, row) o
      CROSS JOIN LATERAL jsonb_populate_record(NULL::${named(table)}, row || patch) n
      LEFT JOIN ${named(table)} t ON (${list(columns.keys, "t.")}) = (${list(columns.keys, "n.")}))`;
}

function keyOf({ columns }: Place): SQL {
  return sql`concat_ws('/', ${sql.join(columns.keys.map((key) => sql`given.new->>${key}`), sql`, `)})`;
}

/** Adds the rows that are not there; brings up to date those that are there as they were where they come from. */
export async function insertRows(db: Database, place: Place, { rows, overwrites }: { rows: Given[]; overwrites: boolean }): Promise<Outcome> {
  const { table, columns } = place;
  const all = list(columns.names);
  const settable = columns.names.filter((name) => !columns.keys.includes(name) && !columns.identities.includes(name));
  const isDue = overwrites ? sql`there <> new` : sql`there <> new AND there = old`;
  const updated =
    settable.length === 0
      ? sql`updated AS (SELECT NULL::jsonb AS new WHERE false)`
      : sql`updated AS (
          UPDATE ${named(table)} t SET ${sql.raw(settable.map((name) => `"${name}" = n."${name}"`).join(", "))}
          FROM given CROSS JOIN LATERAL jsonb_populate_record(NULL::${named(table)}, new) n
          WHERE ${isDue} AND (${list(columns.keys, "t.")}) = (${list(columns.keys, "n.")}) RETURNING given.new)`;
  try {
    const { rows: found } = await db.execute<Outcome>(sql`
      WITH ${given(rows, place)}, made AS (
        INSERT INTO ${named(table)} (${all}) OVERRIDING SYSTEM VALUE
        SELECT ${list(columns.names, "n.")} FROM given CROSS JOIN LATERAL jsonb_populate_record(NULL::${named(table)}, new) n WHERE there IS NULL
        ON CONFLICT DO NOTHING RETURNING ${list(columns.keys)}
      ), made_keys AS (SELECT concat_ws('/', ${list(columns.keys)}) AS key FROM made),
      ${updated}
      SELECT (SELECT count(*)::int FROM made) AS made, (SELECT count(*)::int FROM given WHERE there = new) AS same,
        (SELECT count(*)::int FROM updated) AS changed,
        coalesce((SELECT jsonb_agg(key) FROM (
          SELECT ${keyOf(place)} AS key FROM given
          WHERE (there IS NULL AND ${keyOf(place)} NOT IN (SELECT key FROM made_keys)) OR (there <> new AND new NOT IN (SELECT new FROM updated))
        ) AS left_alone), '[]') AS different`);
    return found[0]!;
  } catch (error) {
    // To overwrite one row may be to give it what another has.
    if (overwrites && isUniqueViolation(error)) return insertRows(db, place, { rows, overwrites: false });
    throw error;
  }
}

/** What `insertRows` would do. */
export async function compareRows(db: Database, place: Place, { rows, overwrites }: { rows: Given[]; overwrites: boolean }): Promise<Outcome> {
  const { rows: found } = await db.execute<Outcome>(sql`
    WITH ${given(rows, place)}
    SELECT count(*) FILTER (WHERE there IS NULL)::int AS made, count(*) FILTER (WHERE there = new)::int AS same,
      count(*) FILTER (WHERE there <> new AND (there = old OR ${overwrites}))::int AS changed,
      coalesce(jsonb_agg(${keyOf(place)}) FILTER (WHERE there <> new AND there <> old AND NOT ${overwrites}), '[]') AS different FROM given`);
  return found[0]!;
}

/**
 * Records given up of what was exported that are there under the offsets of the broker that is another one now go where
 * their import puts them; answers how many there are, and leaves them in a trial.
 */
export async function moveAside(db: Database, place: Place, { rows, isDryRun }: { rows: Given[]; isDryRun: boolean }): Promise<number> {
  const table = named(place.table);
  const due = sql`t."offset" = (old->>'offset')::bigint AND to_jsonb(t) = old AND old <> new AND there IS NULL`;
  const moved = sql`UPDATE ${table} t SET "offset" = (new->>'offset')::bigint FROM given WHERE ${due} RETURNING 1`;
  const { rows: found } = await db.execute<{ count: number }>(sql`
    WITH ${given(rows, place)}, moved AS (${isDryRun ? sql`SELECT FROM ${table} t, given WHERE ${due}` : moved}) SELECT count(*)::int AS count FROM moved`);
  return found[0]!.count;
}

/** What is numbered next comes after all that has come in. */
export async function moveSequences(db: Database, { table, columns }: Place): Promise<void> {
  for (const column of columns.identities) {
    await db.execute(sql`
      SELECT setval(pg_get_serial_sequence(${table}, ${column}), greatest(max(${list([column])}), (SELECT last_value FROM pg_sequences
        WHERE format('%I.%I', schemaname, sequencename) = pg_get_serial_sequence(${table}, ${column})), 1))
      FROM ${named(table)}`);
  }
}

/**
 * Appends entries to the audit log and moves its head with them, so that it is whole after each statement; none where the log
 * that is there is not the beginning of this one.
 */
export async function appendEntries(db: Database, rows: string[]): Promise<Outcome> {
  const input = `[${rows.join(",")}]`;
  const { rows: found } = await db.execute<Outcome>(sql`
    WITH given AS (SELECT * FROM jsonb_populate_recordset(NULL::admin.audit_entries, ${input}::jsonb)),
    head AS (SELECT sequence, hash FROM admin.audit_head WHERE name = 'audit'),
    next AS (SELECT * FROM given WHERE sequence > coalesce((SELECT sequence FROM head), 0)),
    fits AS (
      SELECT FROM next WHERE sequence = coalesce((SELECT sequence FROM head), 0) + 1
        AND (previous = (SELECT hash FROM head) OR NOT EXISTS (SELECT FROM head))),
    made AS (INSERT INTO admin.audit_entries SELECT * FROM next WHERE EXISTS (SELECT FROM fits) ORDER BY sequence RETURNING sequence, hash),
    moved AS (
      INSERT INTO admin.audit_head (name, sequence, hash) SELECT 'audit', sequence, hash FROM made ORDER BY sequence DESC LIMIT 1
      ON CONFLICT (name) DO UPDATE SET sequence = excluded.sequence, hash = excluded.hash),
    there AS (SELECT given.sequence FROM given JOIN admin.audit_entries t ON t.sequence = given.sequence AND t.hash = given.hash)
    SELECT (SELECT count(*)::int FROM made) AS made, (SELECT count(*)::int FROM there) AS same, 0 AS changed,
      coalesce((SELECT jsonb_agg(sequence::text ORDER BY sequence) FROM given
        WHERE sequence NOT IN (SELECT sequence FROM there) AND sequence NOT IN (SELECT sequence FROM made)), '[]') AS different`);
  return found[0]!;
}

/** Has the events that are not in the outbox any more sent again, under the ids that they have. */
export async function sendAgain(db: Database, events: UnreadEvent[]): Promise<number> {
  const { rows } = await db.execute(sql`
    INSERT INTO events.outbox (id, topic, type, key, data, traceparent, created_at)
    SELECT id, topic, type, key, data, traceparent, "createdAt" FROM jsonb_to_recordset(${JSON.stringify(events)}::jsonb)
      AS r(id uuid, topic text, type text, key text, data jsonb, traceparent text, "createdAt" timestamptz)
    ON CONFLICT DO NOTHING RETURNING id`);
  return rows.length;
}
