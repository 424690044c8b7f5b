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
  return joined(parts);
}

/** The bytes of all `parts`, one after another. */
export function joined(parts: Uint8Array[]): Uint8Array {
  const [first] = parts;
  if (first && parts.length === 1) return first;
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}
