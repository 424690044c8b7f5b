import type { Client } from "../clients/client.ts";
import type { Realm } from "../realm.ts";
import type { Granted } from "../roles/role.ts";
import { isAlive, type Session } from "../sessions/lifetimes.ts";
import { findHolder } from "../sessions/store.ts";
import type { User } from "../users/user.ts";
import { isExpired, type TokenClaims } from "./read.ts";

export type LiveToken = { user: User; client: Client; session: Session | null; roles: Granted[] };
export type DeadToken = "Token verification failed" | "user_session_not_found" | "User disabled";

/** Whose token it is while it holds, or why it does not: read from the database each time, never from the token. */
export async function holderOf(realm: Realm, token: TokenClaims): Promise<LiveToken | DeadToken> {
  if (token.iss !== realm.issuer || isExpired(token, realm.now())) return "Token verification failed";
  const { user, client, session, isRevoked, roles } = await findHolder(realm.db, token);
  if (isRevoked || !client?.enabled) return "Token verification failed";
  const isOfAccount = token.sid === undefined && user !== null && user.serviceAccountClient === client.id;
  const isOfSession = session !== null && !session.isDetached && isAlive(session, realm.now());
  if (!user || !(isOfAccount || isOfSession)) return "user_session_not_found";
  if (!user.enabled) return "User disabled";
  return { user, client, session, roles };
}
