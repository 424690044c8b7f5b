import { fromBase64, toBase64 } from "./base64.ts";
import { isSameBytes } from "./constant-time.ts";
import { derive, type Cost } from "./derive.ts";

/** OWASP Password Storage: 600,000 iterations of PBKDF2-HMAC-SHA-256. */
export const PASSWORD_COST: Cost = { iterations: 600_000, rounds: 1 };

export type StoredHash = Cost & { salt: Uint8Array<ArrayBuffer>; key: Uint8Array };

const STORED = /^\$pbkdf2-sha256\$i=(\d{1,8}),r=(\d{1,2})\$([A-Za-z0-9+/=]+)\$([A-Za-z0-9+/=]+)$/;

/** `$pbkdf2-sha256$i=…,r=…$salt$key`: salted afresh, and with all that is needed to verify it later. */
export async function hashPassword(password: string, cost: Cost = PASSWORD_COST): Promise<string> {
  const salt = crypto.getRandomValues(new Uint8Array(16));
  const key = await derive(password, salt, cost);
  return `$pbkdf2-sha256$i=${cost.iterations},r=${cost.rounds}$${toBase64(salt)}$${toBase64(key)}`;
}

/** Whether `password` is what `stored` was made of. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const { salt, key, iterations, rounds } = parseHash(stored);
  return isSameBytes(await derive(password, salt, { iterations, rounds }), key);
}

/** The same work as a verification, for callers who must not learn by the time that there was nothing to verify. */
export async function verifyNothing(password: string, cost: Cost = PASSWORD_COST): Promise<false> {
  await derive(password, new Uint8Array(16), cost);
  return false;
}

export function parseHash(stored: string): StoredHash {
  const [, iterations, rounds, salt, key] = STORED.exec(stored) ?? [];
  if (!salt || !key) throw new Error("Cannot read a stored hash: its form is unknown");
  return { iterations: Number(iterations), rounds: Number(rounds), salt: fromBase64(salt), key: fromBase64(key) };
}
