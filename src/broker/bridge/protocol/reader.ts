export type Reader = ReturnType<typeof reader>;

/** Reads the primitive types of Kafka's protocol; throws a RangeError beyond the end. */
export function reader(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;

  function step(count: number): number {
    if (count < 0 || at + count > bytes.length) throw new RangeError(`Cannot read ${count} bytes: ${bytes.length - at} are left`);
    at += count;
    return at - count;
  }

  const from = {
    int8: () => view.getInt8(step(1)),
    int16: () => view.getInt16(step(2)),
    int32: () => view.getInt32(step(4)),
    /** Offsets and times stay below 2^53. */
    int64: () => Number(view.getBigInt64(step(8))),
    /** Ids, which may be of any size. */
    bigint64: () => view.getBigInt64(step(8)),
    boolean: () => view.getInt8(step(1)) !== 0,
    raw(count: number) {
      const begin = step(count);
      return bytes.subarray(begin, begin + count);
    },
    unsignedVarint(): number {
      let value = 0;
      for (let shift = 0; shift < 35; shift += 7) {
        const byte = view.getUint8(step(1));
        value |= (byte & 0x7f) << shift;
        if (byte < 0x80) return value >>> 0;
      }
      throw new RangeError("Cannot read a number: it has no end");
    },
    varint(): number {
      const value = from.unsignedVarint();
      return (value >>> 1) ^ -(value & 1);
    },
    varlong(): number {
      let small = 0;
      for (let scale = 1; scale < 2 ** 49; scale *= 128) {
        const byte = view.getUint8(step(1));
        small += (byte & 0x7f) * scale;
        if (byte < 0x80) return small % 2 === 0 ? small / 2 : -(small + 1) / 2;
      }
      let value = BigInt(small);
      for (let shift = 49n; shift < 70n; shift += 7n) {
        const byte = view.getUint8(step(1));
        value |= BigInt(byte & 0x7f) << shift;
        if (byte < 0x80) return Number(BigInt.asIntN(64, (value >> 1n) ^ -(value & 1n)));
      }
      throw new RangeError("Cannot read a number: it has no end");
    },
    string(): string | null {
      const length = from.int16();
      return length < 0 ? null : new TextDecoder().decode(from.raw(length));
    },
    compactString(): string | null {
      const length = from.unsignedVarint();
      return length === 0 ? null : new TextDecoder().decode(from.raw(length - 1));
    },
    /** Empty where there are none. */
    bytes(): Uint8Array {
      return from.raw(Math.max(0, from.int32()));
    },
    varBytes(): Uint8Array | null {
      const length = from.varint();
      return length < 0 ? null : from.raw(length);
    },
    array<Item>(read: () => Item): Item[] {
      return items(from.int32(), read);
    },
    compactArray<Item>(read: () => Item): Item[] {
      return items(from.unsignedVarint() - 1, read);
    },
    tags() {
      for (let count = from.unsignedVarint(); count > 0; count--) {
        from.unsignedVarint();
        from.raw(from.unsignedVarint());
      }
    },
    left: () => bytes.length - at,
  };

  function items<Item>(count: number, read: () => Item): Item[] {
    const found: Item[] = [];
    for (let index = 0; index < count; index++) found.push(read());
    return found;
  }

  return from;
}
