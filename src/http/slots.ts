export type Slots = {
  /** Takes one until `until` (milliseconds since the epoch) at the latest; call the answer to give it back. Undefined when none is free. */
  take: (until: number) => (() => void) | undefined;
  /** How many are taken, those included whose time is over since the last was. */
  taken: () => number;
  /** Gives back those whose time is over. */
  endOver: () => void;
  /** Makes it `max` from now on; what is taken beyond that stays taken. */
  resize: (max: number) => void;
};

/**
 * A bound on what is under way at once. A slot that is not given back ends by itself: where a client goes away,
 * a runtime may stop its request without running what would have given it back.
 */
export function slots({ max, now }: { max: number; now: () => number }): Slots {
  const held = new Set<{ until: number }>();
  let bound = max;
  const endOver = () => {
    for (const slot of held) if (slot.until <= now()) held.delete(slot);
  };
  return {
    take(until) {
      if (held.size >= bound) endOver();
      if (held.size >= bound) return undefined;
      const slot = { until };
      held.add(slot);
      return () => held.delete(slot);
    },
    taken: () => held.size,
    endOver,
    resize: (to) => (bound = to),
  };
}
