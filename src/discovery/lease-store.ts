import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../database/client.ts";

/*
 * The time of leases. Leases run on the registry's own clock, which is kept in Postgres and so is the same for every
 * instance of the service. It goes on by as much as the callers' clock has gone on since it was last seen, and stands
 * still over anything that cannot be trusted: a step back, or one further forward than anybody ever waits between two
 * looks (a clock that was set, a machine that slept, a service that was away: nobody could renew meanwhile). So a
 * clock that jumps evicts nobody, whichever way, and the leases simply go on; who was dead already is evicted as much
 * later as the clock stood still. Clocks of several instances may differ by less than that step: the fastest counts.
 */
const LONGEST_STEP_MS = 75_000;
/** A look at the registry after this time moves its clock: on Workers, a minute may pass between two sweeps. */
const SIGHT_AFTER_MS = 15_000;

/** Netflix's: below this share of renewals, the network is rather at fault than the instances. */
const RENEWING_PERCENT = 85;
const RENEWED_WITHIN_MS = 60_000;

const BATCH = 500;
const MAX_BATCHES = 100;
const KEPT_MS = 3_600_000;
const MAX_KEPT = 1000;

export type Leases = {
  now: () => number;
  /** Whether nobody is evicted while too few renew. */
  isSelfPreserving: boolean;
};

function step(now: number): SQL {
  return sql`CASE WHEN ${now}::bigint - seen_at BETWEEN 0 AND ${LONGEST_STEP_MS} THEN ${now}::bigint - seen_at ELSE 0 END`;
}

/** What the registry's clock says, in a statement on the row of the registry. */
export function leaseTime(now: number): SQL {
  return sql`(lease_clock + ${step(now)})`;
}

/** What the registry's clock says, in any other statement. */
export function leaseTimeRead(now: number): SQL {
  return sql`coalesce((SELECT ${leaseTime(now)} FROM discovery.registry), 0)`;
}

/** Whether a sweep has something to do, in a statement on the row of the registry. */
export function sweepIsDue({ now, isSelfPreserving }: { now: number; isSelfPreserving: boolean }): SQL {
  const unseen = sql`${now}::bigint - seen_at NOT BETWEEN ${-LONGEST_STEP_MS} AND ${SIGHT_AFTER_MS}`;
  return sql`(${unseen} OR ${mayEvict(leaseTime(now), isSelfPreserving)})`;
}

/**
 * Whether a lease is over, and enough of all instances renew. Whose lease is over does not; the others do when they
 * renewed within the last minute, or within two of their own intervals.
 */
function mayEvict(time: SQL, isSelfPreserving: boolean): SQL {
  const isOver = sql`EXISTS (SELECT FROM discovery.instances WHERE gone_at IS NULL AND lease_ends < ${time})`;
  if (!isSelfPreserving) return isOver;
  const renewed = sql`lease_ends - 1000 * lease_seconds::bigint`;
  const isRenewing = sql`lease_ends >= ${time} AND ${renewed} >= ${time} - greatest(${RENEWED_WITHIN_MS}, 2000 * renewal_seconds::bigint)`;
  return sql`(${isOver} AND (
    SELECT 100 * count(*) FILTER (WHERE ${isRenewing}) >= ${RENEWING_PERCENT} * count(*) FROM discovery.instances WHERE gone_at IS NULL))`;
}

export type Beat = {
  app: string;
  id: string;
  /** What the client last changed, as it says; a newer change than the registry knows has to be registered. */
  lastDirty: number | undefined;
  /** From another registry, which is told when it is the one that knows the older change. */
  isReplication: boolean;
};

/** Renews the lease; false where there is nothing to renew: the client is to register. */
export async function renew(db: Database, { app, id, lastDirty, isReplication, now }: Beat & { now: number }): Promise<boolean> {
  const { rows } = await db.execute(sql`
    UPDATE discovery.instances SET renewed_at = ${now}, lease_ends = ${leaseTimeRead(now)} + 1000 * lease_seconds::bigint
    WHERE app = ${app} AND id = ${id} AND gone_at IS NULL AND status <> 'UNKNOWN'
      AND coalesce(${lastDirty ?? null}::bigint ${isReplication ? sql`=` : sql`<=`} last_dirty, true)
    RETURNING 1`);
  return rows.length === 1;
}

export type Renewal = {
  renewedAt: number;
  /** The lease is over by the registry's own clock, and no sweep has looked since, or none may evict. */
  isOver: boolean;
};

/** When each instance that lives was last renewed, by its version: as one value, of which ten thousand are read at once. */
export async function readRenewals(db: Database, now: number): Promise<Map<number, Renewal>> {
  const { rows } = await db.execute<{ all: string | null }>(sql`
    SELECT string_agg(version || ' ' || renewed_at || CASE WHEN lease_ends < time THEN ' over' ELSE '' END, ',') AS all
    FROM discovery.instances, (SELECT ${leaseTimeRead(now)} AS time) AS clock WHERE gone_at IS NULL`);
  const renewals = (rows[0]?.all?.split(",") ?? []).map((renewal) => renewal.split(" "));
  return new Map(renewals.map(([version, renewedAt, over]) => [Number(version), { renewedAt: Number(renewedAt), isOver: over !== undefined }]));
}

/** Moves the registry's clock on and evicts whose lease is over; forgets those long gone. */
export async function sweepLeases(db: Database, { now, isSelfPreserving }: Leases): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    if ((await evict(db, { now: now(), isSelfPreserving })) < BATCH) break;
  }
  await forget(db, now());
}

/** In the order in which everybody locks: registry, instances, capacity. A heartbeat that is on its way keeps its instance. */
async function evict(db: Database, { now, isSelfPreserving }: { now: number; isSelfPreserving: boolean }): Promise<number> {
  const { rows } = await db.execute<{ count: number }>(sql`
    WITH due AS (
      SELECT least(count(*), ${BATCH}) AS count FROM discovery.instances, discovery.registry
      WHERE gone_at IS NULL AND lease_ends < ${leaseTime(now)} AND ${mayEvict(leaseTimeRead(now), isSelfPreserving)}
    ), clock AS (
      INSERT INTO discovery.registry AS kept (id, version, floor, lease_clock, seen_at) VALUES (1, 0, 0, 0, ${now})
      ON CONFLICT (id) DO UPDATE SET
        version = kept.version + (SELECT count FROM due),
        lease_clock = (SELECT ${leaseTime(now)} FROM (SELECT kept.lease_clock, kept.seen_at) AS was),
        seen_at = CASE WHEN ${now}::bigint - kept.seen_at BETWEEN ${-LONGEST_STEP_MS} AND -1 THEN kept.seen_at ELSE ${now}::bigint END
      RETURNING version, lease_clock
    ), victims AS (
      SELECT app, id FROM discovery.instances, clock
      WHERE gone_at IS NULL AND lease_ends < lease_clock
      ORDER BY app, id LIMIT (SELECT count FROM due)
      FOR UPDATE OF instances SKIP LOCKED
    ), numbered AS (
      SELECT app, id, row_number() OVER (ORDER BY app, id) - 1 AS place FROM victims
    ), gone AS (
      UPDATE discovery.instances AS evicted SET gone_at = ${now}, gone_reason = 'evicted', updated_at = ${now}, action = 'DELETED',
        version = clock.version - place, changed = clock.lease_clock
      FROM numbered, clock WHERE evicted.app = numbered.app AND evicted.id = numbered.id
      RETURNING 1
    ), counted AS (
      UPDATE discovery.capacity SET live = live - (SELECT count(*) FROM gone) WHERE EXISTS (SELECT FROM gone)
    )
    SELECT count(*)::int AS count FROM gone`);
  return rows[0]?.count ?? 0;
}

/** Those gone for an hour, and of the others all but the last; whoever has not heard of them reads everything anew. */
async function forget(db: Database, now: number): Promise<void> {
  await db.execute(sql`
    WITH old AS (
      SELECT max(version) AS version FROM (
        SELECT version, changed, row_number() OVER (ORDER BY version DESC) AS place FROM discovery.instances WHERE gone_at IS NOT NULL
      ) AS gone
      WHERE place > ${MAX_KEPT} OR changed < ${leaseTimeRead(now)} - ${KEPT_MS}
    ), marked AS (
      UPDATE discovery.registry SET floor = greatest(floor, old.version) FROM old WHERE old.version IS NOT NULL RETURNING floor
    )
    DELETE FROM discovery.instances USING marked WHERE gone_at IS NOT NULL AND version <= floor`);
}
