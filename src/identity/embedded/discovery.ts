import type { Context } from "hono";
import type { Realm } from "./realm.ts";
import { GRANTS } from "./tokens/grants.ts";
import { SCOPES } from "./tokens/scope.ts";

const AUTH_METHODS = ["client_secret_basic", "client_secret_post"];

/** OpenID Connect Discovery: what is not offered here, such as an authorization endpoint, is not announced. */
export function discoveryEndpoint({ issuer }: Realm) {
  const protocol = `${issuer}/protocol/openid-connect`;
  const document = {
    issuer,
    token_endpoint: `${protocol}/token`,
    introspection_endpoint: `${protocol}/token/introspect`,
    userinfo_endpoint: `${protocol}/userinfo`,
    end_session_endpoint: `${protocol}/logout`,
    revocation_endpoint: `${protocol}/revoke`,
    jwks_uri: `${protocol}/certs`,
    grant_types_supported: [...GRANTS.keys()],
    response_types_supported: [],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
    scopes_supported: SCOPES,
    claim_types_supported: ["normal"],
    claims_supported: ["iss", "sub", "aud", "exp", "iat", "name", "given_name", "family_name", "preferred_username", "email", "email_verified", "acr"],
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    token_endpoint_auth_methods_supported: AUTH_METHODS,
    introspection_endpoint_auth_methods_supported: AUTH_METHODS,
    revocation_endpoint_auth_methods_supported: AUTH_METHODS,
  };
  return (c: Context) => c.json(document, 200, { "cache-control": "no-cache, must-revalidate, no-transform, no-store" });
}

export function certsEndpoint(realm: Realm) {
  return async (c: Context) => c.json({ keys: [(await realm.keys()).publicJwk] }, 200, { "cache-control": "no-cache" });
}

export function realmEndpoint(realm: Realm) {
  return async (c: Context) =>
    c.json({
      realm: realm.name,
      public_key: await spki(realm),
      "token-service": `${realm.issuer}/protocol/openid-connect`,
      "account-service": `${realm.issuer}/account`,
      "tokens-not-before": 0,
    });
}

async function spki(realm: Realm): Promise<string> {
  const { publicKey } = await realm.keys();
  return btoa(String.fromCharCode(...new Uint8Array(await crypto.subtle.exportKey("spki", publicKey))));
}
