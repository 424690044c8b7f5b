import { isSameSecret } from "../passwords/constant-time.ts";

export type BasicCredential = { username: string; password: string };

/** Judges an `Authorization` header by one credential (RFC 7617, UTF-8), in a time that tells nothing of it. */
export function basicVerifier({ username, password }: BasicCredential): (header: string | undefined) => Promise<boolean> {
  const bytes = new TextEncoder().encode(`${username}:${password}`);
  const expected = btoa(String.fromCharCode(...bytes));
  return (header = "") => {
    const [, given = ""] = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(header) ?? [];
    return isSameSecret(given, expected);
  };
}
