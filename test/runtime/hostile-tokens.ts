import { base64url, exportJWK, exportSPKI, generateKeyPair, importJWK, type JWK, SignJWT } from "jose";

type Given = { refresh: string; keys: { keys: JWK[] } };

/** Tokens that are almost the valid one, by what is wrong with them. */
export async function hostileTokens(valid: string, { refresh, keys }: Given): Promise<Record<string, string>> {
  const [header = "", payload = "", signature = ""] = valid.split(".");
  const kid = (decode(header) as { kid: string }).kid;
  const claims = decode(payload) as Record<string, unknown>;
  const stranger = await generateKeyPair("RS256", { extractable: true });
  const published = keys.keys.find((key) => key.kid === kid)!;
  const publicKey = (await importJWK(published, "RS256")) as Parameters<typeof exportSPKI>[0];
  const signed = (extra: Record<string, unknown>, change: Record<string, unknown> = {}) =>
    new SignJWT({ ...claims, ...change }).setProtectedHeader({ alg: "RS256", typ: "JWT", kid, ...extra }).sign(stranger.privateKey);
  const hmac = new SignJWT(claims).setProtectedHeader({ alg: "HS256", typ: "JWT", kid });
  return {
    "alg none": `${encode({ alg: "none", typ: "JWT", kid })}.${payload}.`,
    "alg HS256 with the public key": await hmac.sign(new TextEncoder().encode(await exportSPKI(publicKey))),
    "a stranger's key under our key id": await signed({}),
    "an unknown key id": await signed({ kid: "unknown" }),
    "an embedded key": await signed({ jwk: await exportJWK(stranger.publicKey) }),
    "a key's URL": await signed({ jku: "http://127.0.0.1:9/keys" }),
    "other claims under the old signature": `${header}.${encode({ ...claims, realm_access: { roles: ["ADMIN"] }, sub: "other" })}.${signature}`,
    "the signature cut off": `${header}.${payload}.`,
    "the signature changed": `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
    "a refresh token": refresh,
    "more than 8 KB": `${header}.${encode({ ...claims, pad: "a".repeat(9000) })}.${signature}`,
    "no JWT at all": "abc",
  };
}

function decode(part: string): unknown {
  return JSON.parse(new TextDecoder().decode(base64url.decode(part)));
}

function encode(value: unknown): string {
  return base64url.encode(JSON.stringify(value));
}
