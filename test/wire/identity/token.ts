import { beforeAll, expect, it } from "vitest";
import { claimsOf, headerOf, newClient, type MadeClient, type Wire } from "./wire.ts";

const INVALID = "Invalid client or Invalid client credentials";

export function tokenSuite(at: () => Wire): void {
  let open: MadeClient;
  let bare: MadeClient;
  let off: MadeClient;
  beforeAll(async () => {
    open = await newClient(at(), { publicClient: true, directAccessGrantsEnabled: true });
    bare = await newClient(at());
    off = await newClient(at(), { enabled: false, serviceAccountsEnabled: true });
  });

  it("gives a client a token of its own", async () => {
    const { token, userService, issuer } = at();
    const { status, headers, body } = await token(userService, { grant_type: "client_credentials" });
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("pragma")).toBe("no-cache");
    expect(body).toEqual({
      access_token: expect.any(String),
      expires_in: expect.toBeOneOf([299, 300]),
      refresh_expires_in: 0,
      token_type: "Bearer",
      "not-before-policy": 0,
      scope: expect.stringMatching(/^(email profile|profile email)$/),
    });
    expect(headerOf(body.access_token)).toEqual({ alg: "RS256", typ: "JWT", kid: expect.stringMatching(/^[\w-]{43}$/) });
    const { clientHost: _, clientAddress: __, ...claims } = claimsOf(body.access_token);
    expect(claims).toEqual({
      exp: claims.iat + 300,
      iat: expect.any(Number),
      jti: expect.stringMatching(/^trrtcc:[0-9a-f-]{36}$/),
      iss: issuer,
      aud: "realm-management",
      sub: expect.stringMatching(/^[0-9a-f-]{36}$/),
      typ: "Bearer",
      azp: userService.id,
      acr: "1",
      resource_access: { "realm-management": { roles: ["manage-users"] } },
      scope: body.scope,
      email_verified: false,
      preferred_username: `service-account-${userService.id}`,
      client_id: userService.id,
    });
  });

  it("names the services in the audience of the authentication service's tokens", async () => {
    const { serviceToken, authService } = at();
    const { aud } = claimsOf(await serviceToken(authService));
    expect(aud.toSorted()).toEqual(["admin-service", "auth-service", "realm-management", "user-service"]);
  });

  it("adds an ID token to a client's token for the scope openid", async () => {
    const { token, userService } = at();
    const { body } = await token(userService, { grant_type: "client_credentials", scope: "openid" });
    expect(claimsOf(body.id_token)).toMatchObject({ typ: "ID", aud: userService.id, azp: userService.id });
    expect(body.scope.split(" ").toSorted()).toEqual(["email", "openid", "profile"]);
  });

  it("takes the client's credentials by HTTP Basic, percent-decoded", async () => {
    const secret = "a %+:ä&=secret";
    const client = await newClient(at(), { serviceAccountsEnabled: true, secret });
    const basic = btoa(`${encodeURIComponent(client.id)}:${encodeURIComponent(secret)}`);
    const { status } = await at().form("token", { grant_type: "client_credentials" }, { authorization: `Basic ${basic}` });
    expect(status).toBe(200);
  });

  it("refuses HTTP Basic with a bare percent sign", async () => {
    const { form } = at();
    const answer = await form("token", { grant_type: "client_credentials" }, { authorization: `Basic ${btoa("auth-service:%zz")}` });
    expect([answer.status, answer.body]).toEqual([400, { error: "unauthorized_client", error_description: "Unexpected error when authenticating client" }]);
  });

  it.each<[string, (wire: Wire) => [Record<string, string>, Record<string, string>?], string]>([
    ["a wrong secret", ({ authService: { id } }) => [{ client_id: id, client_secret: "wrong" }], "unauthorized_client"],
    ["an empty secret", ({ authService: { id } }) => [{ client_id: id, client_secret: "" }], "unauthorized_client"],
    ["no secret", ({ authService: { id } }) => [{ client_id: id }], "unauthorized_client"],
    ["a wrong secret by Basic", ({ authService: { id } }) => [{}, { authorization: `Basic ${btoa(`${id}:wrong`)}` }], "unauthorized_client"],
    ["Basic for one client and the id of another", ({ authService: { id, secret } }) => [{ client_id: "user-service" }, { authorization: `Basic ${btoa(`${id}:${secret}`)}` }], "unauthorized_client"],
    ["an unknown client", () => [{ client_id: "nobody", client_secret: "x" }], "invalid_client"],
    ["no client", () => [{}], "invalid_client"],
    ["a disabled client", () => [{ client_id: off.id, client_secret: off.secret }], "invalid_client"],
  ])("refuses %s", async (_, request, error) => {
    const [parameters, headers] = request(at());
    const answer = await at().form("token", { grant_type: "client_credentials", ...parameters }, headers);
    expect([answer.status, answer.body]).toEqual([401, { error, error_description: INVALID }]);
    expect(answer.headers.has("www-authenticate")).toBe(false);
  });

  // As its database thinks of it, again.
  it("refuses a client name with NUL", async () => {
    const { status, body } = await at().form("token", { grant_type: "client_credentials", client_id: "no\0body", client_secret: "x" });
    expect([[401, "invalid_client"], [400, "unauthorized_client"]]).toContainEqual([status, body.error]);
  });

  it.each<[string, () => Record<string, string>, number, string, string]>([
    ["no grant type", () => ({}), 400, "invalid_request", "Missing form parameter: grant_type"],
    ["an unknown grant type", () => ({ grant_type: "telepathy" }), 400, "unsupported_grant_type", "Unsupported grant_type"],
    ["an unknown scope", () => ({ grant_type: "client_credentials", scope: "wibble" }), 400, "invalid_scope", "Invalid scopes: wibble"],
    ["an unknown scope among known ones", () => ({ grant_type: "client_credentials", scope: "openid wibble" }), 400, "invalid_scope", "Invalid scopes: openid wibble"],
  ])("refuses %s", async (_, parameters, status, error, error_description) => {
    const { token, authService } = at();
    const answer = await token(authService, parameters());
    expect([answer.status, answer.body]).toEqual([status, { error, error_description }]);
  });

  it("refuses the client credentials grant to a public client", async () => {
    const answer = await at().form("token", { grant_type: "client_credentials", client_id: open.id });
    expect([answer.status, answer.body]).toEqual([
      401,
      { error: "unauthorized_client", error_description: "Public client not allowed to retrieve service account" },
    ]);
  });

  it("refuses the client credentials grant to a client without a service account", async () => {
    const answer = await at().token(bare, { grant_type: "client_credentials" });
    expect([answer.status, answer.body]).toEqual([
      401,
      { error: "unauthorized_client", error_description: "Client not enabled to retrieve service account" },
    ]);
  });

  it("refuses a client whose service account is disabled, and its live token", async () => {
    const { token, admin, serviceToken, adminService } = at();
    const client = await newClient(at(), { serviceAccountsEnabled: true });
    const live = await serviceToken(client);
    expect((await admin("GET /users", { as: live })).status).toBe(403);
    const as = await serviceToken(adminService);
    const account = await admin(`GET /clients/${client.uuid}/service-account-user`, { as });
    await admin(`PUT /users/${account.body.id}`, { as, body: { enabled: false } });
    const answer = await token(client, { grant_type: "client_credentials" });
    expect([answer.status, answer.body]).toEqual([401, { error: "invalid_request", error_description: `User 'service-account-${client.id}' disabled` }]);
    expect((await admin("GET /users", { as: live })).status).toBe(401);
  });

  it("refuses a parameter that is sent twice", async () => {
    const { form, authService } = at();
    const answer = await form("token", `grant_type=client_credentials&client_id=${authService.id}&client_secret=${authService.secret}&scope=openid&scope=openid`);
    expect([answer.status, answer.body]).toEqual([400, { error: "invalid_request", error_description: "duplicated parameter" }]);
  });

  it("refuses a body that is JSON", async () => {
    const { form } = at();
    const answer = await form("token", JSON.stringify({ grant_type: "client_credentials" }), { "content-type": "application/json" });
    expect(answer.status).toBe(400);
  });

  it.each(["https://evil.example", "null"])("refuses the origin %s", async (origin) => {
    const { form, authService } = at();
    const answer = await form("token", { grant_type: "client_credentials", client_id: authService.id, client_secret: authService.secret }, { origin });
    expect([answer.status, answer.body]).toEqual([403, { error: "Invalid origin" }]);
  });

  it("lets a client's own web origin read the answer", async () => {
    const origin = "https://app.example.test";
    const client = await newClient(at(), { serviceAccountsEnabled: true, webOrigins: [origin] });
    const answer = await at().form("token", { grant_type: "client_credentials", client_id: client.id, client_secret: client.secret }, { origin });
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, origin]);
    expect(claimsOf(answer.body.access_token)["allowed-origins"]).toEqual([origin]);
  });
}
