import { sql } from "drizzle-orm";
import type { Database } from "../database/client.ts";
import { instant } from "../database/instant.ts";
import type { Effect } from "./consumer-store.ts";
import { revocations, revocationVersion } from "./tables.ts";

/** The longest life of a token that is accepted, and what the clocks of different systems may differ by. */
const KEPT_HOURS = 25;

/** Locks and unlocks as the revocations they are, in whatever order they come: one that an operator has replayed may come late. */
export const revoke: Effect = ({ events, now }) => sql`
  version AS (
    INSERT INTO ${revocationVersion} AS v (name, version) SELECT 'revocations', 1 WHERE EXISTS (SELECT FROM ${events})
    ON CONFLICT (name) DO UPDATE SET version = v.version + 1 RETURNING version
  ), latest AS (
    SELECT data->>'identityId' AS subject, max((data->>'revision')::int) AS revision, max("time") FILTER (WHERE type = 'user.locked') AS locked_at,
      (array_agg(CASE WHEN type = 'user.unlocked' THEN "time" END ORDER BY (data->>'revision')::int DESC))[1] AS unlocked_at, max("time") AS "time"
    FROM ${events} GROUP BY 1
  ), revoked AS (
    INSERT INTO ${revocations} AS r (subject, revision, locked_at, unlocked_at, until, version)
    SELECT subject, revision, locked_at, unlocked_at, "time" + interval '1 hour' * ${KEPT_HOURS}, version.version FROM latest, version
    WHERE "time" > ${instant(now)} - interval '1 hour' * ${KEPT_HOURS} ORDER BY subject
    ON CONFLICT (subject) DO UPDATE SET revision = greatest(r.revision, excluded.revision),
      locked_at = greatest(r.locked_at, excluded.locked_at),
      unlocked_at = CASE WHEN excluded.revision > r.revision THEN excluded.unlocked_at ELSE r.unlocked_at END,
      until = greatest(r.until, excluded.until), version = excluded.version
  )`;

export type Revocation = {
  subject: string;
  /** Tokens issued before this second (since the epoch) are refused; null: all are. */
  validFrom: number | null;
  /** Milliseconds since the epoch: by then, every token that it is about has ended. */
  until: number;
  version: number;
};

export type RevocationStore = ReturnType<typeof revocationStore>;

export function revocationStore(db: Database) {
  return {
    /** What has changed after `version`, the oldest change first. */
    async since(version: number, { now, limit }: { now: number; limit: number }): Promise<Revocation[]> {
      const { rows } = await db.execute<Revocation>(sql`
        SELECT subject, (extract(epoch FROM until) * 1000)::float8 AS until, version::float8 AS version,
          CASE WHEN unlocked_at IS NOT NULL THEN
            greatest(floor(extract(epoch FROM locked_at)) + 1, floor(extract(epoch FROM unlocked_at)))::float8 END AS "validFrom"
        FROM ${revocations} WHERE version > ${version}::bigint AND until > ${instant(now)}
        ORDER BY version LIMIT ${limit}`);
      return rows;
    },

    async prune(now: number): Promise<void> {
      await db.execute(sql`DELETE FROM ${revocations} WHERE until <= ${instant(now)}`);
    },
  };
}
