import { sql } from "drizzle-orm";
import type { Database } from "../../../database/client.ts";
import { clientDocument, effectiveRoles, rowsOf, sessionDocument, userDocument } from "../store.ts";
import type { Granted } from "../roles/role.ts";
import type { Client } from "../clients/client.ts";
import type { User } from "../users/user.ts";
import { SESSION_IDLE_MS, SESSION_MAX_MS, type Session } from "./lifetimes.ts";

/**
 * Opens a session and answers the user's roles; undefined when the user was disabled, deleted or given another password
 * meanwhile. The row lock makes a disabling that follows wait, so that the ending of sessions after it sees this one.
 */
export async function openSession(
  db: Database,
  user: Pick<User, "id" | "password">,
  session: { id: string; client: string; refreshId: string; now: number },
): Promise<Granted[] | undefined> {
  const [row] = await rowsOf<{ roles: Granted[] }>(
    db,
    sql`with opened as (
      insert into identity.sessions (id, "user", client, refresh_id, is_detached, started, last_access)
      select ${session.id}::text, u.id, ${session.client}::uuid, ${session.refreshId}::text, false, ${session.now}::bigint, ${session.now}::bigint
      from identity.users u where u.id = ${user.id} and u.enabled and u.password = ${user.password} for share
      returning "user")
    select ${effectiveRoles(sql`opened."user"`)} as roles from opened`,
  );
  return row?.roles;
}

export type Refreshable = { user: User; session: Session };

export async function findRefreshable(db: Database, { session, client }: { session: string; client: string }): Promise<Refreshable | undefined> {
  const [row] = await rowsOf<Refreshable>(
    db,
    sql`select ${userDocument} as "user", ${sessionDocument} as session
    from identity.sessions s join identity.users u on u.id = s."user" where s.id = ${session} and s.client = ${client}::uuid`,
  );
  return row;
}

export type Rotation = { isDetached: boolean; isUsed: boolean; roles: Granted[] };

/**
 * Replaces the refresh token `used` by `next`, or detaches the session when `used` is not the current one (RFC 9700,
 * section 4.14.2: reuse means that two parties hold the family). Of parallel uses of one token exactly one replaces it.
 */
export async function rotate(
  db: Database,
  session: string,
  { used, next, now }: { used: string; next: string; now: number },
): Promise<Rotation | undefined> {
  const [row] = await rowsOf<Rotation>(
    db,
    sql`with turned as (
      update identity.sessions s set
        is_detached = s.is_detached or s.refresh_id <> ${used},
        refresh_id = case when s.refresh_id = ${used} and not s.is_detached then ${next} else s.refresh_id end,
        used_id = case when s.refresh_id = ${used} and not s.is_detached then ${used} else s.used_id end,
        last_access = ${now}::bigint
      from identity.users u
      where s.id = ${session} and u.id = s."user" and u.enabled
      returning s."user", s.is_detached, s.used_id)
    select is_detached as "isDetached", used_id = ${used} as "isUsed", ${effectiveRoles(sql`turned."user"`)} as roles from turned`,
  );
  return row;
}

export type Holder = { user: User | null; client: Client | null; session: Session | null; isRevoked: boolean; roles: Granted[] };

/** Everything a token's validity depends on besides its signature. */
export async function findHolder(db: Database, token: { sub: string; azp: string; sid?: string; jti: string }): Promise<Holder> {
  const [row] = await rowsOf<Holder>(
    db,
    sql`select ${userDocument} as "user", ${clientDocument} as client, ${sessionDocument} as session,
      exists (select from identity.revoked_tokens where id = ${token.jti}) as "isRevoked",
      ${effectiveRoles(sql`u.id`)} as roles
    from (select 1) one
    left join identity.users u on u.id = ${token.sub}::uuid
    left join identity.clients c on c.client_id = ${token.azp}
    left join identity.sessions s on s.id = ${token.sid ?? ""} and s."user" = u.id and s.client = c.id`,
  );
  if (!row) throw new Error("Cannot read the holder of a token: the statement answered no row");
  return row;
}

export async function endSession(db: Database, id: string): Promise<boolean> {
  const ended = await rowsOf(db, sql`delete from identity.sessions where id = ${id} returning id`);
  return ended.length > 0;
}

export async function endSessionsOfUser(db: Database, user: string): Promise<void> {
  await db.execute(sql`delete from identity.sessions where "user" = ${user}::uuid`);
}

export async function revokeToken(db: Database, token: { jti: string; expires: number }): Promise<void> {
  await db.execute(
    sql`insert into identity.revoked_tokens (id, expires) values (${token.jti}, ${token.expires}::bigint) on conflict do nothing`,
  );
}

export type ListedSession = { id: string; username: string; userId: string; start: number; lastAccess: number; clients: Record<string, string>; rememberMe: false; transientUser: false };

/** The sessions of a user that still last, as Keycloak lists them. */
export function listSessions(db: Database, user: string, now: number): Promise<ListedSession[]> {
  return rowsOf<ListedSession>(
    db,
    sql`select s.id, u.username, u.id as "userId", s.started::float8 as start, s.last_access::float8 as "lastAccess",
      jsonb_build_object(c.id, c.client_id) as clients, false as "rememberMe", false as "transientUser"
    from identity.sessions s join identity.users u on u.id = s."user" join identity.clients c on c.id = s.client
    where s."user" = ${user}::uuid and not s.is_detached
      and s.last_access > ${now - SESSION_IDLE_MS}::bigint and s.started > ${now - SESSION_MAX_MS}::bigint
    order by s.started limit 1000`,
  );
}

/** Removes up to `limit` sessions and revocations that no token can refer to any more; answers how many. */
export async function sweepExpired(db: Database, { now, limit }: { now: number; limit: number }): Promise<number> {
  const [row] = await rowsOf<{ swept: number }>(
    db,
    sql`with old_sessions as (
      delete from identity.sessions where id in (
        select id from identity.sessions
        where last_access < ${now - SESSION_IDLE_MS}::bigint or started < ${now - SESSION_MAX_MS}::bigint limit ${limit}) returning 1),
    old_tokens as (
      delete from identity.revoked_tokens where id in (
        select id from identity.revoked_tokens where expires < ${now}::bigint limit ${limit}) returning 1)
    select ((select count(*) from old_sessions) + (select count(*) from old_tokens))::int as swept`,
  );
  return row?.swept ?? 0;
}
