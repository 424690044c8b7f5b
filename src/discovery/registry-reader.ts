import type { Sharing } from "../http/held-token.ts";
import type { Entry } from "./entry.ts";
import { catchUp, DELTA_MS, loadMirror, type Mirror, type Reading } from "./mirror.ts";
import { compare } from "./order.ts";

export type ReaderNeeds = Sharing & Reading & { sweep: () => Promise<void> };

export type RegistryReader = {
  /** The registry as it is now: no change that was made before is missing, and nobody in it whose lease is over. */
  read: () => Promise<Mirror>;
};

const MAX_ROUNDS = 4;

/**
 * Reads the registry, once in full and then what changed. Where only a read looks at the clock, as on Workers between
 * two sweeps, it sweeps before it answers: whoever's time has come is never shown.
 */
export function registryReader({ sweep, sharesPending, ...reading }: ReaderNeeds): RegistryReader {
  let current: Mirror | undefined;
  let pending: ReturnType<typeof loadMirror> | undefined;

  function load(): ReturnType<typeof loadMirror> {
    if (!sharesPending) return loadMirror(reading);
    pending ??= loadMirror(reading).finally(() => {
      pending = undefined;
    });
    return pending;
  }

  return {
    async read() {
      // Whoever joins a loading that had begun before them reads on from there.
      current ??= await load();
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const mirror = current;
        const caught = await catchUp(mirror, reading);
        if (!caught) current = await load();
        else if (!caught.isSweepDue) return mirror;
        else await sweep();
      }
      return current;
    },
  };
}

/** Those that are in the registry, by application and id. */
export function liveEntries(mirror: Mirror): Entry[] {
  return ordered([...mirror.entries.values()].filter(({ gone }) => gone === undefined));
}

/** Those that came, changed or went lately. */
export function changedEntries({ entries, leaseTime }: Mirror): Entry[] {
  return ordered([...entries.values()].filter(({ changed }) => changed >= leaseTime - DELTA_MS));
}

/** By application and id. */
export function ordered(entries: Entry[]): Entry[] {
  return entries.toSorted((one, other) => compare(one.app, other.app) || compare(one.id, other.id));
}
