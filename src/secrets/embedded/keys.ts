import { base64url } from "jose";

export type RandomBytes = (length: number) => Uint8Array;

/** What only who has the installation key can do. Every purpose has a key of its own, derived from that one (RFC 5869). */
export type Keys = {
  /** Encrypts `text` so that it opens only with the same `context`. */
  seal: (text: string, context: string) => Promise<string>;
  /** Throws when the sealed text was altered, stood somewhere else, or was sealed with another key. */
  open: (sealed: string, context: string) => Promise<string>;
  /** A keyed hash (RFC 2104): recognises a credential without holding it. */
  recognise: (purpose: "token" | "secret-id" | "installation", text: string) => Promise<string>;
};

const IV_BYTES = 12;
const KEY_BYTES = 32;

export function installationKeys(key: string, randomBytes: RandomBytes): Keys {
  const root = memo(() => importRoot(key));
  const sealing = memo(async () => derive(await root(), "sealing", { name: "AES-GCM", length: 256 }, ["encrypt", "decrypt"]));
  const hashing = {
    token: memo(async () => hashingKey(await root(), "token")),
    "secret-id": memo(async () => hashingKey(await root(), "secret-id")),
    installation: memo(async () => hashingKey(await root(), "installation")),
  };

  return {
    async seal(text, context) {
      const iv = Uint8Array.from(randomBytes(IV_BYTES));
      const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData: utf8(context) }, await sealing(), utf8(text)));
      return `${base64url.encode(iv)}.${base64url.encode(sealed)}`;
    },
    async open(sealed, context) {
      const [iv = "", content = ""] = sealed.split(".");
      try {
        const parameters = { name: "AES-GCM", iv: Uint8Array.from(base64url.decode(iv)), additionalData: utf8(context) };
        return new TextDecoder().decode(await crypto.subtle.decrypt(parameters, await sealing(), Uint8Array.from(base64url.decode(content))));
      } catch {
        throw new Error("Cannot open a sealed value: it was altered, moved, or sealed with another key");
      }
    },
    async recognise(purpose, text) {
      return base64url.encode(new Uint8Array(await crypto.subtle.sign("HMAC", await hashing[purpose](), utf8(text))));
    },
  };
}

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;
type Usage = "encrypt" | "decrypt" | "sign";

async function importRoot(key: string): Promise<Key> {
  const bytes = /^[\w-]{43}=?$/.test(key) ? Uint8Array.from(base64url.decode(key)) : new Uint8Array();
  if (bytes.byteLength !== KEY_BYTES) throw new Error(`Cannot use the installation key: it is not ${KEY_BYTES} bytes in base64url`);
  return crypto.subtle.importKey("raw", bytes, "HKDF", false, ["deriveKey"]);
}

function derive(root: Key, purpose: string, algorithm: { name: string; length: number; hash?: string }, usages: Usage[]): Promise<Key> {
  const info = utf8(`gatehouse secrets: ${purpose}`);
  return crypto.subtle.deriveKey({ name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info }, root, algorithm, false, usages);
}

function hashingKey(root: Key, purpose: string): Promise<Key> {
  return derive(root, purpose, { name: "HMAC", hash: "SHA-256", length: 256 }, ["sign"]);
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** Keeps what was made and not the promise of it: on Workers one request may not wait for what another began. */
function memo<T>(make: () => Promise<T>): () => Promise<T> {
  let made: T | undefined;
  return async () => (made ??= await make());
}
