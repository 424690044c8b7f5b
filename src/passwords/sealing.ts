import { base64url } from "jose";

export type Sealing = {
  /** Encrypts `text` so that it opens only with the same `context`. */
  seal: (text: string, context: string) => Promise<string>;
  /** Throws when the sealed text was altered, stood somewhere else, or was sealed with another key. */
  open: (sealed: string, context: string) => Promise<string>;
};

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

type Derivation = { purpose: string; algorithm: { name: string; length: number; hash?: string }; usages: ("encrypt" | "decrypt" | "sign")[] };

const IV_BYTES = 12;
const KEY_BYTES = 32;

/** AES-256-GCM under a key that is derived from `key`, 32 bytes in base64url, for one purpose (RFC 5869). */
export function sealing(key: string, { purpose, randomBytes }: { purpose: string; randomBytes: (length: number) => Uint8Array }): Sealing {
  const keyOf = derivedKey(key, { purpose, algorithm: { name: "AES-GCM", length: 256 }, usages: ["encrypt", "decrypt"] });

  return {
    async seal(text, context) {
      const iv = Uint8Array.from(randomBytes(IV_BYTES));
      const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData: utf8(context) }, await keyOf(), utf8(text));
      return `${base64url.encode(iv)}.${base64url.encode(new Uint8Array(sealed))}`;
    },
    async open(sealed, context) {
      const [iv = "", content = ""] = sealed.split(".");
      const opening = await keyOf();
      try {
        const parameters = { name: "AES-GCM", iv: Uint8Array.from(base64url.decode(iv)), additionalData: utf8(context) };
        return new TextDecoder().decode(await crypto.subtle.decrypt(parameters, opening, Uint8Array.from(base64url.decode(content))));
      } catch {
        throw new Error("Cannot open a sealed value: it was altered, moved, or sealed with another key");
      }
    },
  };
}

/**
 * A key for one purpose, derived from `key`, 32 bytes in base64url, when it is first asked for (RFC 5869). The key is kept and
 * not the promise of it: on Workers one request may not wait for what another began.
 */
export function derivedKey(key: string, { purpose, algorithm, usages }: Derivation): () => Promise<Key> {
  let derived: Key | undefined;
  const parameters = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: utf8(`gatehouse ${purpose}`) };
  return async () => (derived ??= await crypto.subtle.deriveKey(parameters, await rootKey(key), algorithm, false, usages));
}

async function rootKey(key: string): Promise<Key> {
  const bytes = /^[\w-]{43}=?$/.test(key) ? Uint8Array.from(base64url.decode(key)) : new Uint8Array();
  if (bytes.byteLength !== KEY_BYTES) throw new Error(`Cannot use the installation key: it is not ${KEY_BYTES} bytes in base64url`);
  return crypto.subtle.importKey("raw", bytes, "HKDF", false, ["deriveKey"]);
}

export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
