import type { Client } from "../clients/client.ts";
import type { Realm } from "../realm.ts";
import { invalidGrant } from "../refusal.ts";
import { isAlive } from "../sessions/lifetimes.ts";
import { findRefreshable, rotate, type Refreshable } from "../sessions/store.ts";
import { issueUserTokens } from "./issue.ts";
import { isExpired, readToken, type TokenClaims } from "./read.ts";
import { grantedScope } from "./scope.ts";

export type SessionToken = TokenClaims & { sid: string };

/** New tokens for a refresh token, which is worth nothing from then on; a second use ends the session. */
export async function refresh(realm: Realm, client: Client, { token, scope }: { token: string; scope: string | null }) {
  // A narrower scope is allowed but, as the answer's `scope` says, not granted (RFC 6749, section 3.3).
  grantedScope(scope);
  const claims = await readRefreshToken(realm, client, token);
  if (isExpired(claims, realm.now())) throw invalidGrant("Token is not active");
  const found = await findRefreshable(realm.db, { session: claims.sid, client: client.id });
  const { user, session } = checkSession(found, realm.now());

  const now = realm.now();
  const next = crypto.randomUUID();
  const rotation = await rotate(realm.db, session.id, { used: claims.jti, next, now });
  if (!rotation) throw invalidGrant("Session not active");
  if (rotation.isDetached) throw invalidGrant(rotation.isUsed ? "Maximum allowed refresh token reuse exceeded" : "Stale token");

  const tokens = { id: session.id, refreshId: next, reuseId: claims.reuse_id ?? "", started: session.started, lastAccess: now };
  return issueUserTokens(realm, { user, client, roles: rotation.roles, scope: claims.scope ?? "", mark: "onrtrt" }, tokens);
}

/** The claims of a refresh token of this client, expired or not. */
export async function readRefreshToken(realm: Realm, client: Client, token: string): Promise<SessionToken> {
  const claims = await readToken(realm, token);
  if (claims?.typ !== "Refresh" || claims.sid === undefined) throw invalidGrant("Invalid refresh token");
  if (claims.iss !== realm.issuer) throw invalidGrant(`Invalid token issuer. Expected '${realm.issuer}'`);
  if (claims.azp !== client.clientId) throw invalidGrant("Invalid refresh token. Token client and authorized client don't match");
  return { ...claims, sid: claims.sid };
}

function checkSession(found: Refreshable | undefined, now: number): Refreshable {
  if (!found || !isAlive(found.session, now)) throw invalidGrant("Session not active");
  if (!found.user.enabled) throw invalidGrant("User disabled");
  if (found.session.isDetached) throw invalidGrant("Session doesn't have required client");
  return found;
}
