import type { Appended, RecordToAppend } from "../../rest/cluster.ts";
import { away, type Refusal, unconfirmed } from "../../rest/refusal.ts";
import type { Item, Queue } from "./queue.ts";

/** What becomes of a record, for whoever waits for it; giving up tells what is known by then. */
type Waiting = { outcome: Promise<Appended | Refusal>; giveUp: () => void };

/** Puts `record` at the end of `queue`. */
export function enqueue(queue: Queue, { record, until }: { record: RecordToAppend; until: number }): Waiting {
  const { promise: outcome, resolve } = Promise.withResolvers<Appended | Refusal>();
  let isSettled = false;
  const item: Item = {
    record,
    until,
    isSettled: () => isSettled,
    settle(found) {
      isSettled = true;
      resolve(found);
    },
  };
  queue.waiting.push(item);
  return {
    outcome,
    giveUp() {
      if (isSettled) return;
      const at = queue.waiting.indexOf(item);
      if (at >= 0) queue.waiting.splice(at, 1);
      item.settle(at >= 0 ? away() : unconfirmed());
    },
  };
}
