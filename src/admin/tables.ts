import { bigint, check, index, pgSchema, text, timestamp, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { sql } from "drizzle-orm";

const instant = (name: string) => timestamp(name, { withTimezone: true });

export const admin = pgSchema("admin");

/** Clients being created at the identity provider, which itself is where clients are kept. */
export const clientCreations = admin.table(
  "client_creations",
  {
    /** Also stands in the client's attributes, so that a client is only ever removed by who made it. */
    creation: uuid().primaryKey(),
    name: text().notNull(),
    /** PENDING until its request ends; FINISHED clients stay; what an ABANDONED creation made is removed. */
    status: text({ enum: ["PENDING", "FINISHED", "ABANDONED"] }).notNull(),
    /** When to look next: while PENDING, the end of the lease. */
    due: instant("due").notNull(),
    /** Until when a client of an abandoned creation may still arrive. */
    until: instant("until"),
  },
  (table) => [
    uniqueIndex("client_creations_pending").on(table.name).where(sql`${table.status} = 'PENDING'`),
    index("client_creations_due").on(table.due),
    check("client_creations_status", sql`${table.status} IN ('PENDING', 'FINISHED', 'ABANDONED')`),
  ],
);

/** AppRoles being created at the secrets store, which may let two succeed that come at the same moment. */
export const approleCreations = admin.table("approle_creations", {
  name: text().primaryKey(),
  creation: uuid().notNull(),
  /** The end of the lease of whoever creates it. */
  until: instant("until").notNull(),
});

/**
 * What was done and by whom, as a chain: each entry carries the hash of the one before it and of itself. Triggers refuse
 * every change of a row.
 */
export const auditEntries = admin.table(
  "audit_entries",
  {
    /** From 1, without a gap. */
    sequence: bigint({ mode: "number" }).primaryKey(),
    /** The event's. */
    id: text().notNull(),
    at: timestamp("at", { withTimezone: true, precision: 3 }).notNull(),
    actor: text(),
    client: text(),
    action: text().notNull(),
    resource: text(),
    outcome: text().notNull(),
    code: text(),
    requestId: text("request_id"),
    previous: text().notNull(),
    hash: text().notNull(),
  },
  (table) => [
    uniqueIndex("audit_entries_id").on(table.id),
    index("audit_entries_at").on(table.at),
    index("audit_entries_actor").on(table.actor, table.sequence),
    index("audit_entries_action").on(table.action, table.sequence),
    index("audit_entries_outcome").on(table.outcome, table.sequence),
    // A resource may be a list of many names, which no index takes whole.
    index("audit_entries_resource").on(sql`left(resource, 255)`, table.sequence),
  ],
);

/** One row: where the chain ends. Its lock keeps two who append from making two ends of it. */
export const auditHead = admin.table("audit_head", {
  name: text().primaryKey(),
  sequence: bigint({ mode: "number" }).notNull(),
  hash: text().notNull(),
});
