import { sql } from "drizzle-orm";
import type { Database } from "../../../database/client.ts";
import type { RoleSettings } from "./role.ts";

export type RoleToProvide = { name: string; roleId: string; settings: RoleSettings; hash: string; accessor: string };

/** Brings roles and their given secret-ids in line; a given secret-id that is no longer wanted goes, any other stays. */
export async function provideRoles(db: Database, roles: RoleToProvide[], now: number): Promise<void> {
  const wanted = sql`jsonb_to_recordset(${JSON.stringify(roles)}::jsonb) as w(name text, "roleId" text, settings jsonb, hash text, accessor text)`;
  await db.batch([
    db.execute(
      sql`insert into secrets.roles (name, role_id, settings)
      select name, "roleId", settings from ${wanted}
      order by name
      on conflict (name) do update set role_id = excluded.role_id, settings = excluded.settings
        where roles.role_id <> excluded.role_id or roles.settings <> excluded.settings`,
    ),
    db.execute(sql`delete from secrets.secret_ids s using ${wanted} where s.role = w.name and s.hash <> w.hash and s.is_provisioned`),
    db.execute(
      sql`insert into secrets.secret_ids (role, hash, accessor, metadata, created, ttl, expires, uses_left, is_provisioned)
      select name, hash, accessor, '{}', ${now}::bigint, 0, null, null, true from ${wanted}
      order by name
      on conflict (role, hash) do update set ttl = 0, expires = null, uses_left = null, is_provisioned = true
        where not secret_ids.is_provisioned or secret_ids.expires is not null or secret_ids.uses_left is not null`,
    ),
  ]);
}
