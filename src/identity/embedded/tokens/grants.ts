import { base64url } from "jose";
import type { Client } from "../clients/client.ts";
import { findServiceAccount } from "../clients/store.ts";
import { tokenParameter } from "../form.ts";
import type { Realm } from "../realm.ts";
import { badRequest, invalidGrant, oauthError } from "../refusal.ts";
import { openSession } from "../sessions/store.ts";
import { isFullySetUp } from "../users/user.ts";
import { findByLogin } from "../users/store.ts";
import { issueClientToken, issueUserTokens } from "./issue.ts";
import { refresh } from "./refresh.ts";
import { grantedScope } from "./scope.ts";

export type GrantRequest = { client: Client; form: URLSearchParams };

/** RFC 6749, section 4.3. Every refusal that speaks of the account comes after the password was right, and after the same work. */
async function password(realm: Realm, { client, form }: GrantRequest) {
  if (!client.settings.directAccessGrantsEnabled) {
    throw oauthError(400, "unauthorized_client", "Client not allowed for direct access grants");
  }
  if (client.settings.consentRequired) throw oauthError(400, "invalid_client", "Client requires user consent");
  const scope = grantedScope(form.get("scope"));
  const login = form.get("username");
  if (login === null) throw oauthError(401, "invalid_request", "Missing parameter: username");

  const user = await findByLogin(realm.db, login);
  const isRight = await realm.verify(form.get("password") ?? "", user?.password);
  if (!user || !isRight) throw invalidGrant("Invalid user credentials");
  if (!user.enabled) throw invalidGrant("Account disabled");
  if (!isFullySetUp(user)) throw invalidGrant("Account is not fully set up");

  const now = realm.now();
  const session = { id: randomId(), refreshId: crypto.randomUUID(), reuseId: crypto.randomUUID(), started: now, lastAccess: now };
  const roles = await openSession(realm.db, user, { ...session, client: client.id, now });
  if (!roles) throw invalidGrant("Invalid user credentials");
  return issueUserTokens(realm, { user, client, roles, scope, mark: "onrtro" }, session);
}

/** RFC 6749, section 4.4. */
async function clientCredentials(realm: Realm, { client, form }: GrantRequest) {
  if (client.settings.publicClient) throw oauthError(401, "unauthorized_client", "Public client not allowed to retrieve service account");
  if (!client.settings.serviceAccountsEnabled) {
    throw oauthError(401, "unauthorized_client", "Client not enabled to retrieve service account");
  }
  const scope = grantedScope(form.get("scope"));
  const account = await findServiceAccount(realm.db, client.id);
  if (!account) throw badRequest("Service account user not found");
  if (!account.user.enabled) throw oauthError(401, "invalid_request", `User '${account.user.username}' disabled`);
  return issueClientToken(realm, { ...account, client, scope, mark: "trrtcc" });
}

/** RFC 6749, section 6. */
async function refreshToken(realm: Realm, { client, form }: GrantRequest) {
  const token = tokenParameter(form, "refresh_token");
  if (token === undefined) throw badRequest("No refresh token");
  return refresh(realm, client, { token, scope: form.get("scope") });
}

export const GRANTS: ReadonlyMap<string, (realm: Realm, request: GrantRequest) => Promise<object>> = new Map([
  ["password", password],
  ["client_credentials", clientCredentials],
  ["refresh_token", refreshToken],
] as const);

/** 24 characters, as Keycloak's session ids. */
function randomId(): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(18)));
}
