import { REALM } from "../../identity/embedded.ts";
import { KEYCLOAK, keycloak, KEYCLOAK_ADMINISTRATOR, QUICK_HASHES, removeRealm } from "../../systems/keycloak.ts";
import { network } from "../../systems/system.ts";
import { provisioned } from "../provisioned.ts";
import type { IdentityUnderTest } from "./wire.ts";

/** A realm of its own on the Keycloak under test, provisioned for the platform by the command; it goes when it is closed. */
export async function keycloakUnderTest(): Promise<IdentityUnderTest & { close: () => Promise<void> }> {
  const realm = `gatehouse-wire-${crypto.randomUUID().slice(0, 8)}`;
  const administrator = REALM.administrator;
  const settings = await provisioned({
    IDENTITY_URL: KEYCLOAK,
    IDENTITY_REALM: realm,
    IDENTITY_ADMIN_USERNAME: KEYCLOAK_ADMINISTRATOR.username,
    IDENTITY_ADMIN_PASSWORD: KEYCLOAK_ADMINISTRATOR.password,
    ADMIN_USERNAME: administrator.username,
    ADMIN_PASSWORD: administrator.password,
  });
  await keycloak(`PUT /${realm}`, QUICK_HASHES);
  return {
    fetch: network,
    baseUrl: KEYCLOAK,
    realm,
    authService: { id: "auth-service", secret: settings["AUTH_SERVICE_CLIENT_SECRET"] ?? "" },
    userService: { id: "user-service", secret: settings["USER_SERVICE_CLIENT_SECRET"] ?? "" },
    adminService: { id: "admin-service", secret: settings["ADMIN_SERVICE_CLIENT_SECRET"] ?? "" },
    administrator,
    close: () => removeRealm(realm),
  };
}
