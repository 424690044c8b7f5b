/** SHA-256 of `text` in hex. */
export async function sha256(text: string): Promise<string> {
  return hex(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

/** HMAC-SHA-256 under `key` (RFC 2104) in hex, for values that are only to be recognised by who has the key. */
export function hmacSha256(key: string): (text: string) => Promise<string> {
  let imported: Awaited<ReturnType<typeof crypto.subtle.importKey>> | undefined;
  return async (text) => {
    imported ??= await crypto.subtle.importKey("raw", new TextEncoder().encode(key), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    return hex(await crypto.subtle.sign("HMAC", imported, new TextEncoder().encode(text)));
  };
}

function hex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
