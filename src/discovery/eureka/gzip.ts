/** Compresses documents; of those with a name, the last few are kept. */
export function gzipped(): (text: string, name?: string) => Promise<Uint8Array<ArrayBuffer>> {
  const kept = new Map<string, Uint8Array<ArrayBuffer>>();
  return async (text, name) => {
    const known = name === undefined ? undefined : kept.get(name);
    if (known) return known;
    const stream = new Response(text).body!.pipeThrough(new CompressionStream("gzip"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    if (name !== undefined) {
      kept.set(name, bytes);
      const [oldest] = kept.keys();
      if (kept.size > MAX_KEPT) kept.delete(oldest!);
    }
    return bytes;
  };
}

/** One for each form of the list. */
const MAX_KEPT = 4;
