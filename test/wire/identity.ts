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
 * differs on purpose, `DIFFERENCES` says so, and the case accepts both.
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
