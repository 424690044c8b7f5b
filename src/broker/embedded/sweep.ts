import type { Database } from "../../database/client.ts";
import { removeDeleted, removeExpired } from "./records/store.ts";

const BATCH = 1000;
const MAX_STATEMENTS = 20;

/**
 * Removes what topics no longer keep, by `retention.ms`, `retention.bytes` and deletion; a bounded number of records per
 * call. Answers how many. A topic that is only compacted keeps everything: Kafka too leaves open when it compacts.
 */
export async function sweepBroker({ db, now }: { db: Database; now: () => number }): Promise<number> {
  let removed = 0;
  for (let statement = 0; statement < MAX_STATEMENTS; statement++) {
    const count = (await removeDeleted(db, BATCH)) + (await removeExpired(db, { now: now(), limit: BATCH }));
    if (count === 0) break;
    removed += count;
  }
  return removed;
}
