import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../database/client.ts";
import { instant, isoText } from "../database/instant.ts";
import { catalogue, type EventData, type EventType } from "./catalogue.ts";
import { outbox } from "./tables.ts";

/** What happened to a user or was done by one; calls of the administration interface have `auditEvent`. */
export type UserEvent = Exclude<EventType, "admin.called">;

/** Of a row: that it waits for the broker. */
export const PENDING = sql.raw("sent_at IS NULL AND set_aside_at IS NULL");

type Insertion = { key: SQL; data: SQL; from: SQL; now: number; traceparent: string | SQL };
type AuditInsertion = { key: string; data: EventData<"admin.called">; now: number; traceparent: string; due?: number | null };

/**
 * `INSERT INTO events.outbox … SELECT`, for a CTE beside the change it tells of: no change without its event.
 * `from` is the rest of the SELECT; `data` is a jsonb expression over it, as the catalogue says, without any secret.
 */
export function userEvent(type: UserEvent, { key, data, from, now, traceparent }: Insertion): SQL {
  return sql`INSERT INTO ${outbox} (topic, type, key, data, traceparent, created_at)
    SELECT ${catalogue[type].topic}, ${type}, ${key}, ${data}, ${traceparent}, ${instant(now)} ${from}`;
}

/** The event `id` of one call of the administration interface; held back until `due`. */
export function auditEvent(id: string, { key, data, now, traceparent, due = null }: AuditInsertion): SQL {
  return sql`INSERT INTO ${outbox} (id, topic, type, key, data, traceparent, created_at, due)
    VALUES (${id}, ${catalogue["admin.called"].topic}, 'admin.called', ${key}, ${JSON.stringify(data)}::jsonb, ${traceparent}, ${instant(now)},
      ${due === null ? null : instant(due)})`;
}

/** An event that was set aside, and what with: nothing of its data. */
export type SetAside = {
  /** Where a list goes on after it. */
  position: number;
  id: string;
  topic: string;
  type: string;
  key: string;
  /** ISO 8601, UTC. */
  createdAt: string;
  setAsideAt: string;
  attempts: number;
  lastError: string | null;
};

/** The events that were set aside, the oldest first, after the one at `after`. */
export async function listSetAside(db: Database, { after, limit }: { after: number; limit: number }): Promise<SetAside[]> {
  const { rows } = await db.execute<SetAside>(sql`
    SELECT position::float8, id, topic, type, key, ${isoText(sql`created_at`)} AS "createdAt",
      ${isoText(sql`set_aside_at`)} AS "setAsideAt", attempts, last_error AS "lastError"
    FROM ${outbox} WHERE set_aside_at IS NOT NULL AND position > ${after} ORDER BY position LIMIT ${limit}`);
  return rows;
}

/** Lets the relay send the event `id` again, as if for the first time; false when it was not set aside. */
export async function replay(db: Database, id: string): Promise<boolean> {
  const { rows } = await db.execute(sql`UPDATE ${outbox} SET set_aside_at = NULL, attempts = 0 WHERE id = ${id} AND set_aside_at IS NOT NULL RETURNING 1`);
  return rows.length === 1;
}

/** Removes the event `id` for good; false when it was not set aside. */
export async function discard(db: Database, id: string): Promise<boolean> {
  const { rows } = await db.execute(sql`DELETE FROM ${outbox} WHERE id = ${id} AND set_aside_at IS NOT NULL RETURNING 1`);
  return rows.length === 1;
}

/** Beyond it, events are not counted: what reads this is to stay quick however long the broker has been away. */
export const MAX_COUNTED = 100_000;

/** How much waits for the broker, since when the oldest of what was counted (milliseconds since the epoch), and how much was set aside. */
export type OutboxState = { length: number; oldest: number | null; setAside: number };

export async function outboxState(db: Database): Promise<OutboxState> {
  const { rows } = await db.execute<OutboxState>(sql`
    SELECT count(*)::int AS length, (extract(epoch FROM min(created_at)) * 1000)::float8 AS oldest,
      (SELECT count(*)::int FROM (SELECT 1 FROM ${outbox} WHERE set_aside_at IS NOT NULL LIMIT ${MAX_COUNTED}) AS aside) AS "setAside"
    FROM (SELECT created_at FROM ${outbox} WHERE ${PENDING} LIMIT ${MAX_COUNTED}) AS pending`);
  return rows[0]!;
}
