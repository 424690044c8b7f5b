import { bigint, boolean, index, jsonb, pgSchema, primaryKey, text, unique, uuid } from "drizzle-orm/pg-core";

/** Everything the embedded identity provider keeps. Times are milliseconds since the epoch. */
export const identity = pgSchema("identity");

export const keys = identity.table("keys", {
  /** One row: the keys of the realm. */
  name: text().primaryKey(),
  kid: text().notNull(),
  privateKey: jsonb("private_key").notNull(),
  refreshKid: text("refresh_kid").notNull(),
  refreshSecret: text("refresh_secret").notNull(),
});

export const clients = identity.table("clients", {
  id: uuid().primaryKey(),
  clientId: text("client_id").notNull().unique(),
  enabled: boolean().notNull(),
  secret: text(),
  /** The rest of Keycloak's ClientRepresentation. */
  settings: jsonb().notNull(),
});

export const users = identity.table("users", {
  id: uuid().primaryKey(),
  username: text().notNull().unique(),
  email: text().unique(),
  emailVerified: boolean("email_verified").notNull(),
  firstName: text("first_name"),
  lastName: text("last_name"),
  enabled: boolean().notNull(),
  createdTimestamp: bigint("created_timestamp", { mode: "number" }).notNull(),
  requiredActions: jsonb("required_actions").$type<string[]>().notNull(),
  password: text(),
  serviceAccountClient: uuid("service_account_client")
    .unique()
    .references(() => clients.id, { onDelete: "cascade" }),
});

export const roles = identity.table(
  "roles",
  {
    id: uuid().primaryKey(),
    name: text().notNull(),
    description: text(),
    /** The client whose role it is; a realm role has none. */
    client: uuid().references(() => clients.id, { onDelete: "cascade" }),
    attributes: jsonb().notNull(),
  },
  (role) => [unique("roles_name_client").on(role.name, role.client).nullsNotDistinct()],
);

export const compositeRoles = identity.table(
  "composite_roles",
  {
    role: uuid().notNull().references(() => roles.id, { onDelete: "cascade" }),
    child: uuid().notNull().references(() => roles.id, { onDelete: "cascade" }),
  },
  (row) => [primaryKey({ columns: [row.role, row.child] }), index("composite_roles_child").on(row.child)],
);

export const userRoles = identity.table(
  "user_roles",
  {
    user: uuid().notNull().references(() => users.id, { onDelete: "cascade" }),
    role: uuid().notNull().references(() => roles.id, { onDelete: "cascade" }),
  },
  (row) => [primaryKey({ columns: [row.user, row.role] }), index("user_roles_role").on(row.role)],
);

export const sessions = identity.table(
  "sessions",
  {
    id: text().primaryKey(),
    user: uuid().notNull().references(() => users.id, { onDelete: "cascade" }),
    client: uuid().notNull().references(() => clients.id, { onDelete: "cascade" }),
    /** `jti` of the only refresh token that may still be used. */
    refreshId: text("refresh_id").notNull(),
    /** `jti` of the one used last; an older one is only said to be stale. */
    usedId: text("used_id"),
    /** Set when a refresh token was used twice: nothing of this session is valid any more. */
    isDetached: boolean("is_detached").notNull(),
    started: bigint({ mode: "number" }).notNull(),
    lastAccess: bigint("last_access", { mode: "number" }).notNull(),
  },
  (session) => [index("sessions_user").on(session.user), index("sessions_client").on(session.client), index("sessions_last_access").on(session.lastAccess)],
);

export const revokedTokens = identity.table(
  "revoked_tokens",
  {
    /** `jti` of an access token. */
    id: text().primaryKey(),
    expires: bigint({ mode: "number" }).notNull(),
  },
  (token) => [index("revoked_tokens_expires").on(token.expires)],
);
