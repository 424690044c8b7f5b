import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../database/client.ts";
import { instant, isoText } from "../database/instant.ts";
import { type UserEvent, userEvent } from "../events/outbox-store.ts";
import { type Address, type SecurityQuestion, users } from "./tables.ts";

/** Whose rows a caller may see: their own, by the id of their identity, or everybody's. `issuedAt` is their token's, in seconds. */
export type Viewer = { sub: string; issuedAt: number; isAdmin: boolean };

export type ProfileRow = {
  userId: string;
  firstName: string;
  lastName: string;
  emailId: string;
  primaryContactNumber: string;
  otherContactNumbers: string[];
  status: "ACTIVE" | "BLOCKED" | "DORMANT";
  addresses: Partial<Record<Address["addressType"], Address>>;
  questions: string[] | null;
  createdAt: string;
  updatedAt: string;
  /** Why the viewer may see nothing at all: their own account is locked, or was since their token was issued. */
  bar: "locked" | "stale" | null;
};

export type Change = {
  lock: boolean | undefined;
  contact: { contactNumber: string; isPrimary: boolean } | undefined;
  address: Address | undefined;
  securityQuestions: SecurityQuestion[] | undefined;
};

export type Changed = {
  outcome: "changed" | "locked" | "stale" | "contact-limit";
  revision: number;
  /** Whether the user was not locked before. */
  isNewLock: boolean;
};

/** Besides the primary one. */
const MAX_OTHER_CONTACTS = 9;

export type ProfileStore = ReturnType<typeof profileStore>;

export function profileStore(db: Database) {
  async function find(which: SQL, viewer: Viewer): Promise<ProfileRow | undefined> {
    const { rows } = await db.execute<ProfileRow>(sql`
      SELECT user_id AS "userId", first_name AS "firstName", last_name AS "lastName", email_id AS "emailId",
        primary_contact_number AS "primaryContactNumber", other_contact_numbers AS "otherContactNumbers", status, addresses,
        (SELECT jsonb_agg(item->'question') FROM jsonb_array_elements(security_questions) AS item) AS questions,
        ${isoText(sql`created_at`)} AS "createdAt", ${isoText(sql`updated_at`)} AS "updatedAt",
        ${barOf(viewer)} AS bar
      FROM ${users} WHERE registered_at IS NOT NULL AND ${which}`);
    return rows[0];
  }

  return {
    find: (userId: string, viewer: Viewer) => find(sql`user_id = ${userId} AND ${mayAct(viewer)}`, viewer),

    findOwn: (viewer: Viewer) => find(sql`identity_id = ${viewer.sub}`, viewer),

    /** Applies the whole change and its events, or nothing; undefined when the viewer has no such user. */
    async change(userId: string, on: Change & { viewer: Viewer; now: number; traceparent: string; requestId: string }): Promise<Changed | undefined> {
      const { lock = null, contact, address, securityQuestions, viewer, now, traceparent, requestId } = on;
      const number = contact?.contactNumber ?? null;
      const isPrimary = contact?.isPrimary ?? false;
      const event = (type: UserEvent, condition: SQL, data: SQL = sql``) =>
        userEvent(type, {
          key: sql`user_id`,
          data: sql`jsonb_build_object('userId', user_id${data})`,
          from: sql`FROM change WHERE ${condition}`,
          now,
          traceparent,
        });
      const byWhom = sql`, 'identityId', identity_id, 'revision', revision, 'by', ${viewer.sub}::text, 'requestId', ${requestId}::text`;
      const { rows } = await db.execute<Changed>(sql`
        WITH before AS (
          SELECT *, addresses <> '{}' AND security_questions IS NOT NULL AS was_complete,
            array_remove(other_contact_numbers, ${number}) AS rest, ${barOf(viewer)} AS bar
          FROM ${users} WHERE user_id = ${userId} AND registered_at IS NOT NULL AND ${mayAct(viewer)} FOR UPDATE
        ), wanted AS (
          SELECT *,
            CASE WHEN bar IS NOT NULL THEN bar
              WHEN ${number}::text IS NOT NULL AND ${number} <> primary_contact_number AND cardinality(rest) >= ${MAX_OTHER_CONTACTS} THEN 'contact-limit'
              ELSE 'changed' END AS outcome,
            CASE WHEN ${lock}::boolean THEN 'BLOCKED' WHEN NOT ${lock}::boolean AND status = 'BLOCKED' THEN 'ACTIVE' ELSE status END AS new_status
          FROM before
        ), change AS (
          UPDATE ${users} AS u SET
            status = new_status,
            locked_at = CASE WHEN ${lock}::boolean THEN ${instant(now)} ELSE u.locked_at END,
            revision = u.revision + (new_status <> w.status)::int,
            sync_due = CASE WHEN new_status <> w.status THEN ${instant(now)} ELSE u.sync_due END,
            addresses = u.addresses || ${JSON.stringify(address ? { [address.addressType]: address } : {})}::jsonb,
            primary_contact_number = CASE WHEN ${isPrimary} THEN ${number} ELSE u.primary_contact_number END,
            other_contact_numbers = CASE
              WHEN ${number}::text IS NULL OR ${number} = u.primary_contact_number THEN u.other_contact_numbers
              WHEN ${isPrimary} THEN array_prepend(u.primary_contact_number, rest)
              ELSE array_prepend(${number}::text, rest) END,
            security_questions = coalesce(${securityQuestions ? JSON.stringify(securityQuestions) : null}::jsonb, u.security_questions),
            updated_at = ${instant(now)}
          FROM wanted AS w WHERE u.user_id = w.user_id AND w.outcome = 'changed'
          RETURNING u.*, w.status AS old_status, w.was_complete
        ),
        updated AS (${event("user.updated", sql`${address !== undefined || contact !== undefined}`, sql`, 'address', ${address !== undefined}::boolean, 'contact', ${contact !== undefined}::boolean`)}),
        locked AS (${event("user.locked", sql`status = 'BLOCKED' AND old_status <> 'BLOCKED'`, byWhom)}),
        unlocked AS (${event("user.unlocked", sql`status <> 'BLOCKED' AND old_status = 'BLOCKED'`, byWhom)}),
        secured AS (${event("user.security-details-updated", sql`${securityQuestions !== undefined}`)}),
        completed AS (${event("user.registration-completed", sql`NOT was_complete AND addresses <> '{}' AND security_questions IS NOT NULL`)})
        SELECT wanted.outcome, coalesce(change.revision, wanted.revision) AS revision,
          coalesce(change.status = 'BLOCKED' AND old_status <> 'BLOCKED', false) AS "isNewLock"
        FROM wanted LEFT JOIN change USING (user_id)`);
      return rows[0];
    },
  };
}

function mayAct({ sub, isAdmin }: Viewer): SQL {
  return isAdmin ? sql`true` : sql`identity_id = ${sub}`;
}

/** An access token outlives the session it came from: neither during a lock nor after it is one from before worth anything. */
function barOf({ sub, issuedAt }: Viewer): SQL {
  return sql`(
    SELECT CASE WHEN own.status = 'BLOCKED' THEN 'locked' WHEN own.locked_at >= ${instant(issuedAt * 1000)} THEN 'stale' END
    FROM ${users} AS own WHERE own.identity_id = ${sub})`;
}
