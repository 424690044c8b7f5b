import { sql } from "drizzle-orm";
import { bigint, check, index, integer, jsonb, pgSchema, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import type { Status } from "./instances.ts";
import type { Details } from "./eureka/registration.ts";

/** Everything the registry keeps, so that several instances of the discovery service agree. */
export const discovery = pgSchema("discovery");

/** More are refused: a registry that grows without end ends every client that fetches it. */
export const MAX_LIVE = 10_000;

/** One row. Whoever changes an instance's place in the registry locks it first: versions become visible in their order. */
export const registry = discovery.table("registry", {
  id: integer().primaryKey(),
  /** Another one in a database that was emptied, where versions begin anew. */
  epoch: uuid().notNull().defaultRandom(),
  /** Of the latest change. */
  version: bigint({ mode: "number" }).notNull(),
  /** Up to this version, instances that are gone may have been forgotten. */
  floor: bigint({ mode: "number" }).notNull(),
  /** Milliseconds that leases have run: see `lease-store.ts`. */
  leaseClock: bigint("lease_clock", { mode: "number" }).notNull(),
  /** What a service's clock said when `lease_clock` was last set, in milliseconds since the epoch. */
  seenAt: bigint("seen_at", { mode: "number" }).notNull(),
});

/** One row: how many instances there are. Locked after the instances that came or went. */
export const capacity = discovery.table("capacity", { id: integer().primaryKey(), live: integer().notNull() }, ({ live }) => [
  check("capacity_live", sql`${live} <= ${sql.raw(String(MAX_LIVE))}`),
]);

/** Times are milliseconds since the epoch; those called lease time are of the registry's own clock. */
export const instances = discovery.table(
  "instances",
  {
    app: text().notNull(),
    id: text().notNull(),
    /** What it said of itself, and the metadata set since. */
    details: jsonb().$type<Details>().notNull(),
    status: text().$type<Status>().notNull(),
    /** UNKNOWN where nobody set another status. */
    overridden: text().$type<Status>().notNull(),
    lastDirty: bigint("last_dirty", { mode: "number" }).notNull(),
    renewalSeconds: integer("renewal_seconds").notNull(),
    leaseSeconds: integer("lease_seconds").notNull(),
    /** Lease time. */
    leaseEnds: bigint("lease_ends", { mode: "number" }).notNull(),
    registeredAt: bigint("registered_at", { mode: "number" }).notNull(),
    renewedAt: bigint("renewed_at", { mode: "number" }).notNull(),
    updatedAt: bigint("updated_at", { mode: "number" }).notNull(),
    /** When it was first UP. */
    upAt: bigint("up_at", { mode: "number" }),
    /** Of the registry when this instance last changed; a heartbeat changes nothing. */
    version: bigint({ mode: "number" }).notNull().unique(),
    /** Of the registry when it came. */
    joined: bigint({ mode: "number" }).notNull(),
    action: text().$type<"ADDED" | "MODIFIED" | "DELETED">().notNull(),
    /** When it last changed, in lease time. */
    changed: bigint({ mode: "number" }).notNull(),
    goneAt: bigint("gone_at", { mode: "number" }),
    goneReason: text("gone_reason").$type<"evicted" | "cancelled">(),
  },
  (row) => [
    primaryKey({ columns: [row.app, row.id] }),
    index("instances_id").on(row.id),
    index("instances_lease_ends").on(row.leaseEnds).where(sql`${row.goneAt} IS NULL`),
  ],
);
