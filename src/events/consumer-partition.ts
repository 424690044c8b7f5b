import type { BrokerRecord, Place, RecordReader, Stretch } from "../broker/reading.ts";
import type { Call } from "../http/call.ts";
import { describe } from "../http/log.ts";
import { problemIn } from "../http/problem.ts";
import { deliveriesIn, type Delivery, type Handled } from "./consumer-deliveries.ts";
import type { ConsumerStore, Position, Step } from "./consumer-store.ts";

export type PartitionNeeds = {
  reader: RecordReader;
  store: ConsumerStore;
  types: Handled;
  now: () => number;
  /** Says what happened in a place; never what an event says. */
  tell: (level: "warn" | "error", message: string, error?: unknown) => void;
};

export type Progress = {
  /** Events that had their effect now. */
  applied: number;
  /** Records that are no events of ours. */
  unreadable: number;
  /** `waiting`: for another try, or for the next run. */
  state: "at-end" | "waiting";
};

/** Records of one request, and of one statement. */
const MAX_RECORDS = 200;
/** Requests for one partition in one run: the others have their turn. */
const MAX_READS = 50;
/** After so many tries in vain what stands in the way is passed over: half a minute in all. */
const MAX_TRIES = 5;
const FIRST_PAUSE_MS = 1000;
const END_NOTED_EVERY_MS = 60_000;

/** Reads on in one partition until its end, until something stands in the way, or until the call's deadline. */
export async function advance(needs: PartitionNeeds, call: Call, start: Position): Promise<Progress> {
  const { reader, now } = needs;
  const progress: Progress = { applied: 0, unreadable: 0, state: "waiting" };
  let position: Position | undefined = start;
  for (let reads = 0; position && reads < MAX_READS && now() < call.deadline; reads++) {
    if (position.retryAt !== null && position.retryAt > now()) break;
    const from: number | null = position.next;
    const readAt = now();
    const stretch = await readFrom(reader, call, position);
    if (stretch.outcome === "too-large" && from !== null) {
      position = await passOver(needs, position, { next: from + 1, event: undefined, error: new Error("The record is too large to be read") });
    } else if (stretch.outcome !== "records" || (from !== null && stretch.latest < from)) {
      position = await findPlace(needs, call, position);
    } else {
      const { next } = stretch;
      if (next !== from) position = await take(needs, position, { records: stretch.records, next, progress });
      if (!position || position.next !== next) continue;
      if (next >= stretch.latest) {
        await noteEnd(needs, position, readAt);
        return { ...progress, state: "at-end" };
      }
      if (next === from) break;
    }
  }
  return progress;
}

/** Some records; where they are too many to be read at once, one. */
async function readFrom(reader: RecordReader, call: Call, { next: offset, ...place }: Position): Promise<Stretch> {
  const stretch = await reader.read(call, { ...place, offset, max: MAX_RECORDS });
  return stretch.outcome === "too-large" ? reader.read(call, { ...place, offset, max: 1 }) : stretch;
}

type Taken = { records: BrokerRecord[]; next: number; progress: Progress };

async function take(needs: PartitionNeeds, position: Position, { records, next, progress }: Taken): Promise<Position | undefined> {
  const { events, unreadable } = deliveriesIn(records, needs.types);
  const delivered = await deliver(needs, position, { from: position.next, next, events });
  progress.applied += delivered.applied;
  if (delivered.position?.next === next && !delivered.isOthers && unreadable.length > 0) {
    progress.unreadable += unreadable.length;
    tellUnreadable(needs, position, unreadable);
  }
  return delivered.position;
}

async function noteEnd({ store }: PartitionNeeds, position: Position, readAt: number): Promise<void> {
  const isNoted = (position.caughtUpAt ?? 0) > readAt - END_NOTED_EVERY_MS && position.tries === 0;
  if (!isNoted) await store.sawEnd(position, { next: position.next, now: readAt });
}

/** `isOthers`: another runner has moved the position. */
type Delivered = { applied: number; position: Position | undefined; isOthers?: boolean };

/** All at once; what fails so, one by one, to find the one it fails for. */
async function deliver(needs: PartitionNeeds, position: Position, step: Step): Promise<Delivered> {
  const { store, now } = needs;
  try {
    const applied = await store.apply(position, { ...step, now: now() });
    if (applied === undefined) return { applied: 0, position: await again(needs, position), isOthers: true };
    return { applied, position: movedTo(position, step.next) };
  } catch (error) {
    // A database that is away has not judged the event.
    if (problemIn(error)) throw error;
    const [first, ...others] = step.events;
    if (!first) throw error;
    if (others.length === 0) return { applied: 0, position: await passOver(needs, position, { next: first.offset + 1, event: first, error }) };
  }
  let sum = 0;
  let at: Position | undefined = position;
  for (const event of step.events) {
    const next = event.offset + 1;
    const one: Delivered = await deliver(needs, at, { from: at.next, next, events: [event] });
    sum += one.applied;
    if (one.position?.next !== next) return { applied: sum, position: one.position };
    at = one.position;
  }
  return at.next === step.next ? { applied: sum, position: at } : { ...(await deliver(needs, at, { from: at.next, next: step.next, events: [] })), applied: sum };
}

/** One more try in vain; after the last, goes on behind what stands in the way. Undefined while it still has tries. */
async function passOver(
  { store, now, tell }: PartitionNeeds,
  position: Position,
  { next, event, error }: { next: number; event: Delivery | undefined; error: unknown },
): Promise<Position | undefined> {
  const { next: from, tries } = position;
  const place = `${placed(position)}, offset ${next - 1}`;
  const text = describe(error);
  if (tries + 1 < MAX_TRIES) {
    await store.fail(position, { from, tries, retryAt: now() + FIRST_PAUSE_MS * 2 ** tries, error: text });
    tell("warn", `Cannot handle an event yet (${place})`, error);
    return undefined;
  }
  const given = { from, next, event: event ? JSON.stringify(event) : null, error: text, now: now() };
  if (!(await store.giveUp(position, given))) return undefined;
  tell("error", `Gave an event up (${place})`, error);
  return movedTo(position, next);
}

/** Where to go on when the broker has no such offset. Undefined where that is not known yet. */
async function findPlace({ reader, store, now, tell }: PartitionNeeds, call: Call, position: Position): Promise<Position | undefined> {
  const { next: from, tries } = position;
  const { earliest, latest } = await reader.range(call, position);
  if (from !== null && from >= earliest && from <= latest) return undefined;
  // A partition that ends before what was read of it is another one, or a broker that has not caught up itself.
  if (from !== null && from > latest && tries + 1 < MAX_TRIES) {
    const error = `The partition ends at ${latest}`;
    await store.fail(position, { from, tries, retryAt: now() + FIRST_PAUSE_MS * 2 ** tries, error });
    tell("warn", `Cannot read on yet (${placed(position)}, offset ${from}): the partition ends at ${latest}`);
    return undefined;
  }
  if (!(await store.resume(position, { from, next: earliest, now: now() }))) return undefined;
  if (from !== null) tell("error", `Went on at the earliest record, ${earliest} (${placed(position)}): there is no offset ${from} any more`);
  return movedTo(position, earliest);
}

/** Where another runner has moved the position to. */
async function again({ store }: PartitionNeeds, { topic, partition }: Place): Promise<Position | undefined> {
  const all = await store.positions(topic, partition + 1);
  return all.find((position) => position.partition === partition);
}

function movedTo(position: Position, next: number): Position {
  return { ...position, next, tries: 0, retryAt: null };
}

function tellUnreadable({ tell }: PartitionNeeds, position: Position, offsets: number[]): void {
  const where = offsets.length === 1 ? `offset ${offsets[0]}` : `offsets ${offsets[0]} to ${offsets.at(-1)}`;
  tell("warn", `Passed over ${offsets.length} records that are no events (${placed(position)}, ${where})`);
}

function placed({ topic, partition }: Place): string {
  return `${topic}/${partition}`;
}
