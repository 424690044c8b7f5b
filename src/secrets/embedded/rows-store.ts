import type { SQL } from "drizzle-orm";
import type { Database } from "../../database/client.ts";

/** The rows of a statement written by hand; `Row` is what its columns promise. */
export async function rowsOf<Row>(db: Database, statement: SQL): Promise<Row[]> {
  const { rows } = await db.execute(statement);
  return rows as Row[];
}
