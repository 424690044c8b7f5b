import { ADMINISTRATION_TIMEOUT_MS } from "../../administration/administer.ts";
import { beginCall, type Call } from "../../http/call.ts";
import type { Tally } from "./tally.ts";

export type ImportNeeds = {
  tally: Tally;
  /** Looks and counts, and changes nothing. */
  isDryRun: boolean;
  /** Whether what is there and different is replaced. */
  overwrites: boolean;
  now: () => number;
};

/** Of one exchange: a command has nobody who waits for all of it. */
export function newCall({ now }: Pick<ImportNeeds, "now">): Call {
  return beginCall(new Headers(), { now: now(), limit: ADMINISTRATION_TIMEOUT_MS });
}
