/** Castagnoli's polynomial, reflected. */
const POLYNOMIAL = 0x82f63b78;

const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
  return value;
});

/** The CRC-32C of `bytes` as a signed 32-bit number. */
export function crc32c(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) crc = (TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return ~crc;
}
