const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/**
 * `USR` and 26 characters of upper-case Crockford base32: 48 bits of time in milliseconds and 80 of randomness,
 * laid out as in a ULID, so that ids sort by the time they were made.
 */
export function newUserId(now: number, random: Uint8Array<ArrayBuffer>): string {
  let bits = BigInt(now);
  for (const byte of random.subarray(0, 10)) bits = (bits << 8n) | BigInt(byte);
  let id = "";
  for (let index = 0; index < 26; index++, bits >>= 5n) id = CROCKFORD[Number(bits & 31n)] + id;
  return `USR${id}`;
}
