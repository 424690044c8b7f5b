import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../../database/client.ts";
import { rowsOf } from "../rows-store.ts";

export type SecretId = {
  role: string;
  hash: string;
  accessor: string;
  metadata: Record<string, string>;
  created: number;
  /** Seconds; 0 is without an end. */
  ttl: number;
  expires: number | null;
  usesLeft: number | null;
};

/** A secret-id that can still be logged in with. */
function isLive(now: number): SQL {
  return sql`(s.expires is null or s.expires > ${now}::bigint) and (s.uses_left is null or s.uses_left > 0)`;
}

/** Whether the role is there. */
export async function insertSecretId(db: Database, secretId: SecretId): Promise<boolean> {
  const { role, hash, accessor, metadata, created, ttl, expires, usesLeft } = secretId;
  const rows = await rowsOf(
    db,
    sql`insert into secrets.secret_ids (role, hash, accessor, metadata, created, ttl, expires, uses_left, is_provisioned)
    select name, ${hash}::text, ${accessor}::text, ${JSON.stringify(metadata)}::jsonb, ${created}::bigint, ${ttl}::bigint, ${expires}::bigint, ${usesLeft}::integer, false
    from secrets.roles where name = ${role} for share
    returning role`,
  );
  return rows.length > 0;
}

export async function listAccessors(db: Database, role: string, now: number): Promise<string[]> {
  const rows = await rowsOf<{ accessor: string }>(
    db,
    sql`select s.accessor from secrets.secret_ids s where s.role = ${role} and ${isLive(now)} order by s.accessor limit 10000`,
  );
  return rows.map(({ accessor }) => accessor);
}

export async function findByAccessor(db: Database, of: { role: string; accessor: string; now: number }): Promise<SecretId | undefined> {
  const [row] = await rowsOf<SecretId>(
    db,
    sql`select s.role, s.hash, s.accessor, s.metadata, s.created::float8 as created, s.ttl::float8 as ttl, s.expires::float8 as expires, s.uses_left as "usesLeft"
    from secrets.secret_ids s where s.role = ${of.role} and s.accessor = ${of.accessor} and ${isLive(of.now)}`,
  );
  return row;
}

/** Whether there was one. */
export async function destroyByAccessor(db: Database, of: { role: string; accessor: string; now: number }): Promise<boolean> {
  const rows = await rowsOf(
    db,
    sql`delete from secrets.secret_ids s where s.role = ${of.role} and s.accessor = ${of.accessor} and ${isLive(of.now)} returning s.role`,
  );
  return rows.length > 0;
}

export type NewToken = {
  hash: string;
  accessor: string;
  policies: string[];
  created: number;
  ttl: number;
  expires: number;
  endsAtLast: number;
  usesLeft: number | null;
};

/**
 * Exchanges a secret-id for a token, in one statement: the secret-id is used once more and the token is there, or neither.
 * Answers the metadata of the token; undefined when the secret-id is not one of the role, has run out or is used up.
 */
export async function logIn(
  db: Database,
  { role, secretId, token }: { role: { name: string; roleId: string }; secretId: string; token: NewToken },
): Promise<Record<string, string> | undefined> {
  const isOurs = sql`s.role = ${role.name} and s.hash = ${secretId} and (s.expires is null or s.expires > ${token.created}::bigint)
    and exists (select from secrets.roles r where r.name = s.role and r.role_id = ${role.roleId})`;
  const [row] = await rowsOf<{ metadata: Record<string, string> }>(
    db,
    sql`with counted as (
      update secrets.secret_ids s set uses_left = s.uses_left - 1 where ${isOurs} and s.uses_left > 0 returning s.role, s.metadata),
    used as (
      select role, metadata from counted
      union all
      select s.role, s.metadata from secrets.secret_ids s where ${isOurs} and s.uses_left is null)
    insert into secrets.tokens (hash, accessor, role, policies, metadata, created, ttl, expires, ends_at_last, uses_left)
    select ${token.hash}::text, ${token.accessor}::text, used.role, ${JSON.stringify(token.policies)}::jsonb,
      used.metadata || jsonb_build_object('role_name', used.role), ${token.created}::bigint, ${token.ttl}::bigint, ${token.expires}::bigint,
      ${token.endsAtLast}::bigint, ${token.usesLeft}::integer
    from used
    returning metadata`,
  );
  return row?.metadata;
}
