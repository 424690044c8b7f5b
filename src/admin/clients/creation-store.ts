import { sql } from "drizzle-orm";
import type { Database } from "../../database/client.ts";
import { instant } from "../../database/instant.ts";
import { clientCreations } from "../tables.ts";

export type Creation = { creation: string; name: string };

/** `isOver`: nothing of it can arrive any more. */
export type LeftOver = Creation & { isOver: boolean };

export type CreationStore = ReturnType<typeof creationStore>;

export function creationStore(db: Database) {
  return {
    /** False while another creation of the same name is under way, or left and not yet looked after. */
    async begin({ creation, name }: Creation, { due }: { due: number }): Promise<boolean> {
      const { rows } = await db.execute(sql`
        INSERT INTO ${clientCreations} (creation, name, status, due) VALUES (${creation}, ${name}, 'PENDING', ${instant(due)})
        ON CONFLICT DO NOTHING RETURNING creation`);
      return rows.length === 1;
    },

    /** Whether the client stays; repeated, it says the same. False once the sweep has taken the creation for abandoned. */
    async finish(creation: string, { forgetAt }: { forgetAt: number }): Promise<boolean> {
      const { rows } = await db.execute(sql`
        UPDATE ${clientCreations} SET status = 'FINISHED', due = ${instant(forgetAt)}
        WHERE creation = ${creation} AND status IN ('PENDING', 'FINISHED') RETURNING creation`);
      return rows.length === 1;
    },

    /** Frees the name; what the creation made is looked for until `until`. */
    async abandon(creation: string, { due, until }: { due: number; until: number }): Promise<void> {
      await db.execute(sql`
        UPDATE ${clientCreations} SET status = 'ABANDONED', due = ${instant(due)}, until = ${instant(until)}
        WHERE creation = ${creation} AND status = 'PENDING'`);
    },

    /** The creations to look after now, abandoned from here on; each is not due again before `next`. */
    async claimDue({ now, next, until, limit }: { now: number; next: number; until: number; limit: number }): Promise<LeftOver[]> {
      const { rows } = await db.execute<LeftOver>(sql`
        UPDATE ${clientCreations} SET status = 'ABANDONED', due = ${instant(next)}, until = coalesce(until, ${instant(until)})
        WHERE creation IN (
          SELECT creation FROM ${clientCreations} WHERE due <= ${instant(now)} AND status <> 'FINISHED'
          ORDER BY due LIMIT ${limit} FOR UPDATE SKIP LOCKED
        ) AND due <= ${instant(now)} AND status <> 'FINISHED'
        RETURNING creation, name, until <= ${instant(now)} AS "isOver"`);
      return rows;
    },

    async forget(creation: string): Promise<void> {
      await db.execute(sql`DELETE FROM ${clientCreations} WHERE creation = ${creation} AND status <> 'FINISHED'`);
    },

    async forgetFinished(now: number): Promise<void> {
      await db.execute(sql`DELETE FROM ${clientCreations} WHERE status = 'FINISHED' AND due <= ${instant(now)}`);
    },
  };
}
