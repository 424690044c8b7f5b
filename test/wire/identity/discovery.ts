import { expect, it } from "vitest";
import type { Wire } from "./wire.ts";

export function discoverySuite(at: () => Wire): void {
  it("announces its endpoints under the issuer", async () => {
    const { send, issuer, protocol } = at();
    const { status, headers, body } = await send(`${issuer}/.well-known/openid-configuration`);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toContain("application/json");
    expect(body).toMatchObject({
      issuer,
      token_endpoint: `${protocol}/token`,
      introspection_endpoint: `${protocol}/token/introspect`,
      userinfo_endpoint: `${protocol}/userinfo`,
      end_session_endpoint: `${protocol}/logout`,
      revocation_endpoint: `${protocol}/revoke`,
      jwks_uri: `${protocol}/certs`,
    });
    expect(body.grant_types_supported).toEqual(expect.arrayContaining(["password", "client_credentials", "refresh_token"]));
    expect(body.token_endpoint_auth_methods_supported).toEqual(expect.arrayContaining(["client_secret_basic", "client_secret_post"]));
    expect(body.id_token_signing_alg_values_supported).toContain("RS256");
    expect(body.scopes_supported).toEqual(expect.arrayContaining(["openid", "profile", "email"]));
  });

  it("shows its RS256 key and never a private part", async () => {
    const { send, protocol } = at();
    const { status, body } = await send(`${protocol}/certs`);
    expect(status).toBe(200);
    const key = body.keys.find(({ use }: { use: string }) => use === "sig");
    expect(key).toMatchObject({ kty: "RSA", alg: "RS256", e: "AQAB", kid: expect.stringMatching(/^[\w-]{43}$/), n: expect.stringMatching(/^[\w-]{342}$/) });
    for (const shown of body.keys) for (const secret of ["d", "p", "q", "dp", "dq", "qi", "k"]) expect(shown).not.toHaveProperty(secret);
  });

  it("tells the realm's basics", async () => {
    const { send, issuer, realm, protocol } = at();
    const { status, body } = await send(issuer);
    expect(status).toBe(200);
    expect(body).toMatchObject({ realm, "token-service": protocol, "tokens-not-before": 0, public_key: expect.stringMatching(/^MII/) });
  });

  it.each([
    ["/realms/nowhere", 404, { error: "Realm does not exist" }],
    ["/realms/nowhere/protocol/openid-connect/certs", 404, { error: "Realm does not exist" }],
    ["/realms/{realm}/protocol/openid-connect/nothing", 404, { error: "HTTP 404 Not Found" }],
    ["/nothing", 404, { error: "Unable to find matching target resource method" }],
    ["/realms/{realm};a=b", 400, { error: "invalidCharacter", error_description: "Request path contains invalid character ';'" }],
    ["/realms/{realm}/protocol/openid-connect/token", 405, { error: "HTTP 405 Method Not Allowed" }],
  ])("answers GET %s with %d", async (path, status, body) => {
    const { send, baseUrl, realm } = at();
    const answer = await send(baseUrl + path.replace("{realm}", realm));
    expect([answer.status, answer.body]).toEqual([status, body]);
  });

  it("sends the security headers everywhere", async () => {
    const { send, issuer } = at();
    for (const { headers } of [await send(issuer), await send(`${issuer}x`)]) {
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
    }
  });
}
