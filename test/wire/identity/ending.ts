import { beforeAll, expect, it } from "vitest";
import { helpers, refused, tampered } from "./refresh.ts";
import { newPerson, type Person, type Wire } from "./wire.ts";

export function endingSuite(at: () => Wire): void {
  let ada: Person;
  beforeAll(async () => {
    ada = await newPerson(at());
  });

  const post = (path: string, parameters: Record<string, string>, as = at().authService) =>
    at().form(path, { client_id: as.id, client_secret: as.secret, ...parameters });
  const refresh = (refresh_token: string) => post("token", { grant_type: "refresh_token", refresh_token });

  it("ends the session at logout, also when repeated", async () => {
    const { introspect, userinfo } = helpers(at());
    const { body } = await at().login(ada, { scope: "openid" });
    for (const _ of [1, 2]) {
      const answer = await post("logout", { refresh_token: body.refresh_token });
      expect([answer.status, answer.text]).toEqual([204, ""]);
    }
    expect(refused(await refresh(body.refresh_token))).toBe("Session not active");
    expect((await introspect(body.access_token)).body).toEqual({ active: false });
    const info = await userinfo(body.access_token);
    expect([info.status, info.headers.get("www-authenticate")]).toEqual([
      401,
      `Bearer realm="${at().realm}", error="invalid_token", error_description="user_session_not_found"`,
    ]);
  });

  it("ends the session at logout with a refresh token already used", async () => {
    const { body: first } = await at().login(ada);
    const { body: second } = await refresh(first.refresh_token);
    expect((await post("logout", { refresh_token: first.refresh_token })).status).toBe(204);
    expect(refused(await refresh(second.refresh_token))).toBe("Session not active");
  });

  it("leaves other sessions of the person alone at logout", async () => {
    const { body: here } = await at().login(ada);
    const { body: there } = await at().login(ada);
    await post("logout", { refresh_token: here.refresh_token });
    expect((await refresh(there.refresh_token)).status).toBe(200);
  });

  it.each<[string, () => Promise<string>, string]>([
    ["garbage", async () => "garbage", "Invalid refresh token"],
    ["an access token", async () => (await at().login(ada)).body.access_token, "Invalid refresh token"],
    ["a tampered token", async () => tampered((await at().login(ada)).body.refresh_token), "Invalid refresh token"],
  ])("refuses to log out with %s", async (_, token, description) => {
    expect(refused(await post("logout", { refresh_token: await token() }))).toBe(description);
  });

  it("refuses to log out with another client's token", async () => {
    const { body } = await at().login(ada);
    const answer = await post("logout", { refresh_token: body.refresh_token }, at().userService);
    expect(refused(answer)).toBe("Invalid refresh token. Token client and authorized client don't match");
    expect((await refresh(body.refresh_token)).status).toBe(200);
  });

  it.each(["logout", "revoke"])("refuses %s with a wrong secret", async (path) => {
    const answer = await at().form(path, { client_id: at().authService.id, client_secret: "wrong", refresh_token: "x", token: "x" });
    expect([answer.status, answer.body]).toEqual([
      401,
      { error: "unauthorized_client", error_description: "Invalid client or Invalid client credentials" },
    ]);
  });

  it.each(["logout", "revoke"])("refuses %s from a foreign origin", async (path) => {
    const { id, secret } = at().authService;
    const answer = await at().form(path, { client_id: id, client_secret: secret, refresh_token: "x", token: "x" }, { origin: "https://evil.example" });
    expect([answer.status, answer.body]).toEqual([403, { error: "Invalid origin" }]);
  });

  it("revokes an access token, repeatably, and leaves its session", async () => {
    const { introspect, userinfo } = helpers(at());
    const { body } = await at().login(ada, { scope: "openid" });
    for (const _ of [1, 2]) {
      const answer = await post("revoke", { token: body.access_token });
      expect([answer.status, answer.text]).toEqual([200, ""]);
    }
    expect((await introspect(body.access_token)).body).toEqual({ active: false });
    expect((await userinfo(body.access_token)).headers.get("www-authenticate")).toContain('error_description="Token verification failed"');
    expect((await refresh(body.refresh_token)).status).toBe(200);
  });

  it("revokes a refresh token and with it the session, also by one already used", async () => {
    const { introspect } = helpers(at());
    const { body: here } = await at().login(ada);
    const { body: there } = await at().login(ada);
    const { body: next } = await refresh(here.refresh_token);
    expect((await post("revoke", { token: here.refresh_token })).status).toBe(200);
    expect(refused(await refresh(next.refresh_token))).toBe("Session not active");
    expect((await introspect(next.access_token)).body).toEqual({ active: false });
    expect((await refresh(there.refresh_token)).status).toBe(200);
  });

  it("revokes a service account's token", async () => {
    const { serviceToken, userService, admin } = at();
    const live = await serviceToken(userService);
    expect((await post("revoke", { token: live }, userService)).status).toBe(200);
    expect((await admin("GET /users?max=1", { as: live })).status).toBe(401);
  });

  it.each<[string, () => Promise<string>]>([
    ["garbage", async () => "garbage"],
    [
      "what was logged out",
      async () => {
        const { body } = await at().login(ada);
        await post("logout", { refresh_token: body.refresh_token });
        return body.refresh_token;
      },
    ],
  ])("answers the revocation of %s with 200", async (_, token) => {
    const answer = await post("revoke", { token: await token() });
    expect([answer.status, answer.body]).toEqual([200, { error: "invalid_token", error_description: "Invalid token" }]);
  });

  it("refuses to revoke nothing, an ID token, another client's token", async () => {
    const { body } = await at().login(ada, { scope: "openid" });
    const none = await post("revoke", {});
    expect([none.status, none.body]).toEqual([400, { error: "invalid_request", error_description: "Token not provided" }]);
    const id = await post("revoke", { token: body.id_token });
    expect([id.status, id.body]).toEqual([400, { error: "unsupported_token_type", error_description: "Unsupported token type" }]);
    const foreign = await post("revoke", { token: body.access_token }, at().userService);
    expect([foreign.status, foreign.body]).toEqual([400, { error: "invalid_request", error_description: "Unmatching clients" }]);
  });
}
