/** An instance that could not be connected to is asked last for so long. */
const PENALTY_MS = 10_000;

export type Turns = {
  /** `urls` in the order to try them in: each time another one first. */
  order: (urls: readonly string[]) => string[];
  /** Notes that nothing listens at `url`. */
  penalise: (url: string) => void;
};

/** Takes the instances of one application in turn. */
export function turns(now: () => number): Turns {
  const penalties = new Map<string, number>();
  let turn = 0;

  return {
    order(urls) {
      for (const [url, until] of penalties) if (until <= now() || !urls.includes(url)) penalties.delete(url);
      const well = urls.filter((url) => !penalties.has(url));
      const from = turn++ % Math.max(well.length, 1);
      return [...well.slice(from), ...well.slice(0, from), ...penalties.keys()];
    },
    penalise(url) {
      penalties.set(url, now() + PENALTY_MS);
    },
  };
}
