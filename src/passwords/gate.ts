/** Too much is under way: the caller may try again in a second. */
export class Overload extends Error {
  override readonly name = "Overload";
}

export type Gate = <T>(work: () => Promise<T>) => Promise<T>;

/** Lets `atOnce` pieces of work run and `waiting` more wait their turn; whatever comes then fails with Overload at once. */
export function gate({ atOnce, waiting }: { atOnce: number; waiting: number }): Gate {
  let running = 0;
  const queue: (() => void)[] = [];

  return async (work) => {
    if (running >= atOnce) {
      if (queue.length >= waiting) throw new Overload(`Cannot start: ${atOnce} are running and ${waiting} are waiting`);
      // Whoever finishes hands its place on, so `running` stays as it is.
      await new Promise<void>((resolve) => queue.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
