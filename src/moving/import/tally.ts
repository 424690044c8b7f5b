import type { Kind, Table } from "../kinds.ts";

/** `different`: there is another of that name, which was left as it is. `failed`: it was refused. */
export type Result = "made" | "same" | "changed" | "different" | "failed";

export const RESULTS: readonly Result[] = ["made", "same", "changed", "different", "failed"];

export type Tally = {
  count: (kind: Kind | Table, result: Result, times?: number) => void;
  /** Counts one, and says what it is and why: by its name, never by what it holds. */
  tell: (kind: Kind | Table, result: "different" | "failed", what: string) => void;
  /** Keeps a sentence for the end: once, however often it is said. */
  note: (sentence: string) => void;
  notes: () => ReadonlySet<string>;
  counts: () => ReadonlyMap<Kind | Table, Readonly<Record<Result, number>>>;
};

const MAX_TOLD = 20;

export function tally(say: (line: string) => void): Tally {
  const counts = new Map<Kind | Table, Record<Result, number>>();
  const notes = new Set<string>();

  function of(kind: Kind | Table): Record<Result, number> {
    const known = counts.get(kind) ?? { made: 0, same: 0, changed: 0, different: 0, failed: 0 };
    counts.set(kind, known);
    return known;
  }

  return {
    count(kind, result, times = 1) {
      of(kind)[result] += times;
    },
    tell(kind, result, what) {
      const told = of(kind).different + of(kind).failed;
      of(kind)[result] += 1;
      if (told < MAX_TOLD) say(`${kind}: ${what}`);
      if (told === MAX_TOLD) say(`${kind}: …`);
    },
    note: (sentence) => void notes.add(sentence),
    notes: () => notes,
    counts: () => counts,
  };
}
