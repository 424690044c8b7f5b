import type { Appended, RecordToAppend } from "../../rest/cluster.ts";
import type { Refusal } from "../../rest/refusal.ts";
import { encodeBatch, type Origin } from "../records/encode.ts";

export type Item = {
  record: RecordToAppend;
  /** Milliseconds since the epoch. */
  until: number;
  settle: (outcome: Appended | Refusal) => void;
  isSettled: () => boolean;
};

/**
 * What waits for one partition. Only one batch of it is under way at a time, so records keep their order whatever has to be
 * sent again.
 */
export type Queue = {
  topic: string;
  partition: number;
  /** -1 where there is none. */
  leader: number;
  waiting: Item[];
  isBusy: boolean;
  /** How many records the next batch may have: fewer after one that was too large. */
  most: number;
  /** Who the next batch is from, and its number: those of one epoch count on without a gap, and a repetition has the number it had. */
  next: Origin | undefined;
  /** Under whose id there are no more epochs: Kafka would refuse what begins anew under it. */
  spent?: bigint | undefined;
};

export type Batch = {
  queue: Queue;
  items: Item[];
  until: number;
  began: number;
  /** Whether it was sent without an answer, or with one that does not say. */
  mayBeKept: boolean;
  /** Once it is numbered. */
  bytes?: Uint8Array;
};

const MAX_RECORDS = 500;
const MAX_BYTES = 900 * 1024;
const MAX_SEQUENCE = 2 ** 31 - 1;
const MAX_EPOCH = 2 ** 15 - 1;

export function newQueue(place: Pick<Queue, "topic" | "partition" | "leader">): Queue {
  return { ...place, waiting: [], isBusy: false, most: MAX_RECORDS, next: undefined };
}

/** Takes the next batch out of its queue. */
export function takeBatch(queue: Queue, now: number): Batch {
  let bytes = 0;
  let count = 0;
  for (const { record } of queue.waiting) {
    bytes += record.size;
    if (count === queue.most || (count > 0 && bytes > MAX_BYTES)) break;
    count += 1;
  }
  const items = queue.waiting.splice(0, count);
  queue.isBusy = true;
  return { queue, items, until: Math.max(...items.map(({ until }) => until)), began: now, mayBeKept: false };
}

/** Puts back what nobody has been told of yet, before all others. */
export function putBack({ queue, items }: Batch): void {
  queue.waiting.unshift(...items.filter(({ isSettled }) => !isSettled()));
}

/** Numbers a batch; `producer` is one that no number was given under before in this queue, where it has none. */
export function numbered({ queue, items }: Batch, producer: bigint): Uint8Array {
  queue.next ??= { producer, epoch: 0, sequence: 0 };
  return encodeBatch(items.map(({ record }) => record), queue.next);
}

export function countOn(queue: Queue, kept: number): void {
  if (queue.next) queue.next.sequence += kept;
  if (queue.next && queue.next.sequence + MAX_RECORDS > MAX_SEQUENCE) renew(queue);
  queue.most = Math.min(MAX_RECORDS, 2 * queue.most);
}

/** Begins a new epoch, in which Kafka refuses what of the old one has not arrived yet. */
export function renew(queue: Queue): void {
  const { next } = queue;
  if (!next) return;
  if (next.epoch < MAX_EPOCH) queue.next = { producer: next.producer, epoch: next.epoch + 1, sequence: 0 };
  else Object.assign(queue, { next: undefined, spent: next.producer });
}
