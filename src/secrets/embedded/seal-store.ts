import { sql } from "drizzle-orm";
import type { Database } from "../../database/client.ts";
import { seal } from "./tables.ts";

const NAME = "installation";

export async function isStorageThere(db: Database): Promise<boolean> {
  try {
    await db.execute(sql`select 1`);
    return true;
  } catch {
    return false;
  }
}

/** Keeps `proof` unless there is one, and answers the one that is kept. */
export async function keepProof(db: Database, proof: string): Promise<string | undefined> {
  await db.insert(seal).values({ name: NAME, proof }).onConflictDoNothing();
  const [row] = await db.select().from(seal).limit(1);
  return row?.proof;
}
