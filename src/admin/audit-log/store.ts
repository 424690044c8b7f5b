import { sql } from "drizzle-orm";
import type { Database } from "../../database/client.ts";
import { instant, isoText } from "../../database/instant.ts";
import { auditEntries } from "../tables.ts";
import type { ChainedEntry, Entry } from "./entry.ts";

export type Filter = Partial<Pick<Entry, "actor" | "action" | "resource" | "outcome">> & {
  /** Milliseconds since the epoch; `to` is not in it. */
  from?: number | undefined;
  to?: number | undefined;
};

/** The newest entries that fit, of those before the sequence `before`. */
export async function listEntries(db: Database, { before, limit, ...filter }: Filter & { before: number | undefined; limit: number }): Promise<ChainedEntry[]> {
  const { actor, action, resource, outcome, from, to } = filter;
  const conditions = [
    before !== undefined && sql`sequence < ${before}`,
    actor !== undefined && sql`actor = ${actor}`,
    action !== undefined && sql`action = ${action}`,
    // Both, as the index has only the beginning.
    resource !== undefined && sql`left(resource, 255) = left(${resource}, 255) AND resource = ${resource}`,
    outcome !== undefined && sql`outcome = ${outcome}`,
    from !== undefined && sql`at >= ${instant(from)}`,
    to !== undefined && sql`at < ${instant(to)}`,
  ].filter((condition) => condition !== false);
  const { rows } = await db.execute<ChainedEntry>(sql`
    SELECT sequence::float8, id, ${isoText(sql`at`)} AS at, actor, client, action, resource, outcome, code, request_id AS "requestId", previous, hash
    FROM ${auditEntries} WHERE ${sql.join([sql`true`, ...conditions], sql` AND `)} ORDER BY sequence DESC LIMIT ${limit}`);
  return rows;
}
