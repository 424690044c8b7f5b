import { base64url } from "jose";
import { derivedKey, type Sealing, sealing, utf8 } from "../../passwords/sealing.ts";

export type RandomBytes = (length: number) => Uint8Array;

/** What only who has the installation key can do. Every purpose has a key of its own, derived from that one (RFC 5869). */
export type Keys = Sealing & {
  /** A keyed hash (RFC 2104): recognises a credential without holding it. */
  recognise: (purpose: "token" | "secret-id" | "installation", text: string) => Promise<string>;
};

export function installationKeys(key: string, randomBytes: RandomBytes): Keys {
  const hashing = { token: hashingKey(key, "token"), "secret-id": hashingKey(key, "secret-id"), installation: hashingKey(key, "installation") };
  return {
    ...sealing(key, { purpose: purposeOf("sealing"), randomBytes }),
    async recognise(purpose, text) {
      return base64url.encode(new Uint8Array(await crypto.subtle.sign("HMAC", await hashing[purpose](), utf8(text))));
    },
  };
}

function hashingKey(key: string, purpose: string) {
  return derivedKey(key, { purpose: purposeOf(purpose), algorithm: { name: "HMAC", hash: "SHA-256", length: 256 }, usages: ["sign"] });
}

function purposeOf(name: string): string {
  return `secrets: ${name}`;
}
