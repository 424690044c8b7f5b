import { slots } from "./slots.ts";

/** `late`: its whole time has passed without an answer. */
export type Ending = "answered" | "late" | "lost";

export type Limit = {
  /** Begins an exchange that ends by `until` (milliseconds since the epoch) at the latest; call the answer when it has. Undefined when as many as may be are under way. */
  begin: (until: number) => ((ending: Ending) => void) | undefined;
};

/** Fewer at once would make none of them quicker. */
const LEAST = 2;

/**
 * A bound on the exchanges with one system that are under way at once. What we have given up may go on there, such as hashing a
 * password: with as many sent as before, everything would be late from then on. So what is late narrows the bound as TCP's window
 * (RFC 5681 section 3.1): to the least, from where each answer widens it by one up to half of what was under way, then more slowly.
 */
export function limit({ max, now }: { max: number; now: () => number }): Limit {
  const underway = slots({ max, now });
  let [bound, threshold, narrowedAt] = [max, max, -Infinity];

  function judge(ending: Ending, { began, together }: { began: number; together: number }): void {
    if (ending === "answered") bound = Math.min(max, bound + (bound < threshold ? 1 : 1 / bound));
    // Those that were under way together say it once.
    if (ending === "late" && began >= narrowedAt && together > LEAST) [bound, threshold, narrowedAt] = [LEAST, together / 2, now()];
    underway.resize(Math.floor(bound));
  }

  return {
    begin(until) {
      const giveBack = underway.take(until);
      const began = now();
      return giveBack && ((ending) => {
        judge(ending, { began, together: underway.taken() });
        giveBack();
      });
    },
  };
}
