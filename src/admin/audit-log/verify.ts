import type { ChainStore } from "./chain-store.ts";
import { type Link, START } from "./entry.ts";

/**
 * `missing`: there is no such entry. `unexpected`: there is one where none can be. `altered`: its hash is not that of what it
 * says. `unlinked`: it does not carry the hash of the entry before. `replaced`: it is not the one whose hash was noted.
 */
export const REASONS = ["missing", "unexpected", "altered", "unlinked", "replaced"] as const;

export type Verdict = {
  /** Null: nothing is broken so far, and `next` says where to go on. */
  valid: boolean | null;
  /** How many were looked at. */
  entries: number;
  head: Link;
  firstBroken: { sequence: number; reason: (typeof REASONS)[number] } | null;
  next: Link | null;
};

/** Entries of one statement, which take a small part of its deadline. */
const STRETCH = 2000;
/** Of the call's time, left for the stretch that is under way and for what comes after. */
const RESERVE_MS = 3000;

/**
 * Recomputes the chain from the entry `after`, which is to have the hash that was noted of it, to the head there is now; as
 * far as the time until `deadline` goes, and one stretch in any case.
 */
export async function verify({ chain, now }: { chain: ChainStore; now: () => number }, { after = START, deadline }: { after?: Link | undefined; deadline: number }): Promise<Verdict> {
  const { head: noted, first, last } = await chain.extent();
  const head = noted ?? START;
  let entries = 0;
  const broken = (sequence: number, reason: (typeof REASONS)[number]): Verdict => ({ valid: false, entries, head, firstBroken: { sequence, reason }, next: null });

  if (first !== null && first < 1) return broken(first, "unexpected");
  if (after.sequence > 0) {
    const hash = await chain.hashAt(after.sequence);
    if (hash !== after.hash) return broken(after.sequence, hash === undefined ? "missing" : "replaced");
  } else if (after.hash !== START.hash) {
    return broken(0, "replaced");
  }
  // What is behind the head is no end to go to.
  if (after.sequence > head.sequence) return broken(head.sequence + 1, "unexpected");

  let at = after;
  do {
    const until = Math.min(at.sequence + STRETCH, head.sequence);
    const found = await chain.check(at, until);
    entries += found.entries;
    if (found.broken) return broken(found.broken.sequence, found.broken.reason);
    if ((found.end?.sequence ?? at.sequence) < until) return broken((found.end?.sequence ?? at.sequence) + 1, "missing");
    at = found.end ?? at;
  } while (at.sequence < head.sequence && now() < deadline - RESERVE_MS);

  if (at.sequence < head.sequence) return { valid: null, entries, head, firstBroken: null, next: at };
  if (at.hash !== head.hash) return broken(head.sequence, "replaced");
  if (last !== null && last > head.sequence) return broken(head.sequence + 1, "unexpected");
  return { valid: true, entries, head, firstBroken: null, next: null };
}
