import { beforeAll, describe } from "vitest";
import { adminPolicy } from "../../src/secrets/embedded/admin-policy.ts";
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
 * differs on purpose, the case leaves room for both:
 *
 * - A name of a role or a policy has the rights of both its spellings, so a `deny` is not passed in upper case.
 * - What it would not keep it refuses: bound addresses, periodic and batch tokens, response wrapping, parameter rules of
 *   policies, other namespaces. A templated path in a policy matches nothing.
 * - An expired secret-id is refused at once, and wrong ones lock nobody out.
 * - A path has at most 1,024 characters, a name 512, a document 1,000,000 bytes, and ten versions are the most.
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
