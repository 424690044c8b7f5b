import { type SQL, sql } from "drizzle-orm";
import { instant } from "../database/instant.ts";
import { outbox } from "./tables.ts";

/** Event types of the topic `platform.users`. */
export type UserEvent =
  | "user.registered"
  | "user.updated"
  | "user.locked"
  | "user.unlocked"
  | "user.login-failed"
  | "user.login-locked"
  | "user.security-details-updated"
  | "user.registration-completed";

type Insertion = { key: SQL; data: SQL; from: SQL; now: number; traceparent: string | SQL };

/**
 * `INSERT INTO events.outbox … SELECT`, for a CTE beside the change it tells of: no change without its event.
 * `from` is the rest of the SELECT; `data` is a jsonb expression over it, without any secret.
 */
export function userEvent(type: UserEvent, { key, data, from, now, traceparent }: Insertion): SQL {
  return sql`INSERT INTO ${outbox} (topic, type, key, data, traceparent, created_at)
    SELECT 'platform.users', ${type}, ${key}, ${data}, ${traceparent}, ${instant(now)} ${from}`;
}

/** The same for the topic `platform.audit`: one call of the administration interface, written once for each `id`. */
export function auditEvent({ id, key, data, from, now, traceparent }: Insertion & { id: SQL }): SQL {
  return sql`INSERT INTO ${outbox} (id, topic, type, key, data, traceparent, created_at)
    SELECT ${id}, 'platform.audit', 'admin.called', ${key}, ${data}, ${traceparent}, ${instant(now)} ${from}
    ON CONFLICT (id) DO NOTHING`;
}
