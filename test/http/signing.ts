import { base64url, type CryptoKey, importJWK, type JWK, type JWTPayload } from "jose";
import type { TestPlatform } from "../platform.ts";

const ISSUER = "http://identity.test/realms/platform";

export type Signer = Awaited<ReturnType<typeof signer>>;

/** Signs whatever it is given with the identity provider's own key, as an attacker could only dream of. */
export async function signer({ database, clock }: Pick<TestPlatform, "database" | "clock">) {
  const [row] = await database.query("SELECT kid, private_key, refresh_kid FROM identity.keys");
  const { kid, private_key, refresh_kid } = row as { kid: string; private_key: string; refresh_kid: string };
  const privateJwk = JSON.parse(private_key) as JWK;

  /** The claims of a good access token with `overrides`; undefined leaves one out. */
  function claims(overrides: Record<string, unknown> = {}): JWTPayload {
    const iat = Math.floor(clock.now() / 1000);
    return { iss: ISSUER, sub: crypto.randomUUID(), typ: "Bearer", azp: "auth-service", iat, exp: iat + 300, realm_access: { roles: ["ADMIN", "INTERNAL_SERVICE"] }, ...overrides };
  }

  /** A compact token of exactly this header and payload. */
  async function sign(payload: object | string, header: Record<string, unknown> = {}): Promise<string> {
    const full = { alg: "RS256", typ: "JWT", kid, ...header };
    return signedWith((await importJWK(privateJwk, String(full.alg))) as CryptoKey, { header: full, payload });
  }

  return { kid, refreshKid: refresh_kid, publicJwk: { kty: "RSA", n: privateJwk.n, e: privateJwk.e } as JWK, claims, sign, good: (overrides?: Record<string, unknown>) => sign(claims(overrides)) };
}

export async function signedWith(key: CryptoKey, { header, payload }: { header: object; payload: object | string }): Promise<string> {
  const text = `${encoded(header)}.${encoded(payload)}`;
  const { algorithm } = key;
  const how = algorithm.name === "ECDSA" ? { name: "ECDSA", hash: "SHA-256" } : algorithm.name === "RSA-PSS" ? { name: "RSA-PSS", saltLength: 32 } : algorithm.name;
  const signature = await crypto.subtle.sign(how, key, new TextEncoder().encode(text));
  return `${text}.${base64url.encode(new Uint8Array(signature))}`;
}

export function encoded(part: object | string): string {
  return base64url.encode(typeof part === "string" ? part : JSON.stringify(part));
}

/** HS256 under whatever bytes. */
export async function macced(secret: Uint8Array<ArrayBuffer> | string, parts: { header: object; payload: object }): Promise<string> {
  const bytes = typeof secret === "string" ? new TextEncoder().encode(secret) : secret;
  return signedWith(await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]), parts);
}
