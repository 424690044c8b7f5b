import { sql } from "drizzle-orm";
import type { Database } from "../database/client.ts";
import type { EventData } from "../events/catalogue.ts";
import { auditEvent } from "../events/outbox-store.ts";
import { outbox } from "../events/tables.ts";

/** `unknown`: the process ended before the call did. */
export type Ending = Pick<EventData<"admin.called">, "outcome" | "code">;

/** Who did what on which resource: names and ids, never a value. */
export type Audited = Omit<EventData<"admin.called">, keyof Ending>;

type Telling = { audited: Audited; now: number; traceparent: string };

export type AuditStore = ReturnType<typeof auditStore>;

const UNKNOWN: Ending = { outcome: "unknown", code: null };

export function auditStore(db: Database) {
  return {
    /**
     * Writes the event of a change before it is made: from here on it is told, whatever becomes of this process. Held back
     * until the call ends, or else until `due`.
     */
    async begin(id: string, { audited, now, traceparent, due }: Telling & { due: number }): Promise<void> {
      const event = auditEvent(id, { key: audited.caller, data: { ...audited, ...UNKNOWN }, now, traceparent, due });
      await db.execute(sql`${event} ON CONFLICT (id) DO NOTHING`);
    },

    /** Writes the event of the call `id`, begun or not, unless it was told already; repeated, it has no second effect. */
    async end(id: string, { audited, ending, now, traceparent }: Telling & { ending: Ending }): Promise<void> {
      const event = auditEvent(id, { key: audited.caller, data: { ...audited, ...ending }, now, traceparent });
      await db.execute(sql`
        ${event} ON CONFLICT (id) DO UPDATE SET data = excluded.data, created_at = excluded.created_at, due = NULL
        WHERE ${outbox.sentAt} IS NULL AND ${outbox.setAsideAt} IS NULL AND ${outbox.leaseHolder} IS NULL AND ${outbox.attempts} = 0`);
    },
  };
}
