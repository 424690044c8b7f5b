import type { IncomingMessage, RequestListener } from "node:http";
import { expect, test } from "vitest";
import type { Settings } from "../command.ts";
import { answering, scripted } from "../doctor/upstream.ts";
import { ownFolder } from "../workers/folder.ts";
import { provision } from "./command.ts";

const LIMIT_MS = 60_000;
const TOKEN = "/realms/master/protocol/openid-connect/token";
const BY_NAME = { IDENTITY_ADMIN_USERNAME: "root", IDENTITY_ADMIN_PASSWORD: "canary" };
const BY_CLIENT = { IDENTITY_ADMIN_CLIENT_ID: "robot", IDENTITY_ADMIN_CLIENT_SECRET: "canary" };

const told = (settings: Settings): Settings => ({ GATEHOUSE_DATA: ownFolder(), ...settings });

test.each<[what: string, routes: Record<string, unknown>, credentials: Settings, says: string]>([
  ["a wrong password", { [TOKEN]: [401, { error: "invalid_grant" }] }, BY_NAME, 'as "root": it answered 401: is IDENTITY_ADMIN_PASSWORD right?\n'],
  ["a refused sign-in", { [TOKEN]: [400, { error: "invalid_grant" }] }, BY_NAME, 'as "root": it answered 400: is IDENTITY_ADMIN_PASSWORD right?\n'],
  ["a wrong secret of a client", { [TOKEN]: [401, { error: "unauthorized_client" }] }, BY_CLIENT, 'as "robot": it answered 401: is IDENTITY_ADMIN_CLIENT_SECRET right?\n'],
  ["another path", {}, BY_NAME, 'as "root": it answered 404: IDENTITY_URL is the base URL, with its http-relative-path if it has one\n'],
  ["an administrator without rights", { [TOKEN]: { access_token: "token", expires_in: 60 }, "/admin/realms/platform": [403, {}] }, BY_NAME, "it answered 403, so IDENTITY_ADMIN_USERNAME has not the right\n"],
  ["a client without rights", { [TOKEN]: { access_token: "token", expires_in: 60 }, "/admin/realms/platform": [403, {}] }, BY_CLIENT, "it answered 403, so IDENTITY_ADMIN_CLIENT_ID has not the right\n"],
])("Of a Keycloak, %s is said with what mends it", async (_, routes, credentials, says) => {
  const { code, output } = await provision(told({ IDENTITY_URL: await scripted(answering(routes)), ...credentials }), "--yes");
  expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(says) });
  expect(output).not.toContain("canary");
}, LIMIT_MS);

test("Of a Vault, a token that it refuses is said with what mends it", async () => {
  const url = await scripted(answering({ "/v1/sys/health": { initialized: true, sealed: false }, "/v1/sys/mounts": [403, { errors: ["permission denied"] }], "/v1/sys/auth": [403, {}] }));
  const { code, output } = await provision(told({ SECRETS_URL: url, SECRETS_ADMIN_TOKEN: "canary" }), "--yes");
  expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(/: it answered 403: SECRETS_ADMIN_TOKEN is wrong, has expired, or has not the right\n$/) });
  expect(output).not.toContain("canary");
}, LIMIT_MS);

/** A Keycloak whose realm has two users, of whom `holder` has the role ADMIN. */
function withAdministrator(holder: string): RequestListener {
  const mine = "/admin/realms/platform";
  const users = [{ id: "1", username: "boss" }, { id: "2", username: "operator" }];
  return (request: IncomingMessage, response) => {
    const named = new URL(request.url ?? "", "http://keycloak").searchParams.get("username");
    const mappings = users.map(({ id, username }) => [`${mine}/users/${id}/role-mappings`, { realmMappings: username === holder ? [{ name: "ADMIN" }] : [] }]);
    return answering({
      [TOKEN]: { access_token: "token", expires_in: 60 },
      [mine]: { realm: "platform" },
      "/realms/platform/.well-known/openid-configuration": { issuer: `http://${request.headers.host}/realms/platform` },
      [`${mine}/clients`]: [200, []],
      [`${mine}/roles/ADMIN/users`]: [200, users.filter(({ username }) => username === holder)],
      [`${mine}/users`]: [200, users.filter(({ username }) => username === named)],
      ...Object.fromEntries(mappings),
    })(request, response);
  };
}

test.each<[holder: string, settings: Settings, isSaid: boolean]>([
  ["boss", { ADMIN_USERNAME: "operator" }, true],
  ["boss", { ADMIN_USERNAME: "somebody.new" }, true],
  ["boss", { ADMIN_USERNAME: "boss" }, false],
  ["boss", {}, false],
])("Where %s has the role ADMIN, whoever gives %j is told whether that is not used: %s", async (holder, settings, isSaid) => {
  const { code, output } = await provision(told({ IDENTITY_URL: await scripted(withAdministrator(holder)), ...BY_NAME, ...settings }), "--dry-run");
  expect(code, output).toBe(3);
  expect(output).not.toContain("Make the first administrator");
  const note = `   - ADMIN_USERNAME "${settings["ADMIN_USERNAME"]}" is not used: somebody has the role ADMIN already\n`;
  expect([output.includes(note), output.includes("is not used")]).toEqual([isSaid, isSaid]);
}, LIMIT_MS);
