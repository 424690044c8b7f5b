import { sql } from "drizzle-orm";
import type { Database } from "../database/client.ts";
import { instant } from "../database/instant.ts";
import { auditEvent } from "../events/outbox-store.ts";
import { changes } from "./tables.ts";

/** Who did what on which resource: names and ids, never a value. */
export type Audited = {
  /** The caller's `sub`. */
  caller: string;
  /** The client the caller's token was issued to. */
  client: string;
  /** The route's `operationId`. */
  operation: string;
  /** Such as `approle/orders`; null when the call was refused before that was known. */
  resource: string | null;
  requestId: string;
};

/** `unknown`: the process ended before the change did. */
export type Ending = { outcome: "succeeded" | "refused" | "failed" | "unknown"; code: string | null };

export type AuditStore = ReturnType<typeof auditStore>;

export function auditStore(db: Database) {
  return {
    /** Notes a change before it is made: from here on it has its event, whatever becomes of this process. */
    async begin(id: string, { audited, traceparent, due }: { audited: Audited; traceparent: string; due: number }): Promise<void> {
      await db.execute(sql`
        INSERT INTO ${changes} (id, audited, traceparent, due)
        VALUES (${id}, ${JSON.stringify(audited)}::jsonb, ${traceparent}, ${instant(due)})`);
    },

    /** Writes the event of the call `id`, and takes the note of its change away; repeated, it has no second effect. */
    async end(id: string, { audited, ending, now, traceparent }: { audited: Audited; ending: Ending; now: number; traceparent: string }): Promise<void> {
      const event = { id: sql`${id}::uuid`, key: sql`${audited.caller}`, data: sql`${JSON.stringify({ ...audited, ...ending })}::jsonb` };
      await db.execute(sql`
        WITH ended AS (DELETE FROM ${changes} WHERE id = ${id})
        ${auditEvent({ ...event, from: sql``, now, traceparent })}`);
    },

    /** Writes the events of the changes that nobody works on any more. */
    async endDue({ ending, now, limit }: { ending: Ending; now: number; limit: number }): Promise<void> {
      const event = { id: sql`id`, key: sql`audited->>'caller'`, data: sql`audited || ${JSON.stringify(ending)}::jsonb` };
      await db.execute(sql`
        WITH ended AS (
          DELETE FROM ${changes} WHERE id IN (
            SELECT id FROM ${changes} WHERE due <= ${instant(now)} ORDER BY due LIMIT ${limit} FOR UPDATE SKIP LOCKED
          ) RETURNING *
        )
        ${auditEvent({ ...event, from: sql`FROM ended`, now, traceparent: sql`traceparent` })}`);
    },
  };
}
