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
  const slots = new Set<{ until: number }>();
  let bound = max;
  const endOver = () => {
    for (const slot of slots) if (slot.until <= now()) slots.delete(slot);
  };
  return {
    take(until) {
      if (slots.size >= bound) endOver();
      if (slots.size >= bound) return undefined;
      const slot = { until };
      slots.add(slot);
      return () => slots.delete(slot);
    },
    taken() {
      endOver();
      return slots.size;
    },
    resize: (to) => (bound = to),
  };
}
