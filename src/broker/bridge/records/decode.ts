import { toBase64 } from "../../../passwords/base64.ts";
import type { StoredRecord } from "../../rest/cluster.ts";
import { type Reader, reader } from "../protocol/reader.ts";
import type { Aborted } from "../protocol/reading.ts";
import type { Unpacked } from "./compression.ts";

type Sent = {
  baseOffset: number;
  lastOffset: number;
  attributes: number;
  /** The code of what it is compressed by. */
  codec: number;
  firstTime: number;
  maxTime: number;
  producer: bigint;
  count: number;
  body: Uint8Array;
};

/** `isHidden` where Kafka wrote it for itself, or its transaction was given up. */
export type Batch = Sent & { isHidden: boolean };

/** `size` is what the record takes in the log, about; its `content` has not been looked at. */
export type FetchedRecord = { offset: number; timestamp: number; size: number; content: Uint8Array };

/** What follows `from` cannot be read either. */
type Unreadable = { from: number; fault: unknown };

const MAGIC = 2;
const COMPRESSION = 0x07;
const IS_APPEND_TIME = 0x08;
const IS_TRANSACTIONAL = 0x10;
const IS_CONTROL = 0x20;
const ABORT = 0;
/** Eight times what Kafka takes by default: compressed, it takes any size. */
const MAX_RECORD_BYTES = 8 * 1024 * 1024;
const MAX_HEADERS = 10_000;

/** The batches of one answer, packed as they are. */
export function* batchesIn({ batches, aborted }: { batches: Uint8Array; aborted: Aborted[] }): Generator<Batch> {
  const waiting = aborted.toSorted((a, b) => a.firstOffset - b.firstOffset);
  const givenUp = new Set<bigint>();
  const from = reader(batches);
  // Kafka cuts where it has sent as much as it was asked for.
  while (from.left() >= 12) {
    const baseOffset = from.int64();
    const length = from.int32();
    if (from.left() < length) return;
    const batch = batchIn(reader(from.raw(length)), baseOffset);
    while ((waiting[0]?.firstOffset ?? Infinity) <= batch.lastOffset) givenUp.add(waiting.shift()?.producer ?? -1n);
    const isControl = (batch.attributes & IS_CONTROL) !== 0;
    const isAborted = (batch.attributes & IS_TRANSACTIONAL) !== 0 && givenUp.has(batch.producer);
    if (isControl && isAbort(batch)) givenUp.delete(batch.producer);
    yield { ...batch, isHidden: isControl || isAborted };
  }
}

function batchIn(from: Reader, baseOffset: number): Sent {
  from.int32();
  const magic = from.int8();
  if (magic !== MAGIC) throw new Error(`Cannot read records of format ${magic}: it is older than Kafka 0.11`);
  from.int32();
  const attributes = from.int16();
  const lastOffset = baseOffset + from.int32();
  const times = { firstTime: from.int64(), maxTime: from.int64() };
  const producer = from.bigint64();
  from.int16();
  from.int32();
  return { baseOffset, lastOffset, attributes, codec: attributes & COMPRESSION, ...times, producer, count: from.int32(), body: from.raw(from.left()) };
}

/** One after another as they are asked for, as far as they can be read: who stops asking spares the work for the rest. */
export function* recordsIn({ baseOffset, attributes, firstTime, maxTime, count }: Batch, { bytes, fault }: Unpacked): Generator<FetchedRecord, Unreadable | undefined> {
  const from = reader(bytes);
  let next = baseOffset;
  for (let index = 0; index < count; index++) {
    let record: FetchedRecord;
    try {
      const size = from.varint();
      const end = from.left() - size;
      from.int8();
      const timestamp = firstTime + from.varlong();
      record = { offset: baseOffset + from.varint(), timestamp: attributes & IS_APPEND_TIME ? maxTime : timestamp, size, content: from.raw(from.left() - end) };
    } catch (error) {
      return { from: next, fault: fault ?? error };
    }
    next = record.offset + 1;
    yield record;
  }
  return undefined;
}

/** Throws for one that cannot be read, and for one too large to be handed on. */
export function storedRecord({ offset, timestamp, size, content }: FetchedRecord): StoredRecord {
  if (size > MAX_RECORD_BYTES) throw new Error(`Cannot hand on a record of ${size} bytes`);
  const from = reader(content);
  const key = base64(from.varBytes());
  const value = base64(from.varBytes());
  const count = from.varint();
  if (count > MAX_HEADERS) throw new Error(`Cannot hand on a record with ${count} headers`);
  const headers: StoredRecord["headers"] = [];
  for (let left = count; left > 0; left--) headers.push([new TextDecoder().decode(from.varBytes() ?? undefined), base64(from.varBytes())]);
  return { offset, timestamp, key, value, headers };
}

/** The key of what Kafka writes at the end of a transaction: its version and its kind. */
function isAbort({ body }: Sent): boolean {
  const from = reader(body);
  from.varint();
  from.int8();
  from.varlong();
  from.varint();
  const key = reader(from.varBytes() ?? new Uint8Array());
  key.int16();
  return key.int16() === ABORT;
}

function base64(bytes: Uint8Array | null): string | null {
  return bytes && toBase64(bytes);
}
