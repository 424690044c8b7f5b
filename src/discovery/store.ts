import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../database/client.ts";
import { isCheckViolation } from "../database/violation.ts";
import { MAX_BYTES, MAX_ENTRIES } from "./eureka/metadata.ts";
import type { Registration } from "./eureka/registration.ts";
import type { Status } from "./instances.ts";
import { leaseTime } from "./lease-store.ts";

/** An instance's place in the registry, and the time. */
export type Place = { app: string; id: string; now: number };

/** Takes the next version, and with it the lock that all changes wait for. */
function nextVersion(now: number): SQL {
  return sql`
    INSERT INTO discovery.registry AS kept (id, version, floor, lease_clock, seen_at) VALUES (1, 1, 0, 0, ${now})
    ON CONFLICT (id) DO UPDATE SET version = kept.version + 1
    RETURNING version, ${leaseTime(now)} AS lease_time`;
}

function nextVersionOf({ app, id, now }: Place): SQL {
  return sql`
    UPDATE discovery.registry SET version = version + 1
    WHERE EXISTS (SELECT FROM discovery.instances WHERE app = ${app} AND id = ${id} AND gone_at IS NULL)
    RETURNING version, ${leaseTime(now)} AS lease_time`;
}

/** What DOWN or STARTING says of itself counts always; else what was set, if anything. */
function effective(own: Status, overridden: SQL): SQL {
  if (own === "DOWN" || own === "STARTING") return sql`${own}`;
  return sql`CASE WHEN ${overridden} <> 'UNKNOWN' THEN ${overridden} ELSE ${own} END`;
}

/**
 * Registers an instance or registers it again: one row, whoever is first. What an operator set stays, and so does a
 * newer registration; its lease is renewed even so. False where the registry is full.
 */
export async function register(db: Database, { details, ...registration }: Registration, now: number): Promise<boolean> {
  const { app, id, status, renewalSeconds, leaseSeconds, lastDirty = now } = registration;
  const isNew = sql`(kept.gone_at IS NOT NULL)`;
  const isFresh = sql`(${isNew} OR excluded.last_dirty >= kept.last_dirty)`;
  const overridden = sql`CASE WHEN ${isNew} OR kept.overridden = 'UNKNOWN' AND ${isFresh} THEN excluded.overridden ELSE kept.overridden END`;
  const current = sql`CASE WHEN ${isFresh} THEN ${effective(status, sql`(${overridden})`)} ELSE kept.status END`;
  const since = (status: SQL) => sql`CASE WHEN (${status}) = 'UP' THEN ${now}::bigint END`;
  const fresh = (column: string) => sql`${sql.raw(column)} = CASE WHEN ${isFresh} THEN excluded.${sql.raw(column)} ELSE kept.${sql.raw(column)} END`;
  const first = effective(status, sql`${registration.overridden}::text`);
  const statement = sql`
    WITH next AS (${nextVersion(now)}), registered AS (
      INSERT INTO discovery.instances AS kept (app, id, details, status, overridden, last_dirty, renewal_seconds, lease_seconds, lease_ends,
        registered_at, renewed_at, updated_at, up_at, version, joined, action, changed)
      SELECT ${app}, ${id}, ${JSON.stringify(details)}::jsonb, ${first}, ${registration.overridden}, ${lastDirty}::bigint, ${renewalSeconds}::int,
        ${leaseSeconds}::int, lease_time + 1000 * ${leaseSeconds}::bigint, ${now}::bigint, ${now}::bigint, ${now}::bigint, ${since(first)},
        version, version, 'ADDED', lease_time
      FROM next
      ON CONFLICT (app, id) DO UPDATE SET
        ${sql.join(["details", "last_dirty", "renewal_seconds", "lease_seconds"].map(fresh), sql`, `)},
        status = ${current},
        overridden = ${overridden},
        lease_ends = excluded.changed + 1000 * CASE WHEN ${isFresh} THEN excluded.lease_seconds ELSE kept.lease_seconds END::bigint,
        registered_at = excluded.registered_at, renewed_at = excluded.renewed_at, updated_at = excluded.updated_at,
        up_at = coalesce(CASE WHEN NOT ${isNew} THEN kept.up_at END, ${since(current)}),
        joined = CASE WHEN ${isNew} THEN excluded.version ELSE kept.joined END,
        version = excluded.version, action = excluded.action, changed = excluded.changed,
        gone_at = NULL, gone_reason = NULL
      RETURNING joined = version AS came
    )
    INSERT INTO discovery.capacity AS kept (id, live) SELECT 1, 1 FROM registered WHERE came
    ON CONFLICT (id) DO UPDATE SET live = kept.live + 1`;
  try {
    await db.execute(statement);
    return true;
  } catch (error) {
    if (isCheckViolation(error)) return false;
    throw error;
  }
}

/** Whether the instance was there to be cancelled. */
export async function cancel(db: Database, place: Place): Promise<boolean> {
  const { app, id, now } = place;
  const { rows } = await db.execute(sql`
    WITH next AS (${nextVersionOf(place)}), gone AS (
      UPDATE discovery.instances AS cancelled SET gone_at = ${now}, gone_reason = 'cancelled', updated_at = ${now}, action = 'DELETED',
        version = next.version, changed = lease_time
      FROM next WHERE app = ${app} AND id = ${id} AND gone_at IS NULL
      RETURNING 1
    ), counted AS (
      UPDATE discovery.capacity SET live = live - 1 WHERE EXISTS (SELECT FROM gone)
    )
    SELECT FROM gone`);
  return rows.length === 1;
}

/** Sets a status past the instance's own word, or gives that up for `status`; false where the instance is not there. */
export async function setStatus(db: Database, place: Place, { status, isOverride }: { status: Status; isOverride: boolean }): Promise<boolean> {
  const { now } = place;
  const set = sql`status = ${status}, overridden = ${isOverride ? status : "UNKNOWN"}, up_at = CASE WHEN ${status} = 'UP' THEN coalesce(up_at, ${now}) ELSE up_at END,
    action = 'MODIFIED'`;
  return (await change(db, place, { set, where: isOverride ? sql`status <> ${status}` : sql`overridden <> 'UNKNOWN'` })) !== "absent";
}

/** Adds to the metadata; `changed`, `unchanged` where there would be too much of it, `absent` without the instance. */
export async function addMetadata(db: Database, place: Place, metadata: Record<string, string>): Promise<Changed> {
  const merged = sql`(details->'metadata') || ${JSON.stringify(metadata)}::jsonb`;
  const size = sql`octet_length((${merged})::text) <= ${MAX_BYTES} AND (SELECT count(*) FROM jsonb_object_keys(${merged})) <= ${MAX_ENTRIES}`;
  const set = sql`details = jsonb_set(details, '{metadata}', ${merged}), action = 'ADDED'`;
  return change(db, place, { set, where: size });
}

export type Changed = "changed" | "unchanged" | "absent";

async function change(db: Database, place: Place, { set, where }: { set: SQL; where: SQL }): Promise<Changed> {
  const { app, id, now } = place;
  const { rows } = await db.execute<{ changed: boolean }>(sql`
    WITH next AS (${nextVersionOf(place)}), done AS (
      UPDATE discovery.instances SET ${set}, updated_at = ${now}, version = next.version, changed = lease_time
      FROM next WHERE app = ${app} AND id = ${id} AND gone_at IS NULL AND ${where}
      RETURNING 1
    )
    SELECT EXISTS (SELECT FROM done) AS changed FROM next`);
  if (!rows[0]) return "absent";
  return rows[0].changed ? "changed" : "unchanged";
}
