/** An instance that was lost is asked last for so long, doubled each time that it is lost again. */
const PENALTY_MS = 10_000;
const MAX_PENALTY_MS = 120_000;

export type Turns = {
  /** `urls` in the order to try them in: each time another one first. */
  order: (urls: readonly string[]) => string[];
  /** Notes that nothing came back from `url`. */
  penalise: (url: string) => void;
  /** Notes that `url` has answered. */
  absolve: (url: string) => void;
};

type Penalty = { until: number; period: number };

/** Takes the instances of one application in turn. */
export function turns(now: () => number): Turns {
  const penalties = new Map<string, Penalty>();
  /** Those whose penalty is over, asked by one request to see how they are. */
  const tried = new Set<string>();
  let turn = 0;

  function absolve(url: string): void {
    penalties.delete(url);
    tried.delete(url);
  }

  function isWell(url: string): boolean {
    return (penalties.get(url)?.until ?? -Infinity) <= now();
  }

  return {
    order(urls) {
      for (const url of penalties.keys()) if (!urls.includes(url)) absolve(url);
      const well = urls.filter(isWell);
      const ordered = [...rotated(well, turn), ...rotated(urls.filter((url) => !well.includes(url)), turn)];
      turn += 1;
      const [first = ""] = ordered;
      const penalty = penalties.get(first);
      if (penalty && penalty.until <= now()) {
        // While that one request waits, the others go elsewhere.
        penalty.until = now() + 2 * penalty.period;
        tried.add(first);
      }
      return ordered;
    },
    penalise(url) {
      const before = penalties.get(url);
      // All that were under way together are lost together.
      const wasTried = tried.delete(url);
      if (before && before.until > now() && !wasTried) return;
      const period = before ? Math.min(2 * before.period, MAX_PENALTY_MS) : PENALTY_MS;
      penalties.set(url, { until: now() + period, period });
    },
    absolve,
  };
}

function rotated(urls: readonly string[], turn: number): string[] {
  const from = turn % Math.max(urls.length, 1);
  return [...urls.slice(from), ...urls.slice(0, from)];
}
