import { type Growing, growing } from "./growing.ts";
import { unlz4 } from "./lz4.ts";
import { unsnappy } from "./snappy.ts";

/** As much of a batch's records as could be unpacked; with `fault`, that is not all, or was followed by something else. */
export type Unpacked = { bytes: Uint8Array; fault?: unknown };

/** By the batch's compression codec; throws for one that this runtime does not have. */
export type Decompress = (codec: number, bytes: Uint8Array) => Promise<Unpacked>;

/** By the codec's name. */
export type Decompressors = Record<string, (bytes: Uint8Array) => AsyncIterable<Uint8Array>>;

/** By their codes: only what other producers compressed, or a topic's `compression.type`, is compressed. */
const NAMES = ["none", "gzip", "snappy", "lz4", "zstd"];
/** Of one batch: a megabyte of zeros is a kilobyte, and somebody may mean it. */
const MAX_BYTES = 32 * 1024 * 1024;
/** At best gzip makes four megabytes of them. */
const SLICE_BYTES = 4096;

/** What neither the Web nor we can, `others` may. One batch is unpacked at a time: nobody sees from without how large it becomes. */
export function decompression(others: Decompressors): Decompress {
  let before: Promise<unknown> = Promise.resolve();
  return async (codec, bytes) => {
    const name = NAMES[codec] ?? String(codec);
    if (name === "none") return { bytes };
    const unpack = { gzip: inParts(gunzip), snappy: unsnappy, lz4: unlz4 }[name] ?? (others[name] && inParts(others[name]));
    if (!unpack) throw new Error(`Cannot read records that are compressed by "${name}"`);
    const unpacked = before.then(() => unpackedBy(unpack, bytes));
    before = unpacked.then(() => {});
    return unpacked;
  };
}

type Unpack = (bytes: Uint8Array, out: Growing) => void | Promise<void>;

async function unpackedBy(unpack: Unpack, bytes: Uint8Array): Promise<Unpacked> {
  const out = growing(MAX_BYTES);
  try {
    await unpack(bytes, out);
    return { bytes: out.done() };
  } catch (fault) {
    return { bytes: out.done(), fault };
  }
}

function inParts(parts: (bytes: Uint8Array) => AsyncIterable<Uint8Array>): Unpack {
  return async (bytes, out) => {
    for await (const part of parts(bytes)) out.add(part);
  };
}

async function* gunzip(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const reader = inSlices(bytes).pipeThrough(new DecompressionStream("gzip")).getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** Deno unpacks in one go all that it is given in one go. */
function inSlices(bytes: Uint8Array): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, (at += SLICE_BYTES)));
    },
  });
}
