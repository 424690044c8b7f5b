/** Where the embedded identity provider differs from Keycloak on purpose. */
export const DIFFERENCES: readonly string[] = [
  "It announces, and answers, only what it offers: no browser flows, so no authorization endpoint, and a logout without a refresh token is refused instead of answered with a page that asks the person",
  "It has no certificates and encrypts nothing: `/certs` is its one signing key, without `x5c`",
  "`scope` has only what its tokens depend on, so a refresh token lists three scopes and not eight",
  '"Unrecognized field" comes without line and column',
  "It does not know where a request came from: no `clientHost`, `clientAddress`, `ipAddress`",
  "A client made over the Admin REST has no optional scopes, above all no `offline_access`",
  "A name with NUL is an unknown one, as on Keycloak's H2; on PostgreSQL Keycloak answers a user's with 500 and a client's with `unauthorized_client`",
];
