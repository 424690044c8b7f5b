import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../database/client.ts";
import { instant, isoText } from "../database/instant.ts";
import { isUniqueViolation } from "../database/violation.ts";
import type { FailureKind } from "./delivery-store.ts";
import { deliveries, endpoints } from "./tables.ts";

/** What an administrator says of an endpoint. */
export type Asked = {
  url: string;
  /** Null for all. */
  types: readonly string[] | null;
  description: string;
};

/** An endpoint as it is shown: nothing of its secrets. Times are ISO 8601, UTC. */
export type Endpoint = Asked & {
  id: string;
  /** Where a list goes on after it. */
  position: number;
  createdAt: string;
  disabledAt: string | null;
  disabledBy: "administrator" | "receiver" | "failures" | null;
  lastSuccessAt: string | null;
  lastFailureAt: string | null;
  lastFailure: FailureKind | null;
  lastStatus: number | null;
  failures: number;
  oldUntil: string | null;
  pending: number;
  setAside: number;
  dropped: number;
};

export type Counts = { endpoints: number; failing: number; disabled: number };

export const MAX_ENDPOINTS = 100;
/** Beyond it, deliveries are not counted. */
const MAX_COUNTED = 10_000;

export function endpointStore(db: Database) {
  const time = (column: SQL) => sql`CASE WHEN ${column} IS NOT NULL THEN ${isoText(column)} END`;
  const counted = (condition: SQL) => sql`(
    SELECT count(*)::int FROM (SELECT 1 FROM ${deliveries} WHERE endpoint = e.id AND ${condition} LIMIT ${MAX_COUNTED}) AS counted)`;
  const shown = (now: number) => sql`
    SELECT id, position::float8, url, types, description, ${isoText(sql`created_at`)} AS "createdAt", ${time(sql`disabled_at`)} AS "disabledAt",
      disabled_by AS "disabledBy", ${time(sql`last_success_at`)} AS "lastSuccessAt", ${time(sql`last_failure_at`)} AS "lastFailureAt",
      last_failure AS "lastFailure", last_status AS "lastStatus", failures, dropped,
      CASE WHEN old_until > ${instant(now)} THEN ${isoText(sql`old_until`)} END AS "oldUntil",
      ${counted(sql`set_aside_at IS NULL`)} AS pending, ${counted(sql`set_aside_at IS NOT NULL`)} AS "setAside"
    FROM ${endpoints} AS e`;
  const typesOf = ({ types }: Asked) => (types === null ? null : JSON.stringify(types));

  return {
    async list({ after, limit, now }: { after: number; limit: number; now: number }): Promise<Endpoint[]> {
      const { rows } = await db.execute<Endpoint>(sql`${shown(now)} WHERE position > ${after} ORDER BY position LIMIT ${limit}`);
      return rows;
    },

    async get(id: string, now: number): Promise<Endpoint | undefined> {
      const { rows } = await db.execute<Endpoint>(sql`${shown(now)} WHERE id = ${id}`);
      return rows[0];
    },

    /** False when there are as many endpoints as there may be. */
    async create(id: string, { secret, now, ...asked }: Asked & { secret: string; now: number }): Promise<boolean> {
      const { rows } = await takingSlot(() => db.execute(sql`
        INSERT INTO ${endpoints} (id, slot, url, types, description, secret, created_at)
        SELECT ${id}, slot, ${asked.url}, ${typesOf(asked)}::jsonb, ${asked.description}, ${secret}, ${instant(now)}
        FROM generate_series(1, ${MAX_ENDPOINTS}) AS slot WHERE NOT EXISTS (SELECT FROM ${endpoints} AS taken WHERE taken.slot = slot.slot)
        ORDER BY slot LIMIT 1 RETURNING 1`));
      return rows.length === 1;
    },

    /** What waits for an endpoint that is enabled goes out anew, at once. False when there is none. */
    async change(id: string, { isEnabled, now, ...asked }: Asked & { isEnabled: boolean; now: number }): Promise<boolean> {
      const disabled = isEnabled
        ? sql`disabled_at = NULL, disabled_by = NULL`
        : sql`disabled_at = coalesce(disabled_at, ${instant(now)}), disabled_by = coalesce(disabled_by, 'administrator')`;
      const { rows } = await db.execute(sql`
        WITH changed AS (
          UPDATE ${endpoints} SET url = ${asked.url}, types = ${typesOf(asked)}::jsonb, description = ${asked.description}, ${disabled},
            revision = revision + 1, failures = 0, failing_since = NULL, rests_until = NULL
          WHERE id = ${id} RETURNING id
        ), hurried AS (
          UPDATE ${deliveries} SET due = ${instant(now)}
          WHERE ${isEnabled} AND endpoint IN (SELECT id FROM changed) AND set_aside_at IS NULL AND lease_holder IS NULL AND due > ${instant(now)}
        )
        SELECT 1 FROM changed`);
      return rows.length === 1;
    },

    /** Keeps the secret there was for signing until `oldUntil`. False when there is no such endpoint. */
    async rotate(id: string, { secret, oldUntil }: { secret: string; oldUntil: number }): Promise<boolean> {
      const { rows } = await db.execute(sql`
        UPDATE ${endpoints} SET old_secret = secret, old_until = ${instant(oldUntil)}, secret = ${secret} WHERE id = ${id} RETURNING 1`);
      return rows.length === 1;
    },

    async remove(id: string): Promise<boolean> {
      const { rows } = await db.execute(sql`DELETE FROM ${endpoints} WHERE id = ${id} RETURNING 1`);
      return rows.length === 1;
    },

    async counts(): Promise<Counts> {
      const { rows } = await db.execute<Counts>(sql`
        SELECT count(*)::int AS endpoints, count(*) FILTER (WHERE failures > 0 AND disabled_at IS NULL)::int AS failing,
          count(*) FILTER (WHERE disabled_at IS NOT NULL)::int AS disabled
        FROM ${endpoints}`);
      return rows[0]!;
    },
  };
}

/** Who finds their slot taken by another who was quicker looks for the next: each time, one more has got theirs. */
async function takingSlot<T>(insert: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await insert();
    } catch (error) {
      if (!isUniqueViolation(error) || tries > MAX_ENDPOINTS) throw error;
    }
  }
}
