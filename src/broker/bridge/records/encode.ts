import type { RecordToAppend } from "../../rest/cluster.ts";
import { type Writer, writer } from "../protocol/writer.ts";
import { crc32c } from "./crc32c.ts";

/** Who sends a batch, and its place among all batches of the same to the same partition: by it Kafka knows a repetition. */
export type Origin = { producer: bigint; epoch: number; sequence: number };

/** Of the batch's header, up to where its checksum begins. */
const BEFORE_CHECKED = 21;
const CHECKSUM_AT = 17;
const LENGTH_AT = 8;
const MAGIC = 2;

/** One record batch (Kafka's message format v2), not compressed. */
export function encodeBatch(records: RecordToAppend[], { producer, epoch, sequence }: Origin): Uint8Array {
  const timestamps = records.map(({ timestamp }) => timestamp);
  const [first = 0] = timestamps;
  const to = writer(1024 + records.reduce((sum, { size }) => sum + size, 0));
  to.int64(0);
  to.int32(0);
  to.int32(-1);
  to.int8(MAGIC);
  to.int32(0);
  to.int16(0);
  to.int32(records.length - 1);
  to.int64(first);
  to.int64(Math.max(...timestamps));
  to.int64(producer);
  to.int16(epoch);
  to.int32(sequence);
  to.int32(records.length);
  for (const [index, record] of records.entries()) {
    const body = recordBody(record, { index, since: first });
    to.varint(body.length);
    to.raw(body);
  }
  const bytes = to.done();
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  view.setInt32(LENGTH_AT, bytes.length - LENGTH_AT - 4);
  view.setInt32(CHECKSUM_AT, crc32c(bytes.subarray(BEFORE_CHECKED)));
  return bytes;
}

function recordBody({ key, value, headers, timestamp, size }: RecordToAppend, { index, since }: { index: number; since: number }): Uint8Array {
  const to = writer(size);
  to.int8(0);
  to.varlong(timestamp - since);
  to.varint(index);
  to.varBytes(key);
  to.varBytes(value);
  to.varint(headers.length);
  for (const [name, content] of headers) header(to, name, content);
  return to.done();
}

function header(to: Writer, name: string, content: Uint8Array | null): void {
  to.varBytes(new TextEncoder().encode(name));
  to.varBytes(content);
}
