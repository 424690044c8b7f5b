export type Growing = ReturnType<typeof growing>;

const FIRST_BYTES = 64 * 1024;

/** Bytes that come to be one after another, at most `max` of them: throws where there would be more, and keeps what there is. */
export function growing(max: number) {
  let bytes = new Uint8Array(FIRST_BYTES);
  let end = 0;

  function room(count: number): void {
    if (end + count > max) throw new Error(`Cannot unpack more than ${max} bytes`);
    if (end + count <= bytes.length) return;
    const larger = new Uint8Array(Math.min(max, Math.max(2 * bytes.length, end + count)));
    larger.set(bytes.subarray(0, end));
    bytes = larger;
  }

  return {
    size: () => end,
    add(part: Uint8Array) {
      room(part.length);
      bytes.set(part, end);
      end += part.length;
    },
    /** What stands `offset` bytes before the end, once more. */
    copy(offset: number, length: number) {
      if (offset === 0 || offset > end) throw new Error("Cannot unpack: it copies what is not there");
      room(length);
      // Byte by byte: what is copied may reach into its own copy.
      for (const last = end + length; end < last; end++) bytes[end] = bytes[end - offset] ?? 0;
    },
    done: () => bytes.subarray(0, end),
  };
}
