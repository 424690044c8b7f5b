import { readBounded } from "../../../http/bounded.ts";
import { unlz4 } from "./lz4.ts";
import { unsnappy } from "./snappy.ts";

/** The bytes of a batch's records, by the batch's compression codec; throws where it cannot. */
export type Decompress = (codec: number, bytes: Uint8Array) => Promise<Uint8Array>;

/** By the codec's name: `max` is how many bytes it may come to. */
export type Decompressors = Record<string, (bytes: Uint8Array, max: number) => Uint8Array>;

/** By their codes: only what other producers compressed, or a topic's `compression.type`, is compressed. */
const NAMES = ["none", "gzip", "snappy", "lz4", "zstd"];
/** Of one batch: a megabyte of zeros is a kilobyte, and somebody may mean it. */
const MAX_BYTES = 32 * 1024 * 1024;

/** What neither the Web nor we can, `others` may. */
export function decompression(others: Decompressors): Decompress {
  return async (codec, bytes) => {
    const name = NAMES[codec] ?? String(codec);
    if (name === "none") return bytes;
    if (name === "gzip") return gunzip(bytes);
    const decompress = { snappy: unsnappy, lz4: unlz4, ...others }[name];
    if (!decompress) throw new Error(`Cannot read records that are compressed by "${name}"`);
    return decompress(bytes, MAX_BYTES);
  };
}

async function gunzip(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream("gzip"));
  const whole = await readBounded(stream, MAX_BYTES);
  if (!whole) throw new Error(`Cannot read a batch of more than ${MAX_BYTES} bytes`);
  return whole;
}
