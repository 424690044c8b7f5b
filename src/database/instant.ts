import { type SQL, sql } from "drizzle-orm";

/** Milliseconds since the epoch as a `timestamptz`: statements get the time, they do not ask for it. */
export function instant(milliseconds: number): SQL {
  return sql`${new Date(milliseconds).toISOString()}::timestamptz`;
}
