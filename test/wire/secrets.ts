import { beforeAll, describe } from "vitest";
import { adminPolicy } from "../../src/secrets/platform-policies.ts";
import { clientSuite } from "./secrets/client.ts";
import { loginSuite, secretIdsSuite } from "./secrets/credentials.ts";
import { versionsSuite, writesSuite } from "./secrets/key-values.ts";
import { healthSuite, pathsSuite } from "./secrets/paths.ts";
import { policiesSuite } from "./secrets/policies.ts";
import { adminRightsSuite, rightsSuite } from "./secrets/rights.ts";
import { rolesSuite } from "./secrets/roles.ts";
import { tokensSuite } from "./secrets/tokens.ts";
import { wire, type SecretsUnderTest, type Wire } from "./secrets/wire.ts";

/**
 * What a secrets store must answer for the platform to stand on it, as Vault 1.21 and OpenBao 2.6 do. Where the embedded one
 * differs on purpose, `DIFFERENCES` says so, and the case leaves room for both.
 */
export function secretsSuite(name: string, open: () => Promise<SecretsUnderTest>): void {
  describe(name, () => {
    let opened: Wire;
    beforeAll(async () => {
      opened = wire(await open());
    });
    const at = () => opened;
    describe("health", () => healthSuite(at));
    describe("AppRole: roles", () => rolesSuite(at));
    describe("AppRole: secret-ids", () => secretIdsSuite(at));
    describe("AppRole: login", () => loginSuite(at));
    describe("tokens", () => tokensSuite(at));
    describe("secrets: writing", () => writesSuite(at));
    describe("secrets: versions", () => versionsSuite(at));
    describe("policies", () => policiesSuite(at));
    describe("rights", () => rightsSuite(at));
    describe("rights of the administration service", () => adminRightsSuite(at, adminPolicy));
    describe("paths", () => pathsSuite(at));
    describe("the client", () => clientSuite(at, adminPolicy));
  });
}
