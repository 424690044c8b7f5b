import type { Context } from "hono";
import { authenticateClient } from "../clients/authentication.ts";
import { readForm, tokenParameter } from "../form.ts";
import { allowOrigin } from "../origin.ts";
import type { Realm } from "../realm.ts";
import { badRequest } from "../refusal.ts";
import { endSession } from "../sessions/store.ts";
import { readRefreshToken } from "./refresh.ts";

/** `POST logout` with a refresh token, however old: ends its session. */
export function logoutEndpoint(realm: Realm) {
  return async (c: Context): Promise<Response> => {
    const form = await readForm(c);
    const token = tokenParameter(form, "refresh_token");
    // Keycloak answers with a page that asks the person; here nobody has a browser session.
    if (token === undefined) throw badRequest("No refresh token");
    const client = await authenticateClient(realm, form, c.req.header("authorization"));
    allowOrigin(c, client.settings.webOrigins);
    const { sid } = await readRefreshToken(realm, client, token);
    await endSession(realm.db, sid);
    return c.body(null, 204);
  };
}
