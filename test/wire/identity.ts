import { beforeAll, describe } from "vitest";
import { clientsSuite } from "./identity/clients.ts";
import { discoverySuite } from "./identity/discovery.ts";
import { endingSuite } from "./identity/ending.ts";
import { introspectionSuite } from "./identity/introspection.ts";
import { loginSuite } from "./identity/login.ts";
import { refreshSuite } from "./identity/refresh.ts";
import { rightsSuite } from "./identity/rights.ts";
import { rolesSuite } from "./identity/roles.ts";
import { tokenSuite } from "./identity/token.ts";
import { userChangesSuite } from "./identity/user-changes.ts";
import { usersSuite } from "./identity/users.ts";
import { wire, type IdentityUnderTest, type Wire } from "./identity/wire.ts";

/**
 * What an identity provider must answer for the platform to stand on it, as Keycloak 26.7.3 does. Where the embedded one
 * differs on purpose, the case says so and accepts both:
 *
 * - It announces, and answers, only what it offers: no browser flows, so no authorization endpoint, and a logout without
 *   a refresh token is refused instead of answered with a page that asks the person.
 * - It has no certificates and encrypts nothing: `/certs` is its one signing key, without `x5c`.
 * - `scope` has only what its tokens depend on, so a refresh token lists three scopes and not eight.
 * - "Unrecognized field" comes without line and column.
 * - It does not know where a request came from: no `clientHost`, `clientAddress`, `ipAddress`.
 * - A client made over the Admin REST has no optional scopes, above all no `offline_access`.
 */
export function identitySuite(name: string, open: () => Promise<IdentityUnderTest>): void {
  describe(name, () => {
    let opened: Wire;
    beforeAll(async () => {
      opened = wire(await open());
    });
    const at = () => opened;
    describe("discovery", () => discoverySuite(at));
    describe("token: clients", () => tokenSuite(at));
    describe("token: people", () => loginSuite(at));
    describe("token: refresh", () => refreshSuite(at));
    describe("logout and revoke", () => endingSuite(at));
    describe("introspect and userinfo", () => introspectionSuite(at));
    describe("admin: users", () => usersSuite(at));
    describe("admin: changes of a user", () => userChangesSuite(at));
    describe("admin: roles", () => rolesSuite(at));
    describe("admin: clients", () => clientsSuite(at));
    describe("admin: rights", () => rightsSuite(at));
  });
}
