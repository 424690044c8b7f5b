import type { Database } from "../../database/client.ts";
import { sweepExpired } from "./tokens/store.ts";

const BATCH = 1000;

/** Removes tokens and secret-ids that have run out, a bounded number per call; answers how many. They were refused before. */
export function sweepSecrets({ db, now }: { db: Database; now: () => number }): Promise<number> {
  return sweepExpired(db, { now: now(), limit: BATCH });
}
