import type { Growing } from "./growing.ts";

/** What snappy-java writes before its blocks, each of which comes with its length in four bytes. */
const STREAM = [0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00];
const STREAM_HEADER = 16;

/** The bytes of a snappy stream as Kafka's Java client writes it, or of one block as others do. */
export function unsnappy(bytes: Uint8Array, out: Growing): void {
  if (!STREAM.every((byte, index) => bytes[index] === byte)) return unpack(bytes, out);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = STREAM_HEADER; at < bytes.length; ) {
    const length = view.getInt32(at);
    if (length <= 0 || at + 4 + length > bytes.length) throw new Error(`Cannot read snappy: a block of ${length} bytes`);
    unpack(bytes.subarray(at + 4, at + 4 + length), out);
    at += 4 + length;
  }
}

/** https://github.com/google/snappy/blob/main/format_description.txt */
function unpack(block: Uint8Array, out: Growing): void {
  const begin = out.size();
  let at = 0;
  let size = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = block[at++] ?? 0;
    size += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) break;
  }

  function little(count: number): number {
    let value = 0;
    for (let index = 0; index < count; index++) value += (block[at++] ?? 0) * 2 ** (8 * index);
    return value;
  }

  while (at < block.length) {
    const tag = block[at++] ?? 0;
    const kind = tag & 3;
    if (kind === 0) {
      const short = tag >> 2;
      const length = 1 + (short < 60 ? short : little(short - 59));
      out.add(block.subarray(at, at + length));
      at += length;
      continue;
    }
    const length = kind === 1 ? 4 + ((tag >> 2) & 7) : 1 + (tag >> 2);
    const offset = kind === 1 ? (tag >> 5) * 256 + little(1) : little(kind === 2 ? 2 : 4);
    if (offset > out.size() - begin) throw new Error("Cannot read snappy: it copies what is not there");
    out.copy(offset, length);
  }
  if (out.size() - begin !== size) throw new Error(`Cannot read snappy: a block of ${out.size() - begin} bytes that says it has ${size}`);
}
