import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../database/client.ts";
import type { Table } from "./kinds.ts";

export type Columns = {
  names: string[];
  /** Of the primary key, in its order. */
  keys: string[];
  /** Filled by the database itself unless it is told to take what it is given. */
  identities: string[];
};

export async function columnsOf(db: Database, table: Table): Promise<Columns> {
  const { rows } = await db.execute<Columns>(sql`
    SELECT array_to_json(array_agg(a.attname ORDER BY a.attnum)) AS names,
      array_to_json(array_agg(a.attname ORDER BY array_position(i.indkey::int2[], a.attnum)) FILTER (WHERE a.attnum = ANY (i.indkey))) AS keys,
      coalesce(array_to_json(array_agg(a.attname) FILTER (WHERE a.attidentity <> '')), '[]') AS identities
    FROM pg_attribute a JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
    WHERE a.attrelid = ${table}::regclass AND a.attnum > 0 AND NOT a.attisdropped`);
  return rows[0]!;
}

/** The name of the last migration that this database has had: when its file was generated. */
export async function lastMigration(db: Database): Promise<string> {
  const { rows } = await db.execute<{ last: string | null }>(sql`SELECT max(created_at)::text AS last FROM drizzle.__drizzle_migrations`);
  return rows[0]?.last ?? "";
}

const PAGE = { rows: 500, characters: 2_000_000 };

/**
 * Rows as JSON, in the order of their keys, after the one that `after` is: some, at least one. They are handed on as text, for
 * JavaScript does not know all the numbers that Postgres does.
 */
export async function rowsAfter(db: Database, { table, columns, after }: { table: Table; columns: Columns; after: string | undefined }): Promise<string[]> {
  const keys = list(columns.keys);
  const behind = after === undefined ? sql`` : sql`WHERE (${keys}) > (SELECT ${keys} FROM jsonb_populate_record(NULL::${named(table)}, ${after}::jsonb))`;
  const { rows } = await db.execute<{ line: string }>(sql`
    SELECT line FROM (
      SELECT line, nth, sum(length(line)) OVER (ORDER BY nth) AS through FROM (
        SELECT to_jsonb(t)::text AS line, row_number() OVER (ORDER BY ${keys}) AS nth FROM ${named(table)} t ${behind} ORDER BY ${keys} LIMIT ${PAGE.rows}
      ) page
    ) page WHERE through <= ${PAGE.characters} OR nth = 1 ORDER BY nth`);
  return rows.map(({ line }) => line);
}

/** `users.users` as SQL has it. */
export function named(table: Table): SQL {
  return sql.raw(table.split(".").map((part) => `"${part}"`).join("."));
}

export function list(columns: string[], of = ""): SQL {
  return sql.raw(columns.map((column) => `${of}"${column}"`).join(", "));
}
