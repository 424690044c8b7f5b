import { afterAll } from "vitest";
import { embeddedUnderTest } from "../secrets/embedded.ts";
import { secretsSuite } from "./secrets.ts";
import { wire } from "./secrets/wire.ts";

// A real Vault or OpenBao is checked instead where VAULT_URL names one, with a root token in VAULT_TOKEN.
const url = process.env["VAULT_URL"];

if (url) {
  secretsSuite(`the secrets store at ${url}`, async () => {
    const under = { fetch: (request: Request) => fetch(request), baseUrl: url, token: process.env["VAULT_TOKEN"] ?? "" };
    // Answers 400 where it is mounted already.
    await wire(under).call("POST sys/auth/approle", { body: { type: "approle" } });
    return under;
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
