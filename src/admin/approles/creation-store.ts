import { sql } from "drizzle-orm";
import type { Database } from "../../database/client.ts";
import { instant } from "../../database/instant.ts";
import { approleCreations } from "../tables.ts";

type Creation = { creation: string; name: string };

/** Takes the name for one creation; false while another has it. */
export async function beginCreation(db: Database, { creation, name }: Creation, { now, until }: { now: number; until: number }): Promise<boolean> {
  const { rows } = await db.execute(sql`
    INSERT INTO ${approleCreations} (name, creation, until) VALUES (${name}, ${creation}, ${instant(until)})
    ON CONFLICT (name) DO UPDATE SET creation = excluded.creation, until = excluded.until
    WHERE ${approleCreations}.until <= ${instant(now)} RETURNING name`);
  return rows.length === 1;
}

/** Frees the name, unless another creation has it by now. */
export async function endCreation(db: Database, { creation, name }: Creation): Promise<void> {
  await db.execute(sql`DELETE FROM ${approleCreations} WHERE name = ${name} AND creation = ${creation}`);
}
