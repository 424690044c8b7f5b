import { check, index, jsonb, pgSchema, text, timestamp, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { sql } from "drizzle-orm";
import type { Audited } from "./audit-store.ts";

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

/** Changes under way in other systems, each until its audit event is written. */
export const changes = admin.table(
  "changes",
  {
    id: uuid().primaryKey(),
    audited: jsonb().$type<Audited>().notNull(),
    traceparent: text().notNull(),
    /** When nobody works on it any more. */
    due: instant("due").notNull(),
  },
  (table) => [index("changes_due").on(table.due)],
);
