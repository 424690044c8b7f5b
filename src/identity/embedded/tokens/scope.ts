import { oauthError } from "../refusal.ts";

/** Scopes every client has; only `openid`, `profile` and `email` show in a token. */
export const SCOPES = ["openid", "profile", "email", "roles", "web-origins", "acr", "basic", "service_account"];

const DEFAULT = "profile email";

/** The scope granted to a request for `requested`; throws `invalid_scope` for one that is not offered. */
export function grantedScope(requested: string | null): string {
  if (requested === null) return DEFAULT;
  const asked = requested.split(" ");
  if (!asked.every((scope) => SCOPES.includes(scope))) throw oauthError(400, "invalid_scope", `Invalid scopes: ${requested}`);
  return asked.includes("openid") ? `openid ${DEFAULT}` : DEFAULT;
}
