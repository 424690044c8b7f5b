const SEED = 0x9747b28c;
const M = 0x5bd1e995;
const R = 24;

/** The partition that Kafka's own clients put a record with these key bytes in. */
export function partitionOf(key: Uint8Array, partitions: number): number {
  return (murmur2(key) & 0x7fffffff) % partitions;
}

/** MurmurHash2 as Kafka's clients have it (`Utils.murmur2`): a signed 32-bit number. */
export function murmur2(data: Uint8Array): number {
  const { length } = data;
  const view = new DataView(data.buffer, data.byteOffset, length);
  const whole = length - (length % 4);
  let hash = SEED ^ length;
  for (let at = 0; at < whole; at += 4) {
    let word = Math.imul(view.getInt32(at, true), M);
    word ^= word >>> R;
    hash = Math.imul(hash, M) ^ Math.imul(word, M);
  }
  if (length > whole) {
    for (let at = length - 1; at >= whole; at--) hash ^= (data[at] ?? 0) << (8 * (at - whole));
    hash = Math.imul(hash, M);
  }
  hash ^= hash >>> 13;
  hash = Math.imul(hash, M);
  return hash ^ (hash >>> 15);
}
