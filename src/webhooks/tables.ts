import { bigint, check, index, integer, jsonb, pgSchema, text, timestamp, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { sql } from "drizzle-orm";

const instant = (name: string) => timestamp(name, { withTimezone: true });

export const webhooks = pgSchema("webhooks");

/** Where events are sent, and how that has gone. */
export const endpoints = webhooks.table(
  "endpoints",
  {
    id: uuid().primaryKey(),
    position: bigint({ mode: "number" }).notNull().unique().generatedAlwaysAsIdentity(),
    /** From 1: its uniqueness and its bound are those of the number of endpoints, whoever makes some at once. */
    slot: integer().notNull().unique(),
    url: text().notNull(),
    /** A list of event types; null for all there are. */
    types: jsonb(),
    description: text().notNull(),
    createdAt: instant("created_at").notNull(),
    /** Counts changes: what was sent before one says nothing of what it is now. */
    revision: integer().notNull().default(1),
    /** Sealed. */
    secret: text().notNull(),
    /** The one before, also signed with until `oldUntil`. */
    oldSecret: text("old_secret"),
    oldUntil: instant("old_until"),
    disabledAt: instant("disabled_at"),
    disabledBy: text("disabled_by", { enum: ["administrator", "receiver", "failures"] }),
    lastSuccessAt: instant("last_success_at"),
    lastFailureAt: instant("last_failure_at"),
    lastFailure: text("last_failure"),
    lastStatus: integer("last_status"),
    /** Since the last success. */
    failures: integer().notNull().default(0),
    failingSince: instant("failing_since"),
    /** Asked for by the receiver: until then nothing is sent. */
    restsUntil: instant("rests_until"),
    /** Events there was no room for. */
    dropped: integer().notNull().default(0),
  },
  (table) => [
    check("endpoints_slot", sql`${table.slot} BETWEEN 1 AND 100`),
    check("endpoints_disabled", sql`(${table.disabledAt} IS NULL) = (${table.disabledBy} IS NULL)`),
  ],
);

/** An event on its way to an endpoint; removed when it has arrived. */
export const deliveries = webhooks.table(
  "deliveries",
  {
    position: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    endpoint: uuid().notNull().references(() => endpoints.id, { onDelete: "cascade" }),
    /** The event's. */
    event: text().notNull(),
    type: text().notNull(),
    subject: text().notNull(),
    time: instant("time").notNull(),
    data: jsonb().notNull(),
    createdAt: instant("created_at").notNull(),
    /** Nobody sends it before: the end of a lease, or of a pause after a failure. */
    due: instant("due").notNull(),
    /** Whose lease it is. */
    leaseHolder: text("lease_holder"),
    /** Begun ones: a process that dies sending has tried too. */
    attempts: integer().notNull().default(0),
    lastFailure: text("last_failure"),
    lastStatus: integer("last_status"),
    /** Failed too often: an administrator may have it sent again. */
    setAsideAt: instant("set_aside_at"),
  },
  (table) => [
    uniqueIndex("deliveries_event").on(table.endpoint, table.event),
    index("deliveries_due").on(table.endpoint, table.due).where(sql`${table.setAsideAt} IS NULL`),
    index("deliveries_leased").on(table.endpoint).where(sql`${table.leaseHolder} IS NOT NULL`),
    index("deliveries_created").on(table.createdAt),
  ],
);
