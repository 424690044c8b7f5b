/** Compresses documents by their name; the last few are kept. */
export function gzipped(): (name: string, text: string) => Promise<Uint8Array<ArrayBuffer>> {
  const kept = new Map<string, Uint8Array<ArrayBuffer>>();
  return async (name, text) => {
    const known = kept.get(name);
    if (known) return known;
    const stream = new Response(text).body!.pipeThrough(new CompressionStream("gzip"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    kept.set(name, bytes);
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT) kept.delete(oldest!);
    return bytes;
  };
}

/** One for each form of the list. */
const MAX_KEPT = 4;
