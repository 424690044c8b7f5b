import { beforeAll, expect, it } from "vitest";
import { helpers, tampered } from "./refresh.ts";
import { claimsOf, newPerson, type Person, type Wire } from "./wire.ts";

export function introspectionSuite(at: () => Wire): void {
  let ada: Person;
  beforeAll(async () => {
    ada = await newPerson(at());
  });

  it("shows a live access token with all its claims", async () => {
    const { body } = await at().login(ada, { scope: "openid" });
    const answer = await helpers(at()).introspect(body.access_token);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      ...claimsOf(body.access_token),
      aud: expect.arrayContaining(["auth-service"]),
      realm_access: expect.any(Object),
      resource_access: expect.any(Object),
      scope: expect.any(String),
      client_id: at().authService.id,
      username: ada.username,
      token_type: "Bearer",
      active: true,
    });
  });

  it("shows a live refresh token to who says that it is one", async () => {
    const { introspect } = helpers(at());
    const { body } = await at().login(ada);
    const shown = await introspect(body.refresh_token, { token_type_hint: "refresh_token" });
    expect(shown.body).toMatchObject({ active: true, typ: "Refresh", token_type: "Refresh", username: ada.username, sid: body.session_state });
    expect((await introspect(body.refresh_token)).body).toEqual({ active: false });
  });

  it("shows a refresh token that was used as inactive", async () => {
    const { body } = await at().login(ada);
    await at().token(at().authService, { grant_type: "refresh_token", refresh_token: body.refresh_token });
    const used = await helpers(at()).introspect(body.refresh_token, { token_type_hint: "refresh_token" });
    expect(used.body).toEqual({ active: false });
  });

  it("shows an ID token as active", async () => {
    const { body } = await at().login(ada, { scope: "openid" });
    const answer = await helpers(at()).introspect(body.id_token);
    expect(answer.body).toMatchObject({ active: true, typ: "ID", sub: ada.id, realm_access: { roles: expect.any(Array) } });
  });

  it.each<[string, () => Promise<string>]>([
    ["garbage", async () => "garbage"],
    ["a tampered token", async () => tampered((await at().login(ada)).body.access_token)],
    ["a token without the caller in its audience", async () => at().serviceToken(at().userService)],
  ])("shows %s as inactive", async (_, token) => {
    const answer = await helpers(at()).introspect(await token());
    expect([answer.status, answer.body]).toEqual([200, { active: false }]);
  });

  it("shows a token to every service in its audience", async () => {
    const { form, userService } = at();
    const { body } = await at().login(ada);
    const answer = await form("token/introspect", { client_id: userService.id, client_secret: userService.secret, token: body.access_token });
    expect(answer.body.active).toBe(true);
  });

  it.each<[string, Record<string, string>, number, Record<string, string>]>([
    ["no token", {}, 400, { error: "invalid_request", error_description: "Token not provided." }],
    ["another hint", { token: "x", token_type_hint: "wibble" }, 400, { error: "invalid_request", error_description: "Unsupported token type." }],
    ["a wrong secret", { token: "x", client_secret: "wrong" }, 401, { error: "invalid_client", error_description: "Client authentication failed." }],
    ["an unknown client", { token: "x", client_id: "nobody" }, 401, { error: "invalid_client", error_description: "Invalid client or Invalid client credentials" }],
  ])("refuses introspection with %s", async (_, parameters, status, body) => {
    const { form, authService } = at();
    const answer = await form("token/introspect", { client_id: authService.id, client_secret: authService.secret, ...parameters });
    expect([answer.status, answer.body]).toEqual([status, body]);
  });

  it("tells who a token with the scope openid belongs to", async () => {
    const { body } = await at().login(ada, { scope: "openid" });
    const expected = {
      sub: ada.id,
      email_verified: true,
      name: "Ada Lovelace",
      preferred_username: ada.username,
      given_name: "Ada",
      family_name: "Lovelace",
      email: ada.email,
    };
    const answer = await helpers(at()).userinfo(body.access_token);
    expect([answer.status, answer.body]).toEqual([200, expected]);
    expect(answer.headers.get("cache-control")).toContain("no-store");
    const posted = await at().form("userinfo", { access_token: body.access_token });
    expect([posted.status, posted.body]).toEqual([200, expected]);
  });

  it.each<[string, () => Promise<Record<string, string>>, number, string]>([
    ["no token", async () => ({}), 401, ""],
    ["garbage", async () => ({ authorization: "Bearer garbage" }), 401, ', error="invalid_token", error_description="Token verification failed"'],
    [
      "a token without openid",
      async () => ({ authorization: `Bearer ${(await at().login(ada)).body.access_token}` }),
      403,
      ', error="insufficient_scope", error_description="Missing openid scope"',
    ],
  ])("tells nothing for %s", async (_, headers, status, detail) => {
    const answer = await at().send(`${at().protocol}/userinfo`, { headers: await headers() });
    expect([answer.status, answer.text, answer.headers.get("www-authenticate")]).toEqual([status, "", `Bearer realm="${at().realm}"${detail}`]);
  });
}
