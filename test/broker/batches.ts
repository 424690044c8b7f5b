import { gzipSync } from "node:zlib";
import { encodeBatch } from "../../src/broker/bridge/records/encode.ts";
import type { RecordToAppend } from "../../src/broker/rest/cluster.ts";

/** Before the records. */
const HEADER_BYTES = 61;
const LENGTH_AT = 8;
const ATTRIBUTES_AT = 21;
const GZIP = 1;

/** A batch of these records as another producer compresses it, or packs it as if. */
export function zippedBatch(records: RecordToAppend[], pack: (bytes: Uint8Array) => Uint8Array = (bytes) => gzipSync(bytes)): Uint8Array {
  const plain = encodeBatch(records, { producer: 1n, epoch: 0, sequence: 0 });
  const bytes = Buffer.concat([plain.subarray(0, HEADER_BYTES), pack(plain.subarray(HEADER_BYTES))]);
  bytes.writeInt32BE(bytes.length - LENGTH_AT - 4, LENGTH_AT);
  bytes.writeInt16BE(GZIP, ATTRIBUTES_AT);
  return bytes;
}
