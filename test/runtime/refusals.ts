import type { JWK } from "jose";
import { expect, test } from "vitest";
import { person } from "../platform.ts";
import type { client } from "./client.ts";
import { hostileTokens } from "./hostile-tokens.ts";
import type { Launched } from "./launch.ts";
import { statusOf } from "./raw.ts";

type At = { platform: Launched; request: ReturnType<typeof client>; signIn: () => ReturnType<ReturnType<typeof client>> };

/** What is refused at the gateway, and how; `signIn` is an administrator's. */
export function refusals(at: () => At): void {
  test("a token that is not what it says is refused", async () => {
    const { platform, request, signIn } = at();
    const { body } = await signIn();
    const certs = await fetch(`${platform.issuer}/protocol/openid-connect/certs`);
    const keys = (await certs.json()) as { keys: JWK[] };
    for (const [name, token] of Object.entries(await hostileTokens(body["access_token"], { refresh: body["refresh_token"], keys }))) {
      const { status, headers, body } = await request("/api/users/me", { token });
      expect({ name, status, code: body["code"], challenge: headers.get("www-authenticate") }).toEqual({
        name,
        status: 401,
        code: "UNAUTHENTICATED_401",
        challenge: 'Bearer error="invalid_token"',
      });
    }
  });

  test("bad input is a documented 400, 413 or 415", async () => {
    const { platform, request } = at();
    const invalid = await request("/api/users/register", { json: { ...person(), password: "short", emailId: "nobody" } });
    expect({ status: invalid.status, code: invalid.body["code"] }).toEqual({ status: 400, code: "VALIDATION_FAILED_400" });
    expect(new Set(invalid.body["errors"].map(({ path }: { path: string }) => path))).toEqual(new Set(["password", "emailId"]));
    const send = (body: string, type: string) => fetch(`${platform.gateway}/api/users/register`, { method: "POST", headers: { "content-type": type }, body });
    const statuses = await Promise.all([send("{", "application/json"), send("a=b", "application/x-www-form-urlencoded"), send(`"${"a".repeat(70_000)}"`, "application/json")]);
    expect(statuses.map(({ status }) => status)).toEqual([400, 415, 413]);
  });

  test("no spelling of a path leads to what is internal", async () => {
    const spellings = [
      "/internal/api/login-attempts",
      "//internal/api/login-attempts",
      "/api/users/../../internal/api/login-attempts",
      "/api/users/%2e%2e/%2e%2e/internal/api/login-attempts",
      "/api/users/..%2f..%2finternal/api/login-attempts",
      "/api/users/..%252f..%252finternal/api/login-attempts",
      "/api/users\\..\\..\\internal\\api\\login-attempts",
      "/api/users;/../../internal/api/login-attempts",
      "/INTERNAL/api/login-attempts",
      "/./internal/api/login-attempts",
    ];
    for (const path of spellings) expect({ path, status: await statusOf(at().platform.gateway, path) }).toEqual({ path, status: expect.toBeOneOf([400, 404]) });
  });
}
