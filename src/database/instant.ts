import { type SQL, sql } from "drizzle-orm";

/** Milliseconds since the epoch as a `timestamptz`: statements get the time, they do not ask for it. */
export function instant(milliseconds: number): SQL {
  return sql`${new Date(milliseconds).toISOString()}::timestamptz`;
}

/** A `timestamptz` as text: ISO 8601 in UTC, with milliseconds. */
export function isoText(value: SQL): SQL {
  return sql`to_char(${value} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
