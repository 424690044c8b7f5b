import { sql } from "drizzle-orm";
import type { Database } from "../../../database/client.ts";
import { rowsOf } from "../rows-store.ts";
import type { Token } from "./token.ts";

/** The token behind `hash`, unless it has run out, with the rules of its policies; a use of a counted one counts. */
export async function useToken(db: Database, { hash, now }: { hash: string; now: number }): Promise<(Token & { named: string[] }) | undefined> {
  const [row] = await rowsOf<Token & { named: string[] }>(
    db,
    sql`with counted as (
      update secrets.tokens set uses_left = uses_left - 1
      where hash = ${hash} and expires > ${now}::bigint and uses_left > 0
      returning *),
    live as (
      select * from counted
      union all
      select * from secrets.tokens where hash = ${hash} and expires > ${now}::bigint and uses_left is null)
    select live.hash, live.accessor, live.role, live.policies, live.metadata, live.created::float8 as created, live.ttl::float8 as ttl,
      live.expires::float8 as expires, live.ends_at_last::float8 as "endsAtLast", live.uses_left as "usesLeft",
      coalesce((select jsonb_agg(rule) from secrets.policies p, jsonb_array_elements(p.rules) as rule where live.policies ? p.name), '[]') as rules,
      coalesce((select jsonb_agg(p.name) from secrets.policies p where live.policies ? p.name), '[]') as named
    from live`,
  );
  return row;
}

export type Renewal = { expires: number; isCapped: boolean };

/** Sets the end of a token that has not run out to `seconds` from now, or to its last moment; undefined when its role is gone. */
export async function renewToken(db: Database, { hash, seconds, now }: { hash: string; seconds: number; now: number }): Promise<Renewal | undefined> {
  const wanted = now + seconds * 1000;
  const [row] = await rowsOf<Renewal>(
    db,
    sql`update secrets.tokens t set expires = least(${wanted}::bigint, t.ends_at_last)
    where t.hash = ${hash} and t.expires > ${now}::bigint and exists (select from secrets.roles r where r.name = t.role)
    returning t.expires::float8 as expires, t.ends_at_last < ${wanted}::bigint as "isCapped"`,
  );
  return row;
}

export async function revokeToken(db: Database, hash: string): Promise<void> {
  await db.execute(sql`delete from secrets.tokens where hash = ${hash}`);
}

/** Removes up to `limit` tokens and secret-ids that nobody can use any more; answers how many. */
export async function sweepExpired(db: Database, { now, limit }: { now: number; limit: number }): Promise<number> {
  const [row] = await rowsOf<{ swept: number }>(
    db,
    sql`with old_tokens as (
      delete from secrets.tokens where hash in (
        select hash from secrets.tokens where expires <= ${now}::bigint or uses_left = 0 limit ${limit}) returning 1),
    old_secret_ids as (
      delete from secrets.secret_ids s using (
        select role, hash from secrets.secret_ids where expires <= ${now}::bigint or uses_left = 0 limit ${limit}) old
      where s.role = old.role and s.hash = old.hash returning 1)
    select ((select count(*) from old_tokens) + (select count(*) from old_secret_ids))::int as swept`,
  );
  return row?.swept ?? 0;
}
