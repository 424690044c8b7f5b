import { sql, type SQL } from "drizzle-orm";

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
