import { toBase64 } from "../passwords/base64.ts";
import { isSameSecret } from "../passwords/constant-time.ts";

export type BasicCredential = { username: string; password: string };

/** The `Authorization` header of a credential (RFC 7617, UTF-8). */
export function basicAuthorization(credential: BasicCredential): string {
  return `Basic ${encoded(credential)}`;
}

/** Judges an `Authorization` header by one credential, in a time that tells nothing of it. */
export function basicVerifier(credential: BasicCredential): (header: string | undefined) => Promise<boolean> {
  const expected = encoded(credential);
  return (header = "") => {
    const [, given = ""] = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(header) ?? [];
    return isSameSecret(given, expected);
  };
}

function encoded({ username, password }: BasicCredential): string {
  return toBase64(new TextEncoder().encode(`${username}:${password}`));
}
