import { base64url, SignJWT, type JWTPayload } from "jose";
import type { Realm } from "../realm.ts";
import { ACCESS_TOKEN_MS, sessionEnd } from "../sessions/lifetimes.ts";
import { audience, originClaims, profileClaims, roleClaims, type Grantee } from "./claims.ts";

/** What Keycloak writes in front of a token's id: how it was granted. */
type GrantMark = "onrtro" | "onrtrt" | "trrtcc";

export type Issue = Grantee & { scope: string; mark: GrantMark };
export type OpenSession = { id: string; refreshId: string; reuseId: string; started: number; lastAccess: number };

/** The body of a successful token response for a user with a session (RFC 6749, section 5.1). */
export async function issueUserTokens(realm: Realm, issue: Issue, session: OpenSession) {
  const end = sessionEnd(session);
  const lifetime = Math.min(ACCESS_TOKEN_MS, end - session.lastAccess);
  const at = { iat: seconds(session.lastAccess), exp: seconds(session.lastAccess + lifetime), iss: realm.issuer, sub: issue.user.id };
  const bound = { azp: issue.client.clientId, sid: session.id };
  const access = await signed(realm, accessClaims(issue, { ...at, ...bound }));
  return {
    access_token: access,
    expires_in: at.exp - at.iat,
    refresh_expires_in: seconds(end) - at.iat,
    refresh_token: await signedRefresh(realm, {
      ...at,
      ...bound,
      exp: seconds(end),
      jti: session.refreshId,
      aud: realm.issuer,
      typ: "Refresh",
      scope: issue.scope,
      reuse_id: session.reuseId,
    }),
    token_type: "Bearer",
    ...(hasOpenid(issue.scope) && { id_token: await signed(realm, await idClaims(issue, { ...at, ...bound }, access)) }),
    "not-before-policy": 0,
    session_state: session.id,
    scope: issue.scope,
  };
}

/** The body of a successful token response for a client itself (RFC 6749, section 4.4.3). */
export async function issueClientToken(realm: Realm, issue: Issue) {
  const now = realm.now();
  const at = { iat: seconds(now), exp: seconds(now + ACCESS_TOKEN_MS), iss: realm.issuer, sub: issue.user.id, azp: issue.client.clientId };
  const claims = { ...at, client_id: issue.client.clientId };
  const access = await signed(realm, accessClaims(issue, claims));
  return {
    access_token: access,
    expires_in: at.exp - at.iat,
    refresh_expires_in: 0,
    token_type: "Bearer",
    ...(hasOpenid(issue.scope) && { id_token: await signed(realm, await idClaims(issue, claims, access)) }),
    "not-before-policy": 0,
    scope: issue.scope,
  };
}

export function hasOpenid(scope: string): boolean {
  return scope.split(" ").includes("openid");
}

function accessClaims(issue: Issue, claims: JWTPayload): JWTPayload {
  return {
    ...claims,
    jti: `${issue.mark}:${crypto.randomUUID()}`,
    aud: audience(issue),
    typ: "Bearer",
    acr: "1",
    ...originClaims(issue.client),
    ...roleClaims(issue.roles),
    scope: issue.scope,
    ...profileClaims(issue.user),
  };
}

async function idClaims(issue: Issue, claims: JWTPayload, accessToken: string): Promise<JWTPayload> {
  return {
    ...claims,
    jti: crypto.randomUUID(),
    aud: issue.client.clientId,
    typ: "ID",
    at_hash: await leftHalfHash(accessToken),
    acr: "1",
    ...profileClaims(issue.user),
  };
}

/** `at_hash` of OpenID Connect Core, section 3.1.3.6, for RS256. */
async function leftHalfHash(token: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token));
  return base64url.encode(new Uint8Array(hash, 0, hash.byteLength / 2));
}

async function signed(realm: Realm, claims: JWTPayload): Promise<string> {
  const { kid, privateKey } = await realm.keys();
  return new SignJWT(claims).setProtectedHeader({ alg: "RS256", typ: "JWT", kid }).sign(privateKey);
}

async function signedRefresh(realm: Realm, claims: JWTPayload): Promise<string> {
  const { refreshKid, refreshSecret } = await realm.keys();
  return new SignJWT(claims).setProtectedHeader({ alg: "HS512", typ: "JWT", kid: refreshKid }).sign(refreshSecret);
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
