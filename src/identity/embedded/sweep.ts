import type { Database } from "../../database/client.ts";
import { sweepExpired } from "./sessions/store.ts";

const BATCH = 1000;

/** Removes sessions and revocations that have run out, a bounded number per call; answers how many. */
export function sweepIdentity({ db, now }: { db: Database; now: () => number }): Promise<number> {
  return sweepExpired(db, { now: now(), limit: BATCH });
}
