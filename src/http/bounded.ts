/** The bytes of `stream`, or undefined as soon as they are more than `max`. */
export async function readBounded(stream: ReadableStream<Uint8Array> | null, max: number): Promise<Uint8Array | undefined> {
  const reader = stream?.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    size += part.value.byteLength;
    if (size > max) {
      await reader?.cancel();
      return undefined;
    }
    parts.push(part.value);
  }
  if (parts.length === 1) return parts[0];
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.byteLength;
  }
  return bytes;
}
