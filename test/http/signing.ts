import { base64url, type CryptoKey, decodeProtectedHeader, importJWK, type JWK, type JWTPayload } from "jose";
import { ADMIN, type TestPlatform } from "../platform.ts";

export type Signer = Awaited<ReturnType<typeof signer>>;

/** Signs whatever it is given with the identity provider's own key, as an attacker could only dream of. */
export async function signer({ identity, issuer, signingKey, clock }: Pick<TestPlatform, "identity" | "issuer" | "signingKey" | "clock">) {
  const privateJwk = await signingKey();
  const form = { grant_type: "password", client_id: "auth-service", client_secret: "secret-of-auth-service", ...ADMIN };
  const granted = await identity(new Request(`${issuer}/protocol/openid-connect/token`, { method: "POST", body: new URLSearchParams(form) }));
  const { access_token, refresh_token } = (await granted.json()) as Record<"access_token" | "refresh_token", string>;
  const { kid = "" } = decodeProtectedHeader(access_token);

  /** The claims of a good access token with `overrides`; undefined leaves one out. */
  function claims(overrides: Record<string, unknown> = {}): JWTPayload {
    const iat = Math.floor(clock.now() / 1000);
    return { iss: issuer, sub: crypto.randomUUID(), typ: "Bearer", azp: "auth-service", iat, exp: iat + 300, realm_access: { roles: ["ADMIN", "INTERNAL_SERVICE"] }, ...overrides };
  }

  /** A compact token of exactly this header and payload. */
  async function sign(payload: object | string, header: Record<string, unknown> = {}): Promise<string> {
    const full = { alg: "RS256", typ: "JWT", kid, ...header };
    return signedWith((await importJWK(privateJwk, String(full.alg))) as CryptoKey, { header: full, payload });
  }

  return { kid, refreshKid: decodeProtectedHeader(refresh_token).kid, publicJwk: { kty: "RSA", n: privateJwk.n, e: privateJwk.e } as JWK, claims, sign, good: (overrides?: Record<string, unknown>) => sign(claims(overrides)) };
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
