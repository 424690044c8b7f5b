import { slots } from "./slots.ts";

/** `late`: its time has passed without an answer. */
export type Ending = "answered" | "late" | "lost";

export type LimitNeeds = {
  /** Exchanges under way at once. */
  max: number;
  /** To how few that may come down; `max` for a bound that stays. */
  least: number;
  now: () => number;
};

export type Limit = {
  /** Begins an exchange that ends by `until` (milliseconds since the epoch) by itself; call the answer when it has ended before. Undefined when as many as may be are under way. */
  begin: (until: number) => ((ending: Ending) => void) | undefined;
};

const FORGOTTEN_MS = 60_000;

/**
 * A bound on the exchanges of a kind with one system. Where what we have given up goes on at its cost, everything would be late for
 * as long as as many are sent as before. So those that are late narrow the bound as TCP's window (RFC 5681 section 3.1): to the
 * least, from where each answer widens it by one up to half of what was under way, and more slowly beyond.
 */
export function limit({ max, least, now }: LimitNeeds): Limit {
  const underway = slots({ max, now });
  let [bound, threshold] = [max, max];
  let [narrowedAt, answeredFrom] = [-Infinity, -Infinity];

  function judge(ending: Ending, began: number): void {
    if (ending === "answered") {
      bound = Math.min(max, bound + (bound < threshold ? 1 : 1 / bound));
      answeredFrom = Math.max(answeredFrom, began);
    }
    // Those under way together say it once, and one that later ones have overtaken speaks for itself alone.
    const together = underway.taken();
    if (ending === "late" && began >= Math.max(narrowedAt, answeredFrom) && together > least) [bound, threshold, narrowedAt] = [least, together / 2, now()];
  }

  return {
    begin(until) {
      const began = now();
      if (began - narrowedAt > FORGOTTEN_MS) [bound, threshold] = [max, max];
      underway.resize(Math.floor(bound));
      underway.endOver();
      const giveBack = underway.take(until);
      return giveBack && ((ending) => {
        judge(ending, began);
        giveBack();
      });
    },
  };
}
