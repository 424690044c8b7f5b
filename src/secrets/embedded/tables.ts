import { bigint, boolean, index, integer, jsonb, pgSchema, primaryKey, text, uuid } from "drizzle-orm/pg-core";

/** Everything the embedded secrets store keeps. Times are milliseconds since the epoch. */
export const secrets = pgSchema("secrets");

export const seal = secrets.table("seal", {
  /** One row: shows whether the installation key is the one that everything here was sealed with. */
  name: text().primaryKey(),
  proof: text().notNull(),
});

export const policies = secrets.table("policies", {
  name: text().primaryKey(),
  hcl: text().notNull(),
  rules: jsonb().notNull(),
});

export const roles = secrets.table("roles", {
  name: text().primaryKey(),
  roleId: text("role_id").notNull().unique(),
  settings: jsonb().notNull(),
});

export const secretIds = secrets.table(
  "secret_ids",
  {
    role: text().notNull().references(() => roles.name, { onDelete: "cascade" }),
    /** Keyed: the secret-id itself is nowhere. */
    hash: text().notNull(),
    accessor: text().notNull().unique(),
    metadata: jsonb().notNull(),
    created: bigint({ mode: "number" }).notNull(),
    /** Seconds; 0 is without an end. */
    ttl: bigint({ mode: "number" }).notNull(),
    expires: bigint({ mode: "number" }),
    /** Null is any number of times. */
    usesLeft: integer("uses_left"),
    /** Comes from the installation's own settings and goes when these change. */
    isProvisioned: boolean("is_provisioned").notNull(),
  },
  (row) => [primaryKey({ columns: [row.role, row.hash] }), index("secret_ids_expires").on(row.expires)],
);

export const tokens = secrets.table(
  "tokens",
  {
    /** Keyed: the token itself is nowhere. */
    hash: text().primaryKey(),
    accessor: text().notNull().unique(),
    /** A token outlives its role, but is not renewed then. */
    role: text().notNull(),
    policies: jsonb().$type<string[]>().notNull(),
    metadata: jsonb().notNull(),
    created: bigint({ mode: "number" }).notNull(),
    /** Seconds that it was given at login, and is given again by a renewal. */
    ttl: bigint({ mode: "number" }).notNull(),
    expires: bigint({ mode: "number" }).notNull(),
    /** No renewal goes past this. */
    endsAtLast: bigint("ends_at_last", { mode: "number" }).notNull(),
    /** Null is any number of times. */
    usesLeft: integer("uses_left"),
  },
  (token) => [index("tokens_expires").on(token.expires)],
);

export const documents = secrets.table("documents", {
  /** Another one after the path was deleted and written again: nobody mistakes its versions for the old ones. */
  id: uuid().primaryKey(),
  path: text().notNull().unique(),
  currentVersion: integer("current_version").notNull(),
  /** 0 is the server's own limit. */
  maxVersions: integer("max_versions").notNull(),
  isCasRequired: boolean("is_cas_required").notNull(),
  customMetadata: jsonb("custom_metadata"),
  created: bigint({ mode: "number" }).notNull(),
  updated: bigint({ mode: "number" }).notNull(),
});

export const versions = secrets.table(
  "versions",
  {
    document: uuid().notNull().references(() => documents.id, { onDelete: "cascade" }),
    version: integer().notNull(),
    created: bigint({ mode: "number" }).notNull(),
    deleted: bigint({ mode: "number" }),
    isDestroyed: boolean("is_destroyed").notNull(),
    /** AES-GCM, bound to document, path and version; null once destroyed. */
    sealed: text(),
  },
  (row) => [primaryKey({ columns: [row.document, row.version] })],
);
