import { afterAll } from "vitest";
import { embeddedUnderTest } from "../secrets/embedded.ts";
import { network } from "../systems/system.ts";
import { VAULT, VAULT_TOKEN } from "../systems/vault.ts";
import { provisioned } from "./provisioned.ts";
import { secretsSuite } from "./secrets.ts";

// A real Vault or OpenBao is checked instead where VAULT_URL names one, with a root token in VAULT_TOKEN.
if (VAULT) {
  secretsSuite(`the secrets store at ${VAULT}`, async () => {
    await provisioned({ SECRETS_URL: VAULT, SECRETS_ADMIN_TOKEN: VAULT_TOKEN });
    return { fetch: network, baseUrl: VAULT, token: VAULT_TOKEN };
  });
} else {
  const closers: (() => Promise<void>)[] = [];
  afterAll(() => Promise.all(closers.map((close) => close())));
  secretsSuite("the embedded secrets store", async () => {
    const embedded = await embeddedUnderTest();
    closers.push(embedded.close);
    return embedded;
  });
}
