import type { Context } from "hono";
import { authenticateClient } from "../clients/authentication.ts";
import { readForm, refuseDuplicates, tokenParameter } from "../form.ts";
import { allowOrigin } from "../origin.ts";
import type { Realm } from "../realm.ts";
import { badRequest, oauthError } from "../refusal.ts";
import { endSessionsOfUser, revokeToken } from "../sessions/store.ts";
import { holderOf } from "./holder.ts";
import { isExpired, readToken } from "./read.ts";

/** `POST revoke` (RFC 7009). As at Keycloak, a refresh token takes all the user's sessions with the client along. */
export function revokeEndpoint(realm: Realm) {
  return async (c: Context): Promise<Response> => {
    const form = await readForm(c);
    const client = await authenticateClient(realm, form, c.req.header("authorization"));
    refuseDuplicates(form);
    const cors = allowOrigin(c, client.settings.webOrigins);
    const token = tokenParameter(form, "token");
    if (token === undefined) throw badRequest("Token not provided");

    const claims = await readToken(realm, token);
    if (!claims || isExpired(claims, realm.now())) throw oauthError(200, "invalid_token", "Invalid token");
    if (claims.typ === "ID") throw oauthError(400, "unsupported_token_type", "Unsupported token type");
    if (claims.azp !== client.clientId) throw badRequest("Unmatching clients");
    const holder = await holderOf(realm, claims);
    if (typeof holder === "string") throw oauthError(200, "invalid_token", "Invalid token");

    if (claims.typ === "Refresh") await endSessionsOfUser(realm.db, { user: claims.sub, client: client.id });
    else await revokeToken(realm.db, { jti: claims.jti, expires: claims.exp * 1000 });
    return c.body(null, 200, cors);
  };
}
