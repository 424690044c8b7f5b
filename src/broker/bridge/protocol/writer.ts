export type Writer = ReturnType<typeof writer>;

/** Writes the primitive types of Kafka's protocol. */
export function writer(size = 256) {
  let bytes = new Uint8Array(size);
  let view = new DataView(bytes.buffer);
  let at = 0;

  /** Makes room for `count` bytes, and answers where they go: ask before you use `bytes` or `view`, which may be others afterwards. */
  function room(count: number): number {
    if (at + count > bytes.length) {
      const larger = new Uint8Array(Math.max(2 * bytes.length, at + count));
      larger.set(bytes);
      bytes = larger;
      view = new DataView(bytes.buffer);
    }
    at += count;
    return at - count;
  }

  function byte(value: number): void {
    const place = room(1);
    view.setUint8(place, value);
  }

  const to = {
    int8: (value: number) => byte(value & 0xff),
    int16(value: number) {
      const place = room(2);
      view.setInt16(place, value);
    },
    int32(value: number) {
      const place = room(4);
      view.setInt32(place, value);
    },
    int64(value: number | bigint) {
      const place = room(8);
      view.setBigInt64(place, BigInt(value));
    },
    boolean: (value: boolean) => byte(value ? 1 : 0),
    raw(value: Uint8Array) {
      const place = room(value.length);
      bytes.set(value, place);
    },
    unsignedVarint(value: number) {
      let rest = value >>> 0;
      for (; rest > 0x7f; rest >>>= 7) byte((rest & 0x7f) | 0x80);
      byte(rest);
    },
    /** Zigzag, of 32 bits. */
    varint: (value: number) => to.unsignedVarint((value << 1) ^ (value >> 31)),
    /** Zigzag, of 64 bits. */
    varlong(value: number) {
      let rest = BigInt.asUintN(64, (BigInt(value) << 1n) ^ (BigInt(value) >> 63n));
      for (; rest > 0x7fn; rest >>= 7n) byte(Number(rest & 0x7fn) | 0x80);
      byte(Number(rest));
    },
    string(text: string | null) {
      const encoded = text === null ? undefined : new TextEncoder().encode(text);
      to.int16(encoded?.length ?? -1);
      if (encoded) to.raw(encoded);
    },
    compactString(text: string | null) {
      const encoded = text === null ? undefined : new TextEncoder().encode(text);
      to.unsignedVarint(encoded ? encoded.length + 1 : 0);
      if (encoded) to.raw(encoded);
    },
    bytes(value: Uint8Array) {
      to.int32(value.length);
      to.raw(value);
    },
    /** With a length that is a zigzag number, as within records; -1 where there is nothing. */
    varBytes(value: Uint8Array | null) {
      to.varint(value?.length ?? -1);
      if (value) to.raw(value);
    },
    array<Item>(items: readonly Item[], write: (item: Item) => void) {
      to.int32(items.length);
      for (const item of items) write(item);
    },
    compactArray<Item>(items: readonly Item[], write: (item: Item) => void) {
      to.unsignedVarint(items.length + 1);
      for (const item of items) write(item);
    },
    /** None: what flexible versions end a structure with. */
    tags: () => to.unsignedVarint(0),
    done: () => bytes.subarray(0, at),
  };
  return to;
}
