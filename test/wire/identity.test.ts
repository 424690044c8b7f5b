import { afterAll } from "vitest";
import { embeddedUnderTest } from "../identity/embedded.ts";
import { KEYCLOAK } from "../systems/keycloak.ts";
import { identitySuite } from "./identity.ts";
import { keycloakUnderTest } from "./identity/keycloak.ts";

// A real Keycloak 26.7 is checked instead where KEYCLOAK_URL names one, by the administrator of the whole server that
// KEYCLOAK_ADMIN and KEYCLOAK_ADMIN_PASSWORD name.
const closers: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(closers.map((close) => close())));

identitySuite(KEYCLOAK ? `Keycloak at ${KEYCLOAK}` : "the embedded identity provider", async () => {
  const opened = KEYCLOAK ? await keycloakUnderTest() : await embeddedUnderTest();
  closers.push(opened.close);
  return opened;
});
