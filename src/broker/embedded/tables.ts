import { bigint, boolean, customType, integer, jsonb, pgSchema, primaryKey, text } from "drizzle-orm/pg-core";

/** Everything the embedded broker keeps. Times are milliseconds since the epoch. */
export const broker = pgSchema("broker");

const bytea = customType<{ data: Uint8Array }>({ dataType: () => "bytea" });

export const clusters = broker.table("clusters", {
  /** One row: the only cluster. */
  name: text().primaryKey(),
  id: text().notNull(),
});

export const topics = broker.table("topics", {
  id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
  name: text().notNull().unique(),
  /** The name with `_` for `.`: the two collide in the names of metrics. */
  collisionKey: text("collision_key").notNull().unique(),
  isInternal: boolean("is_internal").notNull(),
  partitions: integer().notNull(),
  /** What was set; anything else has its default. */
  configs: jsonb().$type<Record<string, string>>().notNull(),
});

/** Topics that are gone and whose records wait to be swept: there may be more than one statement can remove. */
export const deletedTopics = broker.table("deleted_topics", { id: bigint({ mode: "number" }).primaryKey() });

export const partitions = broker.table(
  "partitions",
  {
    topic: bigint({ mode: "number" }).notNull().references(() => topics.id, { onDelete: "cascade" }),
    partition: integer().notNull(),
    firstOffset: bigint("first_offset", { mode: "number" }).notNull().default(0),
    nextOffset: bigint("next_offset", { mode: "number" }).notNull().default(0),
    /** Of all its records together. */
    bytes: bigint({ mode: "number" }).notNull().default(0),
  },
  (row) => [primaryKey({ columns: [row.topic, row.partition] })],
);

export const records = broker.table(
  "records",
  {
    topic: bigint({ mode: "number" }).notNull(),
    partition: integer().notNull(),
    offset: bigint({ mode: "number" }).notNull(),
    /** As the producer says. */
    timestamp: bigint({ mode: "number" }).notNull(),
    appended: bigint({ mode: "number" }).notNull(),
    key: bytea(),
    value: bytea(),
    /** `[name, value in base64 or null]`, in order; a name may come twice. */
    headers: jsonb().$type<[string, string | null][]>().notNull(),
    size: integer().notNull(),
  },
  (row) => [primaryKey({ columns: [row.topic, row.partition, row.offset] })],
);
