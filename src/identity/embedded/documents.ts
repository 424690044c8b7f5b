import { sql, type SQL } from "drizzle-orm";
import type { Database } from "../../database/client.ts";

/** SQL for a row of identity.users (as `u`) as a `User`, or null where the join found none. */
export const userDocument = sql`case when u.id is not null then jsonb_build_object(
  'id', u.id, 'username', u.username, 'email', u.email, 'emailVerified', u.email_verified, 'firstName', u.first_name,
  'lastName', u.last_name, 'enabled', u.enabled, 'createdTimestamp', u.created_timestamp, 'requiredActions', u.required_actions,
  'password', u.password, 'serviceAccountClient', u.service_account_client) end`;

/** SQL for a row of identity.clients (as `c`) as a `Client`. */
export const clientDocument = sql`case when c.id is not null then jsonb_build_object(
  'id', c.id, 'clientId', c.client_id, 'enabled', c.enabled, 'secret', c.secret, 'settings', c.settings) end`;

/** SQL for a row of identity.sessions (as `s`) as a `Session`. */
export const sessionDocument = sql`case when s.id is not null then jsonb_build_object(
  'id', s.id, 'started', s.started, 'lastAccess', s.last_access, 'isDetached', s.is_detached) end`;

/** The rows of a statement written by hand; `Row` is what its columns promise. */
export async function rowsOf<Row>(db: Database, statement: SQL): Promise<Row[]> {
  const { rows } = await db.execute(statement);
  return rows as Row[];
}
