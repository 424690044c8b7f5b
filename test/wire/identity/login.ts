import { beforeAll, expect, it } from "vitest";
import { claimsOf, headerOf, newClient, newPerson, type Person, type Wire } from "./wire.ts";

const WRONG = [400, { error: "invalid_grant", error_description: "Invalid user credentials" }];

export function loginSuite(at: () => Wire): void {
  let ada: Person;
  let locked: Person;
  beforeAll(async () => {
    ada = await newPerson(at());
    locked = await newPerson(at(), { enabled: false });
  });

  it("gives a person tokens with Keycloak's claims", async () => {
    const { login, issuer, authService } = at();
    const { status, headers, body } = await login(ada);
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(body).toEqual({
      access_token: expect.any(String),
      expires_in: expect.toBeOneOf([299, 300]),
      refresh_expires_in: expect.toBeOneOf([1799, 1800]),
      refresh_token: expect.any(String),
      token_type: "Bearer",
      "not-before-policy": 0,
      session_state: expect.stringMatching(/^[\w-]{24}$/),
      scope: expect.stringMatching(/^(email profile|profile email)$/),
    });
    const access = claimsOf(body.access_token);
    expect({ ...access, aud: access.aud.toSorted(), realm_access: { roles: access.realm_access.roles.toSorted() } }).toEqual({
      exp: access.iat + 300,
      iat: expect.any(Number),
      jti: expect.stringMatching(/^onrtro:[0-9a-f-]{36}$/),
      iss: issuer,
      aud: ["account", "admin-service", "auth-service", "user-service"],
      sub: ada.id,
      typ: "Bearer",
      azp: authService.id,
      sid: body.session_state,
      acr: "1",
      realm_access: { roles: [`default-roles-${at().realm}`, "offline_access", "uma_authorization"] },
      resource_access: { account: { roles: expect.arrayContaining(["manage-account", "manage-account-links", "view-profile"]) } },
      scope: body.scope,
      email_verified: true,
      name: "Ada Lovelace",
      preferred_username: ada.username,
      given_name: "Ada",
      family_name: "Lovelace",
      email: ada.email,
    });
  });

  it("gives a refresh token that no service takes for an access token", async () => {
    const { body } = await at().login(ada);
    expect(headerOf(body.refresh_token)).toEqual({ alg: "HS512", typ: "JWT", kid: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    const claims = claimsOf(body.refresh_token);
    expect(claims).toMatchObject({ typ: "Refresh", iss: at().issuer, aud: at().issuer, sub: ada.id, sid: body.session_state, exp: claims.iat + 1800 });
    expect(claims).not.toHaveProperty("realm_access");
  });

  it("gives an ID token for the scope openid only", async () => {
    const { body } = await at().login(ada, { scope: "openid" });
    const id = claimsOf(body.id_token);
    expect(id).toEqual({
      exp: id.iat + 300,
      iat: expect.any(Number),
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      iss: at().issuer,
      aud: at().authService.id,
      sub: ada.id,
      typ: "ID",
      azp: at().authService.id,
      sid: body.session_state,
      at_hash: expect.stringMatching(/^[\w-]{22}$/),
      acr: "1",
      email_verified: true,
      name: "Ada Lovelace",
      preferred_username: ada.username,
      given_name: "Ada",
      family_name: "Lovelace",
      email: ada.email,
    });
  });

  it.each<[string, (person: Person) => string]>([
    ["the username in other case", ({ username }) => username.toUpperCase()],
    ["the e-mail", ({ email }) => email],
    ["the e-mail in other case", ({ email }) => email.toUpperCase()],
  ])("takes %s", async (_, name) => {
    expect((await at().login({ username: name(ada), password: ada.password })).status).toBe(200);
  });

  it.each<[string, () => Record<string, string>]>([
    ["a wrong password", () => ({ username: ada.username, password: "wrong" })],
    ["an empty password", () => ({ username: ada.username, password: "" })],
    ["an unknown name", () => ({ username: "nobody", password: "wrong" })],
    ["an empty name", () => ({ username: "", password: "wrong" })],
    ["a service account", () => ({ username: "service-account-user-service", password: "wrong" })],
    ["a disabled user's wrong password", () => ({ username: locked.username, password: "wrong" })],
  ])("answers %s like a wrong password", async (_, credentials) => {
    const { token, authService } = at();
    const answer = await token(authService, { grant_type: "password", ...credentials() });
    expect([answer.status, answer.body]).toEqual(WRONG);
  });

  // What Keycloak answers is what its database thinks of it: H2 that there is none, PostgreSQL that there cannot be.
  it("gives nothing to a name with NUL", async () => {
    const { token, authService } = at();
    const { status, body } = await token(authService, { grant_type: "password", username: "no\0body", password: "wrong" });
    expect([[400, "invalid_grant"], [500, "unknown_error"]]).toContainEqual([status, body.error]);
  });

  it("answers a missing password like a wrong one", async () => {
    const { token, authService } = at();
    const answer = await token(authService, { grant_type: "password", username: ada.username });
    expect([answer.status, answer.body]).toEqual(WRONG);
  });

  it("gives a wrong password and an unknown name the same bytes and headers", async () => {
    const [wrong, unknown] = await Promise.all([
      at().login({ username: ada.username, password: "wrong" }),
      at().login({ username: "nobody", password: "wrong" }),
    ]);
    expect(wrong.text).toBe(unknown.text);
    expect([...wrong.headers].filter(([name]) => name !== "date")).toEqual([...unknown.headers].filter(([name]) => name !== "date"));
  });

  it("refuses a request without a name", async () => {
    const { token, authService } = at();
    const answer = await token(authService, { grant_type: "password", password: "x" });
    expect([answer.status, answer.body]).toEqual([401, { error: "invalid_request", error_description: "Missing parameter: username" }]);
  });

  it("tells a disabled user so after the right password only", async () => {
    const answer = await at().login(locked);
    expect([answer.status, answer.body]).toEqual([400, { error: "invalid_grant", error_description: "Account disabled" }]);
  });

  it.each<[string, Record<string, unknown>]>([
    ["no first name", { firstName: "" }],
    ["no last name", { lastName: null }],
    ["no e-mail", { email: null }],
    ["a required action", { requiredActions: ["UPDATE_PROFILE"] }],
    ["a temporary password", { credentials: [{ type: "password", value: "Correct-Horse-Battery-1", temporary: true }] }],
  ])("refuses somebody with %s", async (_, more) => {
    const person = await newPerson(at(), more);
    const answer = await at().login(person);
    expect([answer.status, answer.body]).toEqual([400, { error: "invalid_grant", error_description: "Account is not fully set up" }]);
    const wrong = await at().login({ ...person, password: "wrong" });
    expect([wrong.status, wrong.body]).toEqual(WRONG);
  });

  it("compares passwords whole, whatever is in them", async () => {
    const password = `pä ss wörd 🔑 & = + % ; ${"x".repeat(200)}`;
    const person = await newPerson(at(), { credentials: [{ type: "password", value: password }] });
    expect((await at().login({ ...person, password })).status).toBe(200);
    expect((await at().login({ ...person, password: password.slice(0, -1) })).status).toBe(400);
  });

  it("refuses a client without direct grants", async () => {
    const client = await newClient(at());
    const answer = await at().token(client, { grant_type: "password", username: ada.username, password: ada.password });
    expect([answer.status, answer.body]).toEqual([
      400,
      { error: "unauthorized_client", error_description: "Client not allowed for direct access grants" },
    ]);
  });

  it("refuses a client that needs consent", async () => {
    const client = await newClient(at(), { directAccessGrantsEnabled: true, consentRequired: true });
    const answer = await at().token(client, { grant_type: "password", username: ada.username, password: ada.password });
    expect([answer.status, answer.body]).toEqual([400, { error: "invalid_client", error_description: "Client requires user consent" }]);
  });

  it("lets a public client sign people in", async () => {
    const client = await newClient(at(), { publicClient: true, directAccessGrantsEnabled: true });
    const answer = await at().form("token", { grant_type: "password", client_id: client.id, username: ada.username, password: ada.password });
    expect([answer.status, claimsOf(answer.body.access_token).azp, claimsOf(answer.body.access_token).aud]).toEqual([200, client.id, "account"]);
  });
}
