import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, expect, it } from "vitest";
import { claimsOf, newPerson, type Answer, type Person, type Wire } from "./wire.ts";

export function refreshSuite(at: () => Wire): void {
  let ada: Person;
  beforeAll(async () => {
    ada = await newPerson(at());
  });

  const refresh = (refresh_token: string, more: Record<string, string> = {}) =>
    at().token(at().authService, { grant_type: "refresh_token", refresh_token, ...more });

  it("gives new tokens of the same session", async () => {
    const { body: first } = await at().login(ada, { scope: "openid" });
    const { status, headers, body } = await refresh(first.refresh_token);
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(body).toEqual({
      access_token: expect.any(String),
      // Counted from the next second where the old token was made in this one.
      expires_in: expect.toBeOneOf([299, 300]),
      refresh_expires_in: expect.any(Number),
      refresh_token: expect.any(String),
      token_type: "Bearer",
      id_token: expect.any(String),
      "not-before-policy": 0,
      session_state: first.session_state,
      scope: expect.any(String),
    });
    expect(body.refresh_token).not.toBe(first.refresh_token);
    expect(claimsOf(body.access_token)).toMatchObject({ sub: ada.id, sid: first.session_state, jti: expect.stringMatching(/^onrtrt:/) });
  });

  it("ends the session when a used token comes again", async () => {
    const { introspect } = helpers(at());
    const { body: first } = await at().login(ada);
    const { body: second } = await refresh(first.refresh_token);
    expect(refused(await refresh(first.refresh_token))).toBe("Maximum allowed refresh token reuse exceeded");
    expect(refused(await refresh(second.refresh_token))).toBe("Session doesn't have required client");
    expect(refused(await refresh(first.refresh_token))).toBe("Session doesn't have required client");
    expect((await introspect(second.access_token)).body).toEqual({ active: false });
  });

  it("ends the session for an older token too", async () => {
    const { body: first } = await at().login(ada);
    // Keycloak tells an older token by its second.
    await pause(1100);
    const { body: second } = await refresh(first.refresh_token);
    await pause(1100);
    const { body: third } = await refresh(second.refresh_token);
    expect(refused(await refresh(first.refresh_token))).toBe("Stale token");
    expect(refused(await refresh(third.refresh_token))).toBe("Session doesn't have required client");
  });

  it("gives exactly one of many parallel uses new tokens", async () => {
    const { body } = await at().login(ada);
    const answers = await Promise.all(Array.from({ length: 16 }, () => refresh(body.refresh_token)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(15);
  });

  it.each<[string, () => Promise<Record<string, string>>, string, string]>([
    ["no refresh token", async () => ({}), "invalid_request", "No refresh token"],
    ["a refresh token of more than 4000 characters", async () => ({ refresh_token: "x".repeat(4001) }), "invalid_request", "No refresh token"],
    ["garbage", async () => ({ refresh_token: "garbage" }), "invalid_grant", "Invalid refresh token"],
    ["an access token", async () => ({ refresh_token: (await at().login(ada)).body.access_token }), "invalid_grant", "Invalid refresh token"],
    ["an ID token", async () => ({ refresh_token: (await at().login(ada, { scope: "openid" })).body.id_token }), "invalid_grant", "Invalid refresh token"],
    ["a tampered token", async () => ({ refresh_token: tampered((await at().login(ada)).body.refresh_token) }), "invalid_grant", "Invalid refresh token"],
    ["an unknown scope", async () => ({ refresh_token: (await at().login(ada)).body.refresh_token, scope: "wibble" }), "invalid_scope", "Invalid scopes: wibble"],
  ])("refuses %s", async (_, parameters, error, error_description) => {
    const answer = await at().token(at().authService, { grant_type: "refresh_token", ...(await parameters()) });
    expect([answer.status, answer.body]).toEqual([400, { error, error_description }]);
  });

  it("refuses another client's token, and leaves it usable", async () => {
    const { body } = await at().login(ada);
    const answer = await at().token(at().userService, { grant_type: "refresh_token", refresh_token: body.refresh_token });
    expect(refused(answer)).toBe("Invalid refresh token. Token client and authorized client don't match");
    expect((await refresh(body.refresh_token)).status).toBe(200);
  });

  it("refuses a disabled user, whose tokens live again once enabled", async () => {
    const person = await newPerson(at());
    const { body } = await at().login(person, { scope: "openid" });
    const { enable, introspect, userinfo } = helpers(at());
    await enable(person, false);
    expect(refused(await refresh(body.refresh_token))).toBe("User disabled");
    expect((await introspect(body.access_token)).body).toEqual({ active: false });
    expect((await userinfo(body.access_token)).headers.get("www-authenticate")).toContain('error_description="User disabled"');
    await enable(person, true);
    expect((await introspect(body.access_token)).body.active).toBe(true);
    expect((await refresh(body.refresh_token)).status).toBe(200);
  });

  it("refuses a user whose sessions were ended, for good", async () => {
    const person = await newPerson(at());
    const { body } = await at().login(person);
    const { enable } = helpers(at());
    await enable(person, false);
    await at().admin(`POST /users/${person.id}/logout`, { as: await at().serviceToken(at().userService) });
    await enable(person, true);
    expect(refused(await refresh(body.refresh_token))).toBe("Session not active");
  });

  it("refuses a deleted user", async () => {
    const person = await newPerson(at());
    const { body } = await at().login(person);
    await at().admin(`DELETE /users/${person.id}`, { as: await at().serviceToken(at().userService) });
    expect(refused(await refresh(body.refresh_token))).toBe("Session not active");
  });

  it("keeps the session when the password is set anew", async () => {
    const person = await newPerson(at());
    const { body } = await at().login(person);
    const as = await at().serviceToken(at().userService);
    await at().admin(`PUT /users/${person.id}/reset-password`, { as, body: { type: "password", value: "Another-Horse-Battery-2" } });
    expect((await refresh(body.refresh_token)).status).toBe(200);
  });
}

/** The description of a refusal for which the client must ask the person to sign in again. */
export function refused({ status, body }: Answer): string {
  expect([status, body.error]).toEqual([400, "invalid_grant"]);
  return body.error_description;
}

export function helpers({ form, send, protocol, admin, serviceToken, authService, userService }: Wire) {
  return {
    introspect: (token: string, more: Record<string, string> = {}) =>
      form("token/introspect", { client_id: authService.id, client_secret: authService.secret, token, ...more }),
    userinfo: (token: string) => send(`${protocol}/userinfo`, { headers: { authorization: `Bearer ${token}` } }),
    enable: async ({ id }: Person, enabled: boolean) => {
      const answer = await admin(`PUT /users/${id}`, { as: await serviceToken(userService), body: { enabled } });
      expect(answer.status).toBe(204);
    },
  };
}

/** The same token with one character of its signature changed, not the last: its low bits carry nothing. */
export function tampered(token: string): string {
  const at = token.length - 10;
  return token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1);
}
