import type { JWK } from "jose";
import type { Database } from "../../../database/client.ts";
import { keys } from "../tables.ts";

const NAME = "realm";

export type StoredKeys = { kid: string; privateKey: JWK; refreshKid: string; refreshSecret: string };

export async function findKeys(db: Database): Promise<StoredKeys | undefined> {
  const [row] = await db.select().from(keys).limit(1);
  return row && { ...row, privateKey: row.privateKey as JWK };
}

/** Keeps `made` unless another instance was first. */
export async function keepKeys(db: Database, made: StoredKeys): Promise<void> {
  await db.insert(keys).values({ name: NAME, ...made }).onConflictDoNothing();
}
