import { eq, sql } from "drizzle-orm";
import type { Database } from "../../../database/client.ts";
import { rowsOf } from "../rows-store.ts";
import { roles } from "../tables.ts";
import type { Role, RoleSettings } from "./role.ts";

export async function listRoleNames(db: Database): Promise<string[]> {
  const rows = await db.select({ name: roles.name }).from(roles).orderBy(sql`name collate "C"`);
  return rows.map(({ name }) => name);
}

export async function findRole(db: Database, name: string): Promise<Role | undefined> {
  const [row] = await db.select().from(roles).where(eq(roles.name, name));
  return row as Role | undefined;
}

export async function findRoleById(db: Database, roleId: string): Promise<Role | undefined> {
  const [row] = await db.select().from(roles).where(eq(roles.roleId, roleId));
  return row as Role | undefined;
}

/** Whether the name was free. */
export async function insertRole(db: Database, role: Role): Promise<boolean> {
  const rows = await db.insert(roles).values(role).onConflictDoNothing({ target: roles.name }).returning({ name: roles.name });
  return rows.length > 0;
}

/** Whether the role is there and its times fit together with `changes` merged in. */
export async function updateRole(db: Database, name: string, changes: Partial<RoleSettings>): Promise<boolean> {
  const merged = sql`settings || ${JSON.stringify(changes)}::jsonb`;
  const rows = await rowsOf(
    db,
    sql`update secrets.roles set settings = ${merged}
    where name = ${name} and (((${merged})->>'token_max_ttl')::bigint = 0 or ((${merged})->>'token_ttl')::bigint <= ((${merged})->>'token_max_ttl')::bigint)
    returning name`,
  );
  return rows.length > 0;
}

export async function deleteRole(db: Database, name: string): Promise<void> {
  await db.delete(roles).where(eq(roles.name, name));
}
