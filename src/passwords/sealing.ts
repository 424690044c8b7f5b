import { base64url } from "jose";

export type Sealing = {
  /** Encrypts `text` so that it opens only with the same `context`. */
  seal: (text: string, context: string) => Promise<string>;
  /** Throws when the sealed text was altered, stood somewhere else, or was sealed with another key. */
  open: (sealed: string, context: string) => Promise<string>;
};

const IV_BYTES = 12;

/** AES-256-GCM under a key that is derived from `key`, 32 bytes in base64url, for one purpose (RFC 5869). */
export function sealing(key: string, { purpose, randomBytes }: { purpose: string; randomBytes: (length: number) => Uint8Array }): Sealing {
  let derived: Awaited<ReturnType<typeof derive>> | undefined;
  // The key is kept and not the promise of it: on Workers one request may not wait for what another began.
  const keyOf = async () => (derived ??= await derive(key, purpose));

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

async function derive(key: string, purpose: string) {
  const root = await crypto.subtle.importKey("raw", Uint8Array.from(base64url.decode(key)), "HKDF", false, ["deriveKey"]);
  const parameters = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: utf8(`gatehouse ${purpose}`) };
  return crypto.subtle.deriveKey(parameters, root, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
