import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../database/client.ts";
import { DEFAULT_ROLE } from "../../identity/platform-realm.ts";
import type { Role, Roles } from "../schema.ts";

/** `[name, clientId]`; a realm role has no client. */
type Named = [name: string, clientId: string | null];

export type StoredClient = { id: string; clientId: string; enabled: boolean; secret: string | null; settings: Record<string, unknown>; serviceRoles: Named[] | null };

export type StoredUser = {
  id: string;
  username: string;
  email: string | null;
  emailVerified: boolean;
  firstName: string | null;
  lastName: string | null;
  enabled: boolean;
  createdTimestamp: number;
  requiredActions: string[];
  password: string | null;
  roles: Named[];
};

const named = sql`coalesce(jsonb_agg(jsonb_build_array(r.name, c.client_id) ORDER BY r.name), '[]')`;

/** The roles that the user with this id was given, without what these contain. */
function rolesOf(user: SQL): SQL {
  return sql`(SELECT ${named} FROM identity.user_roles m JOIN identity.roles r ON r.id = m.role LEFT JOIN identity.clients c ON c.id = r.client
    WHERE m."user" = ${user})`;
}

/** Realm roles but those named `without` and those that every realm has; few enough to be read at once. */
export async function realmRoles(db: Database, without: string[]): Promise<Role[]> {
  const { rows } = await db.execute<{ name: string; description: string | null; contents: Named[] }>(sql`
    SELECT p.name, p.description, (
      SELECT ${named} FROM identity.composite_roles m JOIN identity.roles r ON r.id = m.child LEFT JOIN identity.clients c ON c.id = r.client
      WHERE m.role = p.id) AS contents
    FROM identity.roles p WHERE p.client IS NULL AND p.name NOT IN ('offline_access', 'uma_authorization') AND NOT ${JSON.stringify(without)}::jsonb ? p.name AND NOT starts_with(p.name, ${DEFAULT_ROLE})
    ORDER BY p.name`);
  return rows.map(({ name, description, contents }) => ({ name, description, composites: byOwner(contents) }));
}

/** The clients after the one of this client id, but those named `without` and those that nobody can sign in with. */
export async function clientsAfter(db: Database, after: string, { without, limit }: { without: string[]; limit: number }): Promise<StoredClient[]> {
  const { rows } = await db.execute<StoredClient>(sql`
    SELECT c.id, c.client_id AS "clientId", c.enabled, c.secret, c.settings,
      (SELECT ${rolesOf(sql`u.id`)} FROM identity.users u WHERE u.service_account_client = c.id) AS "serviceRoles"
    FROM identity.clients c WHERE c.client_id > ${after} AND NOT ${JSON.stringify(without)}::jsonb ? c.client_id
      AND NOT coalesce((c.settings->>'bearerOnly')::boolean, false)
    ORDER BY c.client_id LIMIT ${limit}`);
  return rows;
}

/** The people after the one of this user name. */
export async function usersAfter(db: Database, after: string, limit: number): Promise<StoredUser[]> {
  const { rows } = await db.execute<StoredUser>(sql`
    SELECT u.id, u.username, u.email, u.email_verified AS "emailVerified", u.first_name AS "firstName", u.last_name AS "lastName", u.enabled,
      u.created_timestamp::float8 AS "createdTimestamp", u.required_actions AS "requiredActions", u.password, ${rolesOf(sql`u.id`)} AS roles
    FROM identity.users u WHERE u.service_account_client IS NULL AND u.username > ${after}
    ORDER BY u.username LIMIT ${limit}`);
  return rows;
}

export function byOwner(roles: Named[]): Roles {
  const client: Record<string, string[]> = {};
  for (const [name, owner] of roles) if (owner !== null) client[owner] = [...(client[owner] ?? []), name];
  return { realm: roles.flatMap(([name, owner]) => (owner === null ? [name] : [])), client };
}
