import { bigint, index, jsonb, pgSchema, text, timestamp, uuid } from "drizzle-orm/pg-core";
import { sql } from "drizzle-orm";

export const events = pgSchema("events");

/** Events that a change has written in its own statement and that wait to be relayed to the broker. */
export const outbox = events.table(
  "outbox",
  {
    position: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    id: uuid().notNull().unique().default(sql`gen_random_uuid()`),
    topic: text().notNull(),
    type: text().notNull(),
    /** The record's key: events of one key keep their order. */
    key: text().notNull(),
    data: jsonb().notNull(),
    traceparent: text(),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
    sentAt: timestamp("sent_at", { withTimezone: true }),
  },
  (table) => [index("outbox_unsent").on(table.position).where(sql`${table.sentAt} IS NULL`)],
);
