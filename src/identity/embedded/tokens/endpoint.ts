import type { Context } from "hono";
import { authenticateClient } from "../clients/authentication.ts";
import { readForm, refuseDuplicates } from "../form.ts";
import { allowOrigin } from "../origin.ts";
import type { Realm } from "../realm.ts";
import { badRequest, oauthError } from "../refusal.ts";
import { GRANTS } from "./grants.ts";

/** `POST token` (RFC 6749, section 3.2). */
export function tokenEndpoint(realm: Realm) {
  return async (c: Context): Promise<Response> => {
    const form = await readForm(c);
    const type = form.get("grant_type");
    if (type === null) throw badRequest("Missing form parameter: grant_type");
    const grant = GRANTS.get(type);
    if (!grant) throw oauthError(400, "unsupported_grant_type", "Unsupported grant_type");
    const client = await authenticateClient(realm, form, c.req.header("authorization"));
    refuseDuplicates(form);
    const cors = allowOrigin(c, client.settings.webOrigins);
    return c.json(await grant(realm, { client, form }), 200, cors);
  };
}
