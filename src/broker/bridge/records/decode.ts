import type { StoredRecord } from "../../rest/cluster.ts";
import { toBase64 } from "../../rest/records/bytes.ts";
import { type Reader, reader } from "../protocol/reader.ts";
import type { Aborted } from "../protocol/reading.ts";
import type { Decompress } from "./compression.ts";

type Batch = {
  baseOffset: number;
  lastOffset: number;
  attributes: number;
  firstTime: number;
  maxTime: number;
  producer: bigint;
  count: number;
  body: Uint8Array;
};

/** `size` is what the record takes in the log, about. */
export type FetchedRecord = { record: StoredRecord; size: number };

const MAGIC = 2;
const COMPRESSION = 0x07;
const IS_APPEND_TIME = 0x08;
const IS_TRANSACTIONAL = 0x10;
const IS_CONTROL = 0x20;
const ABORT = 0;

/**
 * The records of `batches` from `offset` on, in order, and the offset after the last batch: neither what Kafka writes for itself
 * nor records of transactions that were given up.
 */
export async function decodeBatches(
  { batches, aborted }: { batches: Uint8Array; aborted: Aborted[] },
  { offset, decompress }: { offset: number; decompress: Decompress },
): Promise<{ records: FetchedRecord[]; next: number }> {
  const records: FetchedRecord[] = [];
  const waiting = aborted.toSorted((a, b) => a.firstOffset - b.firstOffset);
  const givenUp = new Set<bigint>();
  let next = offset;
  for (const batch of batchesIn(batches)) {
    while ((waiting[0]?.firstOffset ?? Infinity) <= batch.lastOffset) givenUp.add(waiting.shift()?.producer ?? -1n);
    next = Math.max(next, batch.lastOffset + 1);
    if (batch.attributes & IS_CONTROL) {
      if (isAbort(batch)) givenUp.delete(batch.producer);
      continue;
    }
    if (batch.attributes & IS_TRANSACTIONAL && givenUp.has(batch.producer)) continue;
    const body = await decompress(batch.attributes & COMPRESSION, batch.body);
    for (const found of recordsIn(batch, body)) if (found.record.offset >= offset) records.push(found);
  }
  return { records, next };
}

/** Kafka cuts where it has sent as much as it was asked for. */
function* batchesIn(bytes: Uint8Array): Generator<Batch> {
  const from = reader(bytes);
  while (from.left() >= 12) {
    const baseOffset = from.int64();
    const length = from.int32();
    if (from.left() < length) return;
    yield batchIn(reader(from.raw(length)), baseOffset);
  }
}

function batchIn(from: Reader, baseOffset: number): Batch {
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
  return { baseOffset, lastOffset, attributes, ...times, producer, count: from.int32(), body: from.raw(from.left()) };
}

function* recordsIn({ baseOffset, attributes, firstTime, maxTime, count }: Batch, body: Uint8Array): Generator<FetchedRecord> {
  const from = reader(body);
  for (let index = 0; index < count; index++) {
    const size = from.varint();
    yield { record: recordIn(reader(from.raw(size)), { baseOffset, firstTime, appended: attributes & IS_APPEND_TIME ? maxTime : undefined }), size };
  }
}

function recordIn(from: Reader, { baseOffset, firstTime, appended }: { baseOffset: number; firstTime: number; appended: number | undefined }): StoredRecord {
  from.int8();
  const timestamp = firstTime + from.varlong();
  const offset = baseOffset + from.varint();
  const key = base64(from.varBytes());
  const value = base64(from.varBytes());
  const headers: StoredRecord["headers"] = [];
  for (let count = from.varint(); count > 0; count--) headers.push([new TextDecoder().decode(from.varBytes() ?? undefined), base64(from.varBytes())]);
  return { offset, timestamp: appended ?? timestamp, key, value, headers };
}

/** The key of what Kafka writes at the end of a transaction: its version and its kind. */
function isAbort({ body }: Batch): boolean {
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
