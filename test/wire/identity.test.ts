import { afterAll } from "vitest";
import { embeddedUnderTest, underTest } from "../identity/embedded.ts";
import { identitySuite } from "./identity.ts";

// A real Keycloak 26.7, with the realm file beside this test imported, is checked instead where KEYCLOAK_URL names one.
const keycloak = process.env["KEYCLOAK_URL"];

if (keycloak) {
  identitySuite(`Keycloak at ${keycloak}`, async () => underTest(keycloak));
} else {
  const closers: (() => Promise<void>)[] = [];
  afterAll(() => Promise.all(closers.map((close) => close())));
  identitySuite("the embedded identity provider", async () => {
    const embedded = await embeddedUnderTest();
    closers.push(embedded.close);
    return embedded;
  });
}
