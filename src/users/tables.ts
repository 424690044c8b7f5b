import { boolean, check, index, integer, jsonb, pgSchema, text, timestamp } from "drizzle-orm/pg-core";
import { sql } from "drizzle-orm";

const instant = (name: string) => timestamp(name, { withTimezone: true });

export const usersSchema = pgSchema("users");

export type Address = {
  addressLine1: string;
  addressLine2?: string | undefined;
  city: string;
  state: string;
  pinCode: string;
  country?: string | undefined;
  addressType: "PERMANENT" | "RESIDENTIAL" | "OFFICE";
};

export type SecurityQuestion = { question: string; answerHash: string };

export const users = usersSchema.table(
  "users",
  {
    userId: text("user_id").primaryKey(),
    /** The identity's own id at the identity provider (`sub`). */
    identityId: text("identity_id").unique(),
    status: text({ enum: ["PENDING", "ACTIVE", "BLOCKED", "DORMANT"] }).notNull(),
    firstName: text("first_name").notNull(),
    lastName: text("last_name").notNull(),
    /** As the user wrote it; `emailKey` is what is unique and what the identity provider knows. */
    emailId: text("email_id").notNull(),
    emailKey: text("email_key").notNull().unique(),
    primaryContactNumber: text("primary_contact_number").notNull().unique(),
    /** Newest first: the first is the secondary number, the rest are others. */
    otherContactNumbers: text("other_contact_numbers").array().notNull().default(sql`'{}'`),
    /** One address per type: type → address. */
    addresses: jsonb().$type<Partial<Record<Address["addressType"], Address>>>().notNull().default({}),
    securityQuestions: jsonb("security_questions").$type<SecurityQuestion[]>(),
    idempotencyKey: text("idempotency_key").unique(),
    fingerprint: text().notNull(),
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
    /** When the user was locked last: a token from before stays dead, also after the lock is taken back. */
    lockedAt: instant("locked_at"),
    /** As far as the user service's own consumer has read of it. */
    lastSignedInAt: instant("last_signed_in_at"),
    /** Since when the identity is enabled too; before, the row is seen by nobody. */
    registeredAt: instant("registered_at"),
    /** Counts the changes that the identity must follow. */
    revision: integer().notNull().default(0),
    /** The revision that the identity is known to follow. */
    alignedRevision: integer("aligned_revision").notNull().default(0),
    /** When the identity is next to be brought in line with this row; null while it is. */
    syncDue: instant("sync_due"),
    /** Whether a change sent to the identity provider may still arrive late, so that one more look is due. */
    isDoubtful: boolean("is_doubtful").notNull().default(false),
    /** Who works on the two systems now; only the holder's statements have an effect until the lease ends. */
    leaseHolder: text("lease_holder"),
    leaseUntil: instant("lease_until"),
  },
  (table) => [
    index("users_sync_due").on(table.syncDue).where(sql`${table.syncDue} IS NOT NULL`),
    index("users_idle").on(sql`coalesce(last_signed_in_at, registered_at)`).where(sql`${table.status} = 'ACTIVE'`),
    check("users_status", sql`${table.status} IN ('PENDING', 'ACTIVE', 'BLOCKED', 'DORMANT')`),
  ],
);

/** Registrations that were given up: an identity of theirs that arrives late is removed until `until`. */
export const abandoned = usersSchema.table(
  "abandoned",
  {
    userId: text("user_id").primaryKey(),
    checkAt: instant("check_at").notNull(),
    until: instant("until").notNull(),
  },
  (table) => [index("abandoned_check_at").on(table.checkAt)],
);

/** The curve of failed sign-ins for one name: a user id, or the keyed hash of a name that no user has. */
export const loginGuards = usersSchema.table(
  "login_guards",
  {
    subject: text().primaryKey(),
    failures: integer().notNull().default(0),
    /** Attempts that wait for the identity provider: attempt id → end of its lease in milliseconds since the epoch. */
    pending: jsonb().$type<Record<string, number>>().notNull().default({}),
    lockedUntil: instant("locked_until"),
    updatedAt: instant("updated_at").notNull(),
  },
  (table) => [index("login_guards_updated_at").on(table.updatedAt)],
);
