import { bigint, index, integer, jsonb, pgSchema, primaryKey, text, timestamp, uuid } from "drizzle-orm/pg-core";
import { sql } from "drizzle-orm";

const instant = (name: string) => timestamp(name, { withTimezone: true });

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
    createdAt: instant("created_at").notNull(),
    sentAt: instant("sent_at"),
    /** Nobody sends it, or one after it, before: the end of a relay's lease, of a pause after a refusal, or of the call it tells of. */
    due: instant("due"),
    /** Whose lease it is; only the holder's answers have an effect. */
    leaseHolder: text("lease_holder"),
    /** How often it was taken without an answer since. */
    unanswered: integer().notNull().default(0),
    /** How often the broker refused it. */
    attempts: integer().notNull().default(0),
    /** What the broker refused it with: a code, never a text. */
    lastError: text("last_error"),
    /** Refused too often: those after it go on, and an operator decides. */
    setAsideAt: instant("set_aside_at"),
  },
  (table) => [
    // The only one with this condition: where there are no statistics yet, a second would look as good, and be read whole.
    index("outbox_pending").on(table.topic, table.key, table.position).where(sql`${table.sentAt} IS NULL AND ${table.setAsideAt} IS NULL`),
    index("outbox_sent").on(table.sentAt).where(sql`${table.sentAt} IS NOT NULL`),
    index("outbox_set_aside").on(table.position).where(sql`${table.setAsideAt} IS NOT NULL`),
  ],
);

/** How far each consumer has read: every record below `nextOffset` has had its effect, or never will. */
export const positions = events.table(
  "positions",
  {
    consumer: text().notNull(),
    topic: text().notNull(),
    partition: integer().notNull(),
    /** Null until it begins: at the earliest record there is. */
    nextOffset: bigint("next_offset", { mode: "number" }),
    /** Since when it has missed nothing. */
    since: instant("since"),
    /** When it last saw the end, to the minute. */
    caughtUpAt: instant("caught_up_at"),
    /** How often what stands at `nextOffset` was tried in vain, when it may be tried again, and why. */
    tries: integer().notNull().default(0),
    retryAt: instant("retry_at"),
    lastError: text("last_error"),
  },
  (table) => [primaryKey({ columns: [table.consumer, table.topic, table.partition] })],
);

/** Events that a consumer has handled, for as long as they may come again. */
export const handled = events.table(
  "handled",
  {
    consumer: text().notNull(),
    id: text().notNull(),
    at: instant("at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.consumer, table.id] }), index("handled_at").on(table.consumer, table.at)],
);

/** What a consumer gave up after some tries, so that what comes after it could go on. */
export const givenUp = events.table(
  "given_up",
  {
    consumer: text().notNull(),
    topic: text().notNull(),
    partition: integer().notNull(),
    offset: bigint({ mode: "number" }).notNull(),
    /** As JSON; null for a record too large to be read. */
    event: text(),
    error: text().notNull(),
    at: instant("at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.consumer, table.topic, table.partition, table.offset] })],
);

/** Whose tokens are refused, for as long as one from before may live. */
export const revocations = events.table(
  "revocations",
  {
    /** The `sub` of the tokens. */
    subject: text().primaryKey(),
    /** Of the user's last lock or unlock that is known. */
    revision: integer().notNull(),
    lockedAt: instant("locked_at"),
    /** Null while locked. */
    unlockedAt: instant("unlocked_at"),
    until: instant("until").notNull(),
    /** Of `revocation_version` when the row last changed. */
    version: bigint({ mode: "number" }).notNull(),
  },
  (table) => [index("revocations_version").on(table.version), index("revocations_until").on(table.until)],
);

/** One row. Its lock makes versions appear in their order: who has seen one has seen all before it. */
export const revocationVersion = events.table("revocation_version", {
  name: text().primaryKey(),
  version: bigint({ mode: "number" }).notNull(),
});
