import { compactVerify, decodeProtectedHeader } from "jose";
import type { Realm } from "../realm.ts";

/** The claims of a token that this realm signed. */
export type TokenClaims = {
  typ: "Bearer" | "ID" | "Refresh";
  jti: string;
  iss: string;
  sub: string;
  azp: string;
  iat: number;
  exp: number;
  /** Absent from a service account's. */
  sid?: string;
  scope?: string;
  reuse_id?: string;
  aud?: string | string[];
  [claim: string]: unknown;
};

/** The claims of `token` when this realm signed it; whether they still hold is for the caller to ask. */
export async function readToken(realm: Realm, token: string): Promise<TokenClaims | undefined> {
  const keys = await realm.keys();
  try {
    const { kid, alg } = decodeProtectedHeader(token);
    const isRefresh = alg === "HS512" && kid === keys.refreshKid;
    if (!isRefresh && kid !== keys.kid) return undefined;
    const { payload } = isRefresh
      ? await compactVerify(token, keys.refreshSecret, { algorithms: ["HS512"] })
      : await compactVerify(token, keys.publicKey, { algorithms: ["RS256"] });
    return JSON.parse(new TextDecoder().decode(payload)) as TokenClaims;
  } catch {
    return undefined;
  }
}

export function isExpired(token: TokenClaims, now: number): boolean {
  return token.exp * 1000 <= now;
}

export function audiences({ aud }: Pick<TokenClaims, "aud">): string[] {
  return typeof aud === "string" ? [aud] : (aud ?? []);
}
