export type Slots = {
  /** Takes one until `until` (milliseconds since the epoch) at the latest; call the answer to give it back. Undefined when none is free. */
  take: (until: number) => (() => void) | undefined;
  /** How many are taken. */
  taken: () => number;
  /** Makes it `max` from now on; what is taken beyond that stays taken. */
  resize: (max: number) => void;
};

/**
 * A bound on what is under way at once. A slot that is not given back ends by itself: where a client goes away,
 * a runtime may stop its request without running what would have given it back.
 */
export function slots({ max, now }: { max: number; now: () => number }): Slots {
  const taken = new Set<{ until: number }>();
  let bound = max;
  return {
    take(until) {
      if (taken.size >= bound) for (const slot of taken) if (slot.until <= now()) taken.delete(slot);
      if (taken.size >= bound) return undefined;
      const slot = { until };
      taken.add(slot);
      return () => taken.delete(slot);
    },
    taken: () => taken.size,
    resize: (to) => (bound = to),
  };
}
