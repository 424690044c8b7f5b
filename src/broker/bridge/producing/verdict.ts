import { isRetriable, KAFKA } from "../judgement.ts";
import type { Written } from "../protocol/producing.ts";

/**
 * What is to be done with a batch that Kafka has answered. `split`: what it is refused for may be of one record alone. `sift`:
 * Kafka says of which. `renumber`: it is for its number only.
 */
type Verdict = "keep" | "split" | "sift" | "renumber" | "again" | "refuse";

const TOO_LARGE = new Set<number>([KAFKA.MESSAGE_TOO_LARGE, KAFKA.RECORD_LIST_TOO_LARGE]);
const WITH_FAULTS = new Set<number>([KAFKA.INVALID_RECORD, KAFKA.INVALID_TIMESTAMP]);
const UNDER_ANOTHER_NUMBER = new Set<number>([
  KAFKA.OUT_OF_ORDER_SEQUENCE_NUMBER,
  KAFKA.DUPLICATE_SEQUENCE_NUMBER,
  KAFKA.INVALID_PRODUCER_EPOCH,
  KAFKA.UNKNOWN_PRODUCER_ID,
]);
const MAY_BE_KEPT = new Set<number>([KAFKA.REQUEST_TIMED_OUT, KAFKA.NOT_ENOUGH_REPLICAS_AFTER_APPEND]);

export function verdictOf({ code, faults }: Pick<Written, "code" | "faults">): Verdict {
  if (code === 0) return "keep";
  if (WITH_FAULTS.has(code) && faults.length > 0) return "sift";
  if (TOO_LARGE.has(code) || WITH_FAULTS.has(code)) return "split";
  if (UNDER_ANOTHER_NUMBER.has(code)) return "renumber";
  return isRetriable(code) ? "again" : "refuse";
}

/** Whether the answer leaves open if the batch is kept. */
export function leavesOpen(code: number): boolean {
  return MAY_BE_KEPT.has(code);
}
