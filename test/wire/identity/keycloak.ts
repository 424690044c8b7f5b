import process from "node:process";
import { REALM } from "../../identity/embedded.ts";
import { provisioned } from "../provisioned.ts";
import type { IdentityUnderTest } from "./wire.ts";

/** What the tests change of the realm: hashing costs most of a sign-in, and they sign in often. */
const OF_THE_TESTS = { passwordPolicy: "hashAlgorithm(pbkdf2-sha256) and hashIterations(1)" };

/** A realm of its own on the Keycloak at `url`, provisioned for the platform; it goes when it is closed. */
export async function keycloakUnderTest(url: string): Promise<IdentityUnderTest & { close: () => Promise<void> }> {
  const { KEYCLOAK_ADMIN: username = "admin", KEYCLOAK_ADMIN_PASSWORD: password = "" } = process.env;
  const realm = `gatehouse-wire-${crypto.randomUUID().slice(0, 8)}`;
  const administrator = REALM.administrator;
  const settings = await provisioned({
    IDENTITY_URL: url,
    IDENTITY_REALM: realm,
    IDENTITY_ADMIN_USERNAME: username,
    IDENTITY_ADMIN_PASSWORD: password,
    ADMIN_USERNAME: administrator.username,
    ADMIN_PASSWORD: administrator.password,
  });
  const administer = async (method: string, body?: unknown) => {
    const response = await fetch(`${url}/admin/realms/${realm}`, {
      method,
      headers: { authorization: `Bearer ${await tokenOf(url, { username, password })}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`Cannot ${method} the realm "${realm}": ${response.status} ${await response.text()}`);
  };
  await administer("PUT", OF_THE_TESTS);
  return {
    fetch: (request) => fetch(request),
    baseUrl: url,
    realm,
    authService: { id: "auth-service", secret: settings["AUTH_SERVICE_CLIENT_SECRET"] ?? "" },
    userService: { id: "user-service", secret: settings["USER_SERVICE_CLIENT_SECRET"] ?? "" },
    adminService: { id: "admin-service", secret: settings["ADMIN_SERVICE_CLIENT_SECRET"] ?? "" },
    administrator,
    close: () => administer("DELETE"),
  };
}

async function tokenOf(url: string, credentials: { username: string; password: string }): Promise<string> {
  const form = { grant_type: "password", client_id: "admin-cli", ...credentials };
  const response = await fetch(`${url}/realms/master/protocol/openid-connect/token`, { method: "POST", body: new URLSearchParams(form) });
  return ((await response.json()) as { access_token: string }).access_token;
}
