import { serve, type ServerType } from "@hono/node-server";
import * as oidc from "openid-client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { embeddedIdentity } from "../../src/identity/embedded/app.ts";
import { provisionIdentity } from "../../src/identity/embedded/provision.ts";
import { testDatabase, type TestDatabase } from "../database.ts";
import { REALM } from "./embedded.ts";

let database: TestDatabase;
let server: ServerType;
let config: oidc.Configuration;

/** As a stranger does it: from nothing but an issuer's URL and a client's credentials, over a socket. */
async function discovered(client: keyof typeof REALM.secrets, authentication = oidc.ClientSecretBasic) {
  const issuer = new URL(`http://127.0.0.1:${(server.address() as { port: number }).port}/realms/platform`);
  const found = await oidc.discovery(issuer, client, undefined, authentication(REALM.secrets[client]), { execute: [oidc.allowInsecureRequests] });
  // Without this, ID tokens fresh from the token endpoint are trusted without a look at their signature.
  oidc.enableNonRepudiationChecks(found);
  return found;
}

beforeAll(async () => {
  database = await testDatabase();
  // The issuer carries the port, which is known once it is bound.
  let app = embeddedIdentity({ db: database.db, url: "http://127.0.0.1", realm: "platform", now: Date.now });
  server = serve({ fetch: (request) => app.fetch(request), port: 0, hostname: "127.0.0.1" });
  await new Promise((resolve) => server.once("listening", resolve));
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  const needs = { db: database.db, url, realm: "platform", now: Date.now, iterations: 1000 };
  await provisionIdentity(needs, REALM);
  app = embeddedIdentity(needs);
  config = await discovered("auth-service");
});

afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await database.close();
});

const login = () => oidc.genericGrantRequest(config, "password", { ...REALM.administrator, email: "", scope: "openid" });

it("signs a person in, with an ID token that the library verifies", async () => {
  const tokens = await login();
  expect(tokens.claims()).toMatchObject({ aud: "auth-service", preferred_username: "admin01", email: "admin01@localhost" });
  expect(tokens.expiresIn()).toBeGreaterThan(290);
});

it("refuses a wrong password as RFC 6749 says", async () => {
  const wrong = oidc.genericGrantRequest(config, "password", { username: "admin01", password: "wrong" });
  await expect(wrong).rejects.toMatchObject({ error: "invalid_grant", status: 400 });
});

it.each([oidc.ClientSecretBasic, oidc.ClientSecretPost])("gives a client a token of its own by %o", async (authentication) => {
  const own = await discovered("user-service", authentication);
  const tokens = await oidc.clientCredentialsGrant(own);
  expect(tokens).toMatchObject({ token_type: "bearer", expires_in: 300 });
  expect(tokens.refresh_token).toBeUndefined();
});

it("tells who the token belongs to", async () => {
  const tokens = await login();
  const subject = tokens.claims()?.sub ?? "";
  expect(await oidc.fetchUserInfo(config, tokens.access_token, subject)).toMatchObject({ sub: subject, preferred_username: "admin01" });
});

it("introspects, revokes, and introspects as inactive", async () => {
  const { access_token } = await login();
  expect(await oidc.tokenIntrospection(config, access_token)).toMatchObject({ active: true, username: "admin01" });
  await oidc.tokenRevocation(config, access_token);
  expect(await oidc.tokenIntrospection(config, access_token)).toEqual({ active: false });
});

it("rotates refresh tokens, and ends the session when a used one comes again", async () => {
  const first = await login();
  const second = await oidc.refreshTokenGrant(config, first.refresh_token ?? "");
  expect(second.claims()?.sub).toBe(first.claims()?.sub);
  expect(second.refresh_token).not.toBe(first.refresh_token);
  await expect(oidc.refreshTokenGrant(config, first.refresh_token ?? "")).rejects.toMatchObject({ error: "invalid_grant" });
  await expect(oidc.refreshTokenGrant(config, second.refresh_token ?? "")).rejects.toMatchObject({ error: "invalid_grant" });
  expect(await oidc.tokenIntrospection(config, second.access_token)).toEqual({ active: false });
});

it("ends the session by revocation of its refresh token", async () => {
  const { refresh_token = "", access_token } = await login();
  await oidc.tokenRevocation(config, refresh_token);
  await expect(oidc.refreshTokenGrant(config, refresh_token)).rejects.toMatchObject({ error: "invalid_grant" });
  await expect(oidc.fetchUserInfo(config, access_token, oidc.skipSubjectCheck)).rejects.toThrow();
});

it("announces no endpoint and no grant that is not there", async () => {
  const metadata = config.serverMetadata();
  expect(metadata.authorization_endpoint).toBeUndefined();
  expect(metadata.grant_types_supported).toEqual(["password", "client_credentials", "refresh_token"]);
  const endpoints = Object.entries(metadata).filter(([name]) => name.endsWith("_endpoint") || name === "jwks_uri");
  expect(endpoints.length).toBeGreaterThan(5);
  for (const [name, url] of endpoints) expect([name, (await fetch(String(url))).status]).not.toEqual([name, 404]);
});
