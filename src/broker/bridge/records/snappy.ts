/** What snappy-java writes before its blocks, each of which comes with its length in four bytes. */
const STREAM = [0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00];
const STREAM_HEADER = 16;

/** The bytes of a snappy stream as Kafka's Java client writes it, or of one block as others do. */
export function unsnappy(bytes: Uint8Array, max: number): Uint8Array {
  if (!STREAM.every((byte, index) => bytes[index] === byte)) return block(bytes, max);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const parts: Uint8Array[] = [];
  let size = 0;
  for (let at = STREAM_HEADER; at < bytes.length; ) {
    const length = view.getInt32(at);
    if (length <= 0 || at + 4 + length > bytes.length) throw new Error(`Cannot read snappy: a block of ${length} bytes`);
    const part = block(bytes.subarray(at + 4, at + 4 + length), max - size);
    parts.push(part);
    size += part.length;
    at += 4 + length;
  }
  const whole = new Uint8Array(size);
  let end = 0;
  for (const part of parts) {
    whole.set(part, end);
    end += part.length;
  }
  return whole;
}

/** https://github.com/google/snappy/blob/main/format_description.txt */
function block(bytes: Uint8Array, max: number): Uint8Array {
  let at = 0;
  let size = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++] ?? 0;
    size += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) break;
  }
  if (size > max) throw new Error(`Cannot read a batch of more than ${max} bytes`);
  const out = new Uint8Array(size);
  let end = 0;

  function little(count: number): number {
    let value = 0;
    for (let index = 0; index < count; index++) value += (bytes[at++] ?? 0) * 2 ** (8 * index);
    return value;
  }

  while (at < bytes.length) {
    const tag = bytes[at++] ?? 0;
    const kind = tag & 3;
    if (kind === 0) {
      const short = tag >> 2;
      const length = 1 + (short < 60 ? short : little(short - 59));
      out.set(bytes.subarray(at, at + length), end);
      at += length;
      end += length;
      continue;
    }
    const length = kind === 1 ? 4 + ((tag >> 2) & 7) : 1 + (tag >> 2);
    const offset = kind === 1 ? (tag >> 5) * 256 + little(1) : little(kind === 2 ? 2 : 4);
    if (offset === 0 || offset > end || end + length > size) throw new Error("Cannot read snappy: it copies what is not there");
    // Byte by byte: what is copied may reach into its own copy.
    for (const last = end + length; end < last; end++) out[end] = out[end - offset] ?? 0;
  }
  return out;
}
