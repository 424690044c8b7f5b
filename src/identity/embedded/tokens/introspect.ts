import type { Context } from "hono";
import { authenticateClient } from "../clients/authentication.ts";
import type { Client } from "../clients/client.ts";
import { readForm, refuseDuplicates } from "../form.ts";
import type { Realm } from "../realm.ts";
import { badRequest, oauthError, Refusal } from "../refusal.ts";
import { audience, roleClaims } from "./claims.ts";
import { holderOf } from "./holder.ts";
import { audiences, readToken } from "./read.ts";

const INACTIVE = { active: false };

/** `POST token/introspect` (RFC 7662). */
export function introspectEndpoint(realm: Realm) {
  return async (c: Context): Promise<Response> => {
    const form = await readForm(c);
    const client = await authenticateClient(realm, form, c.req.header("authorization")).catch(blurred);
    refuseDuplicates(form);
    const token = form.get("token");
    if (token === null) throw badRequest("Token not provided.");
    const hint = form.get("token_type_hint") ?? "access_token";
    if (hint !== "access_token" && hint !== "refresh_token") throw badRequest("Unsupported token type.");
    return c.json(await introspect(realm, client, { token, isRefresh: hint === "refresh_token" }));
  };
}

async function introspect(realm: Realm, caller: Client, { token, isRefresh }: { token: string; isRefresh: boolean }) {
  const claims = await readToken(realm, token);
  if (!claims || (claims.typ === "Refresh") !== isRefresh) return INACTIVE;
  const holder = await holderOf(realm, claims);
  if (typeof holder === "string") return INACTIVE;
  const { user, client, session, roles } = holder;
  if (isRefresh && session?.refreshId !== claims.jti) return INACTIVE;
  // The mappers run again over the token, so a refresh or ID token shows the audience of an access token.
  const mapped = claims.typ === "Bearer" ? [] : audiences({ aud: audience({ client, roles }) });
  const aud = [...(claims.typ === "ID" ? [] : audiences(claims)), ...mapped];
  if (!aud.includes(caller.clientId)) return INACTIVE;
  return {
    ...claims,
    aud: aud.length > 1 ? aud : aud[0],
    ...(claims.typ !== "Bearer" && roleClaims(roles)),
    client_id: claims.azp,
    username: user.username,
    token_type: claims.typ === "Refresh" ? "Refresh" : "Bearer",
    active: true,
  };
}

function blurred(error: unknown): never {
  if (error instanceof Refusal && (error.body as { error?: string }).error === "unauthorized_client") {
    throw oauthError(401, "invalid_client", "Client authentication failed.");
  }
  throw error;
}
