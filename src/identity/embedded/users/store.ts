import { and, eq, sql, type SQL } from "drizzle-orm";
import type { Database } from "../../../database/client.ts";
import { isUniqueViolation } from "../../../database/violation.ts";
import { rowsOf, userDocument } from "../store.ts";
import { users } from "../tables.ts";
import type { User } from "./user.ts";

/** The user who may sign in by this name: an e-mail first, then a username, never a service account. */
export async function findByLogin(db: Database, login: string): Promise<User | undefined> {
  const name = storable(login.toLowerCase());
  const [row] = await rowsOf<{ user: User }>(
    db,
    sql`select ${userDocument} as "user" from identity.users u
    where (u.email = ${name} or u.username = ${name}) and u.service_account_client is null
    order by (u.email = ${name}) desc nulls last limit 1`,
  );
  return row?.user;
}

export async function getUser(db: Database, id: string): Promise<User | undefined> {
  const [row] = await rowsOf<{ user: User }>(db, sql`select ${userDocument} as "user" from identity.users u where u.id = ${id}::uuid`);
  return row?.user;
}

/** Adds the user with the realm's default roles, unless its username or e-mail is taken. */
export async function insertUser(db: Database, user: User, defaultRole: string): Promise<boolean> {
  const rows = await rowsOf(
    db,
    sql`with made as (
      insert into identity.users (id, username, email, email_verified, first_name, last_name, enabled, created_timestamp, required_actions, password)
      select ${user.id}::uuid, ${user.username}::text, ${user.email}::text, ${user.emailVerified}::boolean, ${user.firstName}::text, ${user.lastName}::text,
        ${user.enabled}::boolean, ${user.createdTimestamp}::bigint, ${JSON.stringify(user.requiredActions)}::jsonb, ${user.password}::text
      where not exists (select from identity.users where email = ${user.username} or username = ${user.email})
      on conflict do nothing returning id),
    granted as (
      insert into identity.user_roles ("user", role) select made.id, r.id from made, identity.roles r where r.name = ${defaultRole} and r.client is null)
    select id from made`,
  );
  return rows.length > 0;
}

/** Which of both is taken. */
export async function findTaken(db: Database, names: Pick<User, "username" | "email">): Promise<{ username: boolean; email: boolean }> {
  const [row] = await rowsOf<{ username: boolean; email: boolean }>(
    db,
    sql`select coalesce(bool_or(username = ${names.username} or email = ${names.username}), false) as username,
      coalesce(bool_or(email = ${names.email} or username = ${names.email}), false) as email
    from identity.users
    where username in (${names.username}, ${names.email}) or email in (${names.username}, ${names.email})`,
  );
  return row ?? { username: false, email: false };
}

export type UserChanges = Partial<Omit<User, "id" | "username" | "createdTimestamp" | "serviceAccountClient">>;

/** Changes the user unless there is none, or its new e-mail is another's or another's username. */
export async function updateUser(db: Database, id: string, changes: UserChanges): Promise<"changed" | "absent" | "taken"> {
  const isFree = changes.email
    ? sql`not exists (select from identity.users o where (o.username = ${changes.email} or o.email = ${changes.email}) and o.id <> ${id}::uuid)`
    : undefined;
  try {
    const rows = await db.update(users).set(changes).where(and(eq(users.id, id), isFree)).returning({ id: users.id });
    if (rows.length > 0) return "changed";
    return isFree && (await getUser(db, id)) ? "taken" : "absent";
  } catch (error) {
    if (isUniqueViolation(error)) return "taken";
    throw error;
  }
}

export async function deleteUser(db: Database, id: string): Promise<boolean> {
  const rows = await db.delete(users).where(eq(users.id, id)).returning({ id: users.id });
  return rows.length > 0;
}

export type UserQuery = {
  /** Matched whole, without regard to case, or as an infix. */
  fields: { column: "username" | "email" | "first_name" | "last_name"; value: string; isExact: boolean }[];
  flags: { column: "enabled" | "email_verified"; value: boolean }[];
  /** Each term in the username, e-mail or a name, as a LIKE pattern. */
  search: string[];
  first: number;
  /** Undefined for all. */
  max: number | undefined;
};

export async function findUsers(db: Database, query: UserQuery): Promise<User[]> {
  const { first, max } = query;
  const rows = await rowsOf<{ user: User }>(
    db,
    sql`select ${userDocument} as "user" from identity.users u where ${matching(query)}
    order by u.username limit ${max ?? null}::bigint offset ${first}::bigint`,
  );
  return rows.map((row) => row.user);
}

export async function countUsers(db: Database, query: UserQuery): Promise<number> {
  const [row] = await rowsOf<{ count: number }>(db, sql`select count(*)::int as count from identity.users u where ${matching(query)}`);
  return row?.count ?? 0;
}

function matching({ fields, flags, search }: UserQuery): SQL {
  // A service account is found by its username only, and never listed.
  const isByName = fields.some(({ column }) => column === "username");
  const conditions = [isByName ? sql`true` : sql`u.service_account_client is null`];
  for (const { column, value, isExact } of fields) {
    const text = storable(value.toLowerCase());
    const field = column === "username" || column === "email" ? sql`u.${sql.identifier(column)}` : sql`lower(u.${sql.identifier(column)})`;
    conditions.push(isExact ? sql`${field} = ${text}` : sql`${field} like ${`%${likeText(text)}%`}`);
  }
  for (const { column, value } of flags) conditions.push(sql`u.${sql.identifier(column)} = ${value}`);
  for (const pattern of search) {
    conditions.push(sql`(u.username like ${pattern} or u.email like ${pattern} or lower(u.first_name) like ${pattern} or lower(u.last_name) like ${pattern})`);
  }
  return sql.join(conditions, sql` and `);
}

/** `text` as it is matched literally inside a LIKE pattern. */
export function likeText(text: string): string {
  return text.replace(/[\\%_]/g, String.raw`\$&`);
}

/** Postgres refuses NUL in text; no stored name has one. */
export function storable(text: string): string {
  return text.replaceAll("\0", "\uFFFD");
}
