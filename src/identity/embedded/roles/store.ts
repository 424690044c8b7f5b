import { and, eq, isNull, sql } from "drizzle-orm";
import type { Database } from "../../../database/client.ts";
import { isUniqueViolation } from "../../../database/violation.ts";
import { rowsOf, userDocument } from "../store.ts";
import { likeText, storable } from "../users/store.ts";
import type { User } from "../users/user.ts";
import { roles } from "../tables.ts";

export type Role = { id: string; name: string; description: string | null; client: string | null; isComposite: boolean };

const roleDocument = sql`jsonb_build_object('id', r.id, 'name', r.name, 'description', r.description, 'client', r.client,
  'isComposite', exists (select from identity.composite_roles where role = r.id))`;

/** Without `client`, realm roles. */
export async function findRole(db: Database, { name, client = null }: { name: string; client?: string | null }): Promise<Role | undefined> {
  const [row] = await rowsOf<{ role: Role }>(
    db,
    sql`select ${roleDocument} as role from identity.roles r where r.name = ${storable(name)} and r.client is not distinct from ${client}::uuid`,
  );
  return row?.role;
}

export async function getRole(db: Database, id: string): Promise<Role | undefined> {
  const [row] = await rowsOf<{ role: Role }>(db, sql`select ${roleDocument} as role from identity.roles r where r.id = ${id}::uuid`);
  return row?.role;
}

export type RoleQuery = { client: string | null; search: string; first: number; max: number | undefined };

export async function listRoles(db: Database, { client, search, first, max }: RoleQuery): Promise<Role[]> {
  const pattern = `%${likeText(storable(search.toLowerCase()))}%`;
  const rows = await rowsOf<{ role: Role }>(
    db,
    sql`select ${roleDocument} as role from identity.roles r
    where r.client is not distinct from ${client}::uuid and (lower(r.name) like ${pattern} or lower(r.description) like ${pattern})
    order by r.name limit ${max ?? null}::bigint offset ${first}::bigint`,
  );
  return rows.map(({ role }) => role);
}

/** Whether the name was free. */
export async function insertRole(db: Database, role: { name: string; description: string | null }): Promise<boolean> {
  const rows = await db
    .insert(roles)
    .values({ id: crypto.randomUUID(), attributes: {}, ...role })
    .onConflictDoNothing()
    .returning({ id: roles.id });
  return rows.length > 0;
}

/** Whether the name is no other role's. */
export async function updateRole(db: Database, id: string, changes: { name: string; description: string | null }): Promise<boolean> {
  try {
    await db.update(roles).set(changes).where(eq(roles.id, id));
    return true;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}

export async function deleteRole(db: Database, name: string): Promise<boolean> {
  const rows = await db.delete(roles).where(and(eq(roles.name, storable(name)), isNull(roles.client))).returning({ id: roles.id });
  return rows.length > 0;
}

export async function usersOfRole(db: Database, role: string, { first, max }: { first: number; max: number | undefined }): Promise<User[]> {
  const rows = await rowsOf<{ user: User }>(
    db,
    sql`select ${userDocument} as "user" from identity.user_roles m join identity.users u on u.id = m."user"
    where m.role = ${role}::uuid order by u.username limit ${max ?? null}::bigint offset ${first}::bigint`,
  );
  return rows.map(({ user }) => user);
}

/** What a composite role contains, without what that contains in turn. */
export async function rolesIn(db: Database, id: string): Promise<Role[]> {
  const rows = await rowsOf<{ role: Role }>(
    db,
    sql`select ${roleDocument} as role from identity.composite_roles m join identity.roles r on r.id = m.child where m.role = ${id}::uuid order by r.name`,
  );
  return rows.map(({ role }) => role);
}

/** The roles that a user was given, without what these contain. */
export async function rolesOfUser(db: Database, user: string): Promise<(Role & { clientId: string | null })[]> {
  const rows = await rowsOf<{ role: Role & { clientId: string | null } }>(
    db,
    sql`select ${roleDocument} || jsonb_build_object('clientId', c.client_id) as role from identity.user_roles m
    join identity.roles r on r.id = m.role left join identity.clients c on c.id = r.client where m."user" = ${user}::uuid order by r.name`,
  );
  return rows.map(({ role }) => role);
}

export type RoleReference = { id?: string | null | undefined; name?: string | null | undefined };
export type Mapping = { user: string; client: string | null; wanted: RoleReference[] };

/** Gives the user all these roles; none, and false, when one does not exist under both its id and its name. */
export async function addRoles(db: Database, mapping: Mapping): Promise<boolean> {
  const [row] = await rowsOf<{ areFound: boolean }>(
    db,
    sql`with ${found(mapping)}, added as (
      insert into identity.user_roles ("user", role) select ${mapping.user}::uuid, id from found where (select are_found from checked)
      on conflict do nothing)
    select are_found as "areFound" from checked`,
  );
  return row?.areFound ?? false;
}

export async function removeRoles(db: Database, mapping: Mapping): Promise<boolean> {
  const [row] = await rowsOf<{ areFound: boolean }>(
    db,
    sql`with ${found(mapping)}, removed as (
      delete from identity.user_roles where "user" = ${mapping.user}::uuid and role in (select id from found) and (select are_found from checked))
    select are_found as "areFound" from checked`,
  );
  return row?.areFound ?? false;
}

function found({ client, wanted }: Mapping) {
  return sql`wanted as (select distinct id, name from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as w(id text, name text)),
    found as (select r.id from wanted w join identity.roles r on r.id::text = w.id and r.name = w.name and r.client is not distinct from ${client}::uuid),
    checked as (select (select count(*) from found) = (select count(*) from wanted) as are_found)`;
}
