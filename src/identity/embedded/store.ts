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
  'id', s.id, 'started', s.started, 'lastAccess', s.last_access, 'isDetached', s.is_detached, 'refreshId', s.refresh_id) end`;

/** The rows of a statement written by hand; `Row` is what its columns promise. */
export async function rowsOf<Row>(db: Database, statement: SQL): Promise<Row[]> {
  const { rows } = await db.execute(statement);
  return rows as Row[];
}

/** SQL for the jsonb array of `[name, clientId]` of all roles of the user with this id, composites resolved. */
export function effectiveRoles(user: SQL): SQL {
  return sql`(
    with recursive held(id) as (
      select role from identity.user_roles where "user" = ${user}
      union
      select child from identity.composite_roles join held on role = held.id
    )
    select coalesce(jsonb_agg(jsonb_build_array(r.name, c.client_id)), '[]')
    from held join identity.roles r on r.id = held.id left join identity.clients c on c.id = r.client
  )`;
}
