import { sql } from "drizzle-orm";
import type { Database } from "../database/client.ts";
import type { Entry } from "./entry.ts";
import type { Details } from "./eureka/registration.ts";
import { leaseTime as leaseTimeAt, leaseTimeRead, sweepIsDue } from "./lease-store.ts";

const PAGE_ROWS = 1000;
/** Far below what the database's client reads of one answer, however much of it has to be escaped. */
const PAGE_BYTES = 2_000_000;

export type Found = Entry & {
  /** Its lease is over, and no sweep has looked since. */
  isOver: boolean;
};

/** One that lives, by its id and, where that is known, its application. */
export async function findEntry(db: Database, { app = null, id, now }: { app?: string | undefined | null; id: string; now: number }): Promise<Found | undefined> {
  const { rows } = await db.execute<Row & { isOver: boolean }>(sql`
    SELECT ${COLUMNS}, lease_ends < ${leaseTimeRead(now)} AS "isOver" FROM discovery.instances
    WHERE id = ${id} AND (${app}::text IS NULL OR app = ${app}) AND gone_at IS NULL ORDER BY app LIMIT 1`);
  return rows[0] && { ...entryOf(rows[0]), isOver: rows[0].isOver };
}

export type Page = {
  /** See `registry.epoch`. */
  epoch: string;
  /** Of the latest change in the registry. */
  version: number;
  /** See `registry.floor`. */
  floor: number;
  leaseTime: number;
  isSweepDue: boolean;
  /** Of all there are; above the last of `entries`, there is more to read. */
  newest: number;
  entries: Entry[];
};

const NOTHING: Page = { epoch: "", version: 0, floor: 0, leaseTime: 0, isSweepDue: false, newest: 0, entries: [] };

/** What changed after the version `since`, in that order: a bounded part of it. */
export async function readPage(db: Database, { since, now, isSelfPreserving }: { since: number; now: number; isSelfPreserving: boolean }): Promise<Page> {
  const { rows } = await db.execute<Row & Omit<Page, "entries">>(sql`
    WITH head AS MATERIALIZED (
      SELECT epoch, version, floor, ${leaseTimeAt(now)} AS lease_time, ${sweepIsDue({ now, isSelfPreserving })} AS is_due,
        coalesce((SELECT max(version) FROM discovery.instances), 0) AS newest
      FROM discovery.registry
    ), part AS (
      SELECT * FROM discovery.instances WHERE version > ${since}::bigint ORDER BY version LIMIT ${PAGE_ROWS}
    ), sized AS (
      SELECT *, sum(octet_length(details::text)) OVER (ORDER BY version) - octet_length(details::text) AS before FROM part
    )
    SELECT epoch, head.version::float8 AS version, floor::float8 AS floor, lease_time::float8 AS "leaseTime", is_due AS "isSweepDue",
      newest::float8 AS newest, page.*
    FROM head LEFT JOIN (SELECT ${COLUMNS} FROM sized WHERE before < ${PAGE_BYTES}) AS page ON true
    ORDER BY "entryVersion"`);
  const [first] = rows;
  if (!first) return NOTHING;
  const { epoch, version, floor, leaseTime, isSweepDue, newest } = first;
  return { epoch, version, floor, leaseTime, isSweepDue, newest, entries: rows.flatMap((row) => (row.app === null ? [] : entryOf(row))) };
}

type Row = Omit<Entry, "version" | "gone" | "upAt" | "app" | "details"> & {
  app: string;
  details: Details;
  entryVersion: number;
  upAt: number | null;
  goneAt: number | null;
  goneReason: "evicted" | "cancelled";
};

const COLUMNS = sql`app, id, details, status, overridden, last_dirty::float8 AS "lastDirty", renewal_seconds AS "renewalSeconds", lease_seconds AS "leaseSeconds",
  registered_at::float8 AS "registeredAt", renewed_at::float8 AS "renewedAt", updated_at::float8 AS "updatedAt", up_at::float8 AS "upAt",
  version::float8 AS "entryVersion", changed::float8 AS changed, action, gone_at::float8 AS "goneAt", gone_reason AS "goneReason"`;

function entryOf({ entryVersion, upAt, goneAt, goneReason, ...row }: Row): Entry {
  const { app, id, details, status, overridden, lastDirty, renewalSeconds, leaseSeconds, registeredAt, renewedAt, updatedAt, changed, action } = row;
  return {
    app,
    id,
    details,
    status,
    overridden,
    lastDirty,
    renewalSeconds,
    leaseSeconds,
    registeredAt,
    renewedAt,
    updatedAt,
    upAt: upAt ?? undefined,
    version: entryVersion,
    changed,
    action,
    gone: goneAt === null ? undefined : { at: goneAt, reason: goneReason },
  };
}
