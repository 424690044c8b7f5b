import { sql } from "drizzle-orm";
import type { Database } from "../../../database/client.ts";
import type { Client } from "../clients/client.ts";
import { rowsOf } from "../store.ts";
import type { User } from "../users/user.ts";
import type { RoleToProvide } from "./realm-roles.ts";

/** Adds the clients that are not there; of the others only the secret is brought in line. */
export async function provideClients(db: Database, clients: Client[]): Promise<void> {
  await db.execute(
    sql`insert into identity.clients (id, client_id, enabled, secret, settings)
    select id, "clientId", enabled, secret, settings
    from jsonb_to_recordset(${JSON.stringify(clients)}::jsonb) as w(id uuid, "clientId" text, enabled boolean, secret text, settings jsonb)
    order by "clientId"
    on conflict (client_id) do update set secret = excluded.secret where clients.secret is distinct from excluded.secret`,
  );
}

/** Adds the roles that are not there, and what each contains. */
export async function provideRoles(db: Database, roles: RoleToProvide[]): Promise<void> {
  const wanted = JSON.stringify(roles);
  await db.batch([
    db.execute(
      sql`insert into identity.roles (id, name, description, client, attributes)
      select gen_random_uuid(), w.name, w.description, c.id, '{}'
      from jsonb_to_recordset(${wanted}::jsonb) as w(name text, client text, description text)
      left join identity.clients c on c.client_id = w.client
      order by w.client, w.name
      on conflict do nothing`,
    ),
    db.execute(
      sql`insert into identity.composite_roles (role, child)
      select parent.id, child.id
      from jsonb_to_recordset(${wanted}::jsonb) as w(name text, client text, contains jsonb)
      cross join lateral jsonb_array_elements_text(w.contains) as content(path)
      left join identity.clients c on c.client_id = w.client
      join identity.roles parent on parent.name = w.name and parent.client is not distinct from c.id
      left join identity.clients o on o.client_id || '/' = substring(content.path from '^[^/]+/')
      join identity.roles child on child.client is not distinct from o.id
        and child.name = case when o.id is null then content.path else substring(content.path from '/(.*)$') end
      order by parent.id, child.id
      on conflict do nothing`,
    ),
  ]);
}

export type AccountToProvide = { client: string; username: string; realmRoles: string[]; managementRoles: string[] };

/** Gives clients their service accounts, and these their roles. A role taken away later comes back at the next start. */
export async function provideAccounts(db: Database, accounts: AccountToProvide[], now: number): Promise<void> {
  const wanted = JSON.stringify(accounts);
  await db.batch([
    db.execute(
      sql`insert into identity.users (id, username, email_verified, enabled, created_timestamp, required_actions, service_account_client)
      select gen_random_uuid(), w.username, false, true, ${now}::bigint, '[]', c.id
      from jsonb_to_recordset(${wanted}::jsonb) as w(client text, username text) join identity.clients c on c.client_id = w.client
      order by w.username
      on conflict do nothing`,
    ),
    db.execute(
      sql`insert into identity.user_roles ("user", role)
      select u.id, r.id
      from jsonb_to_recordset(${wanted}::jsonb) as w(client text, "realmRoles" jsonb, "managementRoles" jsonb)
      join identity.clients c on c.client_id = w.client
      join identity.users u on u.service_account_client = c.id
      join identity.roles r on (r.client is null and w."realmRoles" ? r.name)
        or (r.client = (select id from identity.clients where client_id = 'realm-management') and w."managementRoles" ? r.name)
      order by u.id, r.id
      on conflict do nothing`,
    ),
  ]);
}

/** Whether somebody has the realm role. */
export async function isHeld(db: Database, role: string): Promise<boolean> {
  const rows = await rowsOf(
    db,
    sql`select from identity.user_roles m join identity.roles r on r.id = m.role where r.name = ${role} and r.client is null limit 1`,
  );
  return rows.length > 0;
}

/** Adds the user with these realm roles unless somebody has the first of them, or the name is taken. */
export async function provideFirstHolder(db: Database, user: User, roles: [string, ...string[]]): Promise<boolean> {
  const [, { rows }] = await db.batch([
    // Whoever waits here sees, in the next statement, the holder that another instance has made.
    db.execute(sql`select from identity.roles where name = ${roles[0]} and client is null for update`),
    db.execute(
      sql`with made as (
        insert into identity.users (id, username, email, email_verified, first_name, last_name, enabled, created_timestamp, required_actions, password)
        select ${user.id}::uuid, ${user.username}::text, ${user.email}::text, true, ${user.firstName}::text, ${user.lastName}::text, true,
          ${user.createdTimestamp}::bigint, '[]', ${user.password}::text
        where not exists (select from identity.user_roles m join identity.roles r on r.id = m.role where r.name = ${roles[0]} and r.client is null)
        on conflict do nothing returning id),
      granted as (
        insert into identity.user_roles ("user", role)
        select made.id, r.id from made, identity.roles r where r.client is null and ${JSON.stringify(roles)}::jsonb ? r.name)
      select id from made`,
    ),
  ]);
  return rows.length > 0;
}
