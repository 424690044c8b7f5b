export type Cost = {
  /** Of one PBKDF2 call. */
  iterations: number;
  /** Calls in a chain, each keyed by the outcome of the one before. */
  rounds: number;
};

const KEY_BITS = 256;

/** PBKDF2 with HMAC-SHA-256 (RFC 8018), 32 bytes: longer keys cost the defender twice and a guesser nothing. */
export async function derive(secret: string, salt: Uint8Array<ArrayBuffer>, { iterations, rounds }: Cost): Promise<Uint8Array> {
  let key = new TextEncoder().encode(secret);
  for (let round = 0; round < rounds; round++) {
    const base = await crypto.subtle.importKey("raw", key, "PBKDF2", false, ["deriveBits"]);
    key = new Uint8Array(await crypto.subtle.deriveBits({ name: "PBKDF2", hash: "SHA-256", salt, iterations }, base, KEY_BITS));
  }
  return key;
}
