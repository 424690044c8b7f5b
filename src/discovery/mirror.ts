import type { Database } from "../database/client.ts";
import type { Entry } from "./entry.ts";
import { type Page, readPage } from "./entry-store.ts";

/** The registry as this instance of the service has read it, kept up to date by reading what changed since. */
export type Mirror = {
  /** By application and id; those that are gone too, as long as the registry keeps them. */
  entries: Map<string, Entry>;
  /** Of the registry that was read. */
  epoch: string | undefined;
  /** Of the last change that was read. */
  version: number;
  /** See `registry.floor`. */
  floor: number;
  leaseTime: number;
};

export type Reading = { db: Database; now: () => number; isSelfPreserving: boolean };

/** Clients ask for changes every 30 s; for three minutes they can be told. */
export const DELTA_MS = 180_000;
const MAX_PAGES = 1000;

/** Reads everything anew. */
export async function loadMirror(reading: Reading): Promise<Mirror & { isSweepDue: boolean }> {
  for (let attempt = 0; attempt < MAX_PAGES; attempt++) {
    const mirror: Mirror = { entries: new Map(), epoch: undefined, version: 0, floor: 0, leaseTime: 0 };
    const page = await follow(mirror, reading, undefined);
    if (page) return { ...mirror, isSweepDue: page.isSweepDue };
  }
  throw new Error("Cannot read the registry: it forgets faster than it can be read");
}

/**
 * Applies what changed since the last reading. Every change that was made before is in it: changes become visible in
 * the order of their versions. Undefined where some of them cannot be had any more, or the registry is another one.
 */
export async function catchUp(mirror: Mirror, reading: Reading): Promise<{ isSweepDue: boolean } | undefined> {
  return follow(mirror, reading, mirror.version);
}

async function follow(mirror: Mirror, { db, now, isSelfPreserving }: Reading, known: number | undefined): Promise<Page | undefined> {
  let floor = known;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await readPage(db, { since: mirror.version, now: now(), isSelfPreserving });
    floor ??= page.floor;
    mirror.epoch ??= page.epoch;
    if (page.floor > floor || page.epoch !== mirror.epoch || page.version < mirror.version) return undefined;
    apply(mirror, page);
    if (mirror.version >= page.newest) return page;
    floor = Math.max(floor, mirror.version);
  }
  return undefined;
}

/** Two requests may read the same change, or one a later one first. */
function apply(mirror: Mirror, { entries, floor, leaseTime }: Page): void {
  for (const entry of entries) {
    if (isForgotten(entry, mirror.floor)) continue;
    const key = keyOf(entry);
    if ((mirror.entries.get(key)?.version ?? -1) < entry.version) mirror.entries.set(key, entry);
    mirror.version = Math.max(mirror.version, entry.version);
  }
  mirror.leaseTime = Math.max(mirror.leaseTime, leaseTime);
  if (floor <= mirror.floor) return;
  mirror.floor = floor;
  for (const [key, entry] of mirror.entries) if (isForgotten(entry, floor)) mirror.entries.delete(key);
}

/** Whether the registry keeps the entry no longer. */
function isForgotten({ gone, version }: Entry, floor: number): boolean {
  return gone !== undefined && version <= floor;
}

/** Identifies the entry among all; a line break is in no name. */
function keyOf({ app, id }: Pick<Entry, "app" | "id">): string {
  return `${app}\n${id}`;
}
