import type { Context } from "hono";
import { bearerOf } from "../bearer.ts";
import { readForm } from "../form.ts";
import type { Realm } from "../realm.ts";
import { Refusal } from "../refusal.ts";
import { profileClaims } from "./claims.ts";
import { holderOf } from "./holder.ts";
import { hasOpenid } from "./issue.ts";
import { readToken } from "./read.ts";

/** `GET` and `POST userinfo` (OpenID Connect Core, section 5.3). */
export function userinfoEndpoint(realm: Realm) {
  return async (c: Context): Promise<Response> => {
    const token = bearerOf(c) ?? (c.req.method === "POST" ? (await readForm(c)).get("access_token") : undefined);
    if (!token) throw challenge(realm, 401);
    const claims = await readToken(realm, token);
    if (claims?.typ !== "Bearer") throw challenge(realm, 401, invalid("Token verification failed"));
    if (!hasOpenid(claims.scope ?? "")) throw challenge(realm, 403, { error: "insufficient_scope", description: "Missing openid scope" });
    const holder = await holderOf(realm, claims);
    if (typeof holder === "string") throw challenge(realm, 401, invalid(holder));
    return c.json({ sub: holder.user.id, ...profileClaims(holder.user) }, 200, { "cache-control": "no-store, no-cache" });
  };
}

function challenge(realm: Realm, status: 401 | 403, reason?: { error: string; description: string }): Refusal {
  const detail = reason ? `, error="${reason.error}", error_description="${reason.description}"` : "";
  return new Refusal(status, undefined, { "www-authenticate": `Bearer realm="${realm.name}"${detail}` });
}

function invalid(description: string) {
  return { error: "invalid_token", description };
}
