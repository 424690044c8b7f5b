import type { Growing } from "./growing.ts";

const MAGIC = 0x184d2204;
const HAS_SIZE = 0x08;
const HAS_BLOCK_CHECKSUMS = 0x10;
const HAS_DICTIONARY = 0x01;
const IS_PLAIN = 0x80000000;

/** The bytes of an LZ4 frame (https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md); Kafka checks its batches itself. */
export function unlz4(bytes: Uint8Array, out: Growing): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (view.getUint32(0, true) !== MAGIC) throw new Error("Cannot read LZ4: it is no frame");
  const flags = view.getUint8(4);
  if (flags & HAS_DICTIONARY) throw new Error("Cannot read LZ4 with a dictionary");
  for (let at = flags & HAS_SIZE ? 15 : 7; ; ) {
    const size = view.getUint32(at, true);
    if (size === 0) return;
    const length = size & ~IS_PLAIN;
    const block = bytes.subarray(at + 4, at + 4 + length);
    if (size >= IS_PLAIN) out.add(block);
    else unpack(block, out);
    at += 4 + length + (flags & HAS_BLOCK_CHECKSUMS ? 4 : 0);
  }
}

function unpack(block: Uint8Array, out: Growing): void {
  let at = 0;

  function lengthFrom(nibble: number): number {
    if (nibble < 15) return nibble;
    for (let length = nibble; ; ) {
      const byte = block[at++] ?? 0;
      length += byte;
      if (byte < 255) return length;
    }
  }

  while (at < block.length) {
    const token = block[at++] ?? 0;
    const literals = lengthFrom(token >> 4);
    out.add(block.subarray(at, at + literals));
    at += literals;
    // The last sequence has no copy.
    if (at >= block.length) return;
    const offset = (block[at++] ?? 0) + 256 * (block[at++] ?? 0);
    out.copy(offset, 4 + lengthFrom(token & 15));
  }
}
