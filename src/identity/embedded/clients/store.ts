import { eq, sql, type SQL } from "drizzle-orm";
import type { Database } from "../../../database/client.ts";
import { isUniqueViolation } from "../../../database/violation.ts";
import { clientDocument, effectiveRoles, rowsOf, userDocument } from "../store.ts";
import type { Granted } from "../roles/role.ts";
import { clients } from "../tables.ts";
import { likeText, storable } from "../users/store.ts";
import type { User } from "../users/user.ts";
import type { Client } from "./client.ts";

export async function findClient(db: Database, clientId: string): Promise<Client | undefined> {
  const [row] = await rowsOf<{ client: Client }>(db, sql`select ${clientDocument} as client from identity.clients c where c.client_id = ${storable(clientId)}`);
  return row?.client;
}

export async function getClient(db: Database, id: string): Promise<Client | undefined> {
  const [row] = await rowsOf<{ client: Client }>(db, sql`select ${clientDocument} as client from identity.clients c where c.id = ${id}::uuid`);
  return row?.client;
}

export type ClientQuery = { clientId: string | undefined; isInfix: boolean; first: number; max: number | undefined };

export async function listClients(db: Database, { clientId, isInfix, first, max }: ClientQuery): Promise<Client[]> {
  const text = storable(clientId ?? "");
  const matching = clientId === undefined ? sql`true` : isInfix ? sql`lower(c.client_id) like ${`%${likeText(text.toLowerCase())}%`}` : sql`c.client_id = ${text}`;
  const rows = await rowsOf<{ client: Client }>(
    db,
    sql`select ${clientDocument} as client from identity.clients c where ${matching}
    order by c.client_id limit ${max ?? null}::bigint offset ${first}::bigint`,
  );
  return rows.map(({ client }) => client);
}

export type Account = { username: string; defaultRole: string; now: number };

/** Whether both the client's id and the name of its service account were free. */
export function insertClient(db: Database, client: Client, account: Account | undefined): Promise<boolean> {
  return isDone(
    db,
    sql`with made as (
      insert into identity.clients (id, client_id, enabled, secret, settings)
      select ${client.id}::uuid, ${client.clientId}::text, ${client.enabled}::boolean, ${client.secret}::text, ${JSON.stringify(client.settings)}::jsonb
      where not exists (select from identity.users where username = ${account?.username ?? null})
      on conflict do nothing returning id),
    ${accountOf(account)}
    select id from made`,
  );
}

/** Whether the client is there and its id, and the name of its service account, belong to no other. */
export function updateClient(db: Database, client: Client, account: Account | undefined): Promise<boolean> {
  return isDone(
    db,
    sql`with made as (
      update identity.clients set client_id = ${client.clientId}::text, enabled = ${client.enabled}::boolean, secret = ${client.secret}::text,
        settings = ${JSON.stringify(client.settings)}::jsonb
      where id = ${client.id}::uuid
        and not exists (select from identity.clients where client_id = ${client.clientId} and id <> ${client.id}::uuid)
        and not exists (select from identity.users where username = ${account?.username ?? null} and service_account_client is distinct from ${client.id}::uuid)
      returning id),
    dropped as (
      delete from identity.users u using made where u.service_account_client = made.id and ${account === undefined}),
    renamed as (
      update identity.users u set username = ${account?.username ?? ""} from made where u.service_account_client = made.id and ${account !== undefined}),
    ${accountOf(account)}
    select id from made`,
  );
}

/** Whether the statement answers a row; it does not when a name was taken, be it in the same moment. */
async function isDone(db: Database, statement: SQL): Promise<boolean> {
  try {
    return (await rowsOf(db, statement)).length > 0;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}

/** The part of a statement that gives the client `made` its service account, unless it has one. */
function accountOf(account: Account | undefined) {
  return sql`account as (
      insert into identity.users (id, username, email_verified, enabled, created_timestamp, required_actions, service_account_client)
      select gen_random_uuid(), ${account?.username ?? ""}::text, false, true, ${account?.now ?? 0}::bigint, '[]', made.id from made
      where ${account !== undefined} and not exists (select from identity.users where service_account_client = made.id)
      returning id),
    granted as (
      insert into identity.user_roles ("user", role)
      select account.id, r.id from account, identity.roles r where r.name = ${account?.defaultRole ?? ""} and r.client is null)`;
}

export async function setSecret(db: Database, id: string, secret: string): Promise<boolean> {
  const rows = await db.update(clients).set({ secret }).where(eq(clients.id, id)).returning({ id: clients.id });
  return rows.length > 0;
}

export async function deleteClient(db: Database, id: string): Promise<boolean> {
  const rows = await db.delete(clients).where(eq(clients.id, id)).returning({ id: clients.id });
  return rows.length > 0;
}

export type ServiceAccount = { user: User; roles: Granted[] };

export async function findServiceAccount(db: Database, client: string): Promise<ServiceAccount | undefined> {
  const [row] = await rowsOf<ServiceAccount>(
    db,
    sql`select ${userDocument} as "user", ${effectiveRoles(sql`u.id`)} as roles
    from identity.users u where u.service_account_client = ${client}::uuid`,
  );
  return row;
}
