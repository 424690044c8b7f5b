import process from "node:process";
import { afterAll } from "vitest";
import { embeddedUnderTest } from "../secrets/embedded.ts";
import { provisioned } from "./provisioned.ts";
import { secretsSuite } from "./secrets.ts";

// A real Vault or OpenBao is checked instead where VAULT_URL names one, with a root token in VAULT_TOKEN.
const { VAULT_URL: url, VAULT_TOKEN: token = "" } = process.env;

if (url) {
  secretsSuite(`the secrets store at ${url}`, async () => {
    await provisioned({ SECRETS_URL: url, SECRETS_ADMIN_TOKEN: token });
    return { fetch: (request) => fetch(request), baseUrl: url, token };
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
