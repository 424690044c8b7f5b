import type { Context } from "hono";
import { authenticateClient } from "../clients/authentication.ts";
import { readForm, refuseDuplicates, tokenParameter } from "../form.ts";
import { allowOrigin } from "../origin.ts";
import type { Realm } from "../realm.ts";
import { badRequest, oauthError } from "../refusal.ts";
import { endSession, revokeToken } from "../sessions/store.ts";
import { holderOf } from "./holder.ts";
import { isExpired, readToken } from "./read.ts";

/** `POST revoke` (RFC 7009): an access token alone, or with a refresh token its whole session. */
export function revokeEndpoint(realm: Realm) {
  return async (c: Context): Promise<Response> => {
    const form = await readForm(c);
    const client = await authenticateClient(realm, form, c.req.header("authorization"));
    refuseDuplicates(form);
    const cors = allowOrigin(c, client.settings.webOrigins);
    const token = tokenParameter(form, "token");
    if (token === undefined) throw badRequest("Token not provided");

    const claims = await readToken(realm, token);
    if (!claims || claims.iss !== realm.issuer || isExpired(claims, realm.now())) throw oauthError(200, "invalid_token", "Invalid token");
    if (claims.typ === "ID") throw oauthError(400, "unsupported_token_type", "Unsupported token type");
    if (claims.azp !== client.clientId) throw badRequest("Unmatching clients");
    const holder = await holderOf(realm, claims);
    if (holder === "user_session_not_found") throw oauthError(200, "invalid_token", "Invalid token");

    if (claims.typ === "Refresh") await endSession(realm.db, claims.sid ?? "");
    else await revokeToken(realm.db, { jti: claims.jti, expires: claims.exp * 1000 });
    return c.body(null, 200, cors);
  };
}
