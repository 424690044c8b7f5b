import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import nodeVault from "node-vault";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EVERYTHING, type EmbeddedUnderTest, embeddedUnderTest } from "./embedded.ts";

let secrets: EmbeddedUnderTest;
let server: Server;
let endpoint: string;
beforeAll(async () => {
  secrets = await embeddedUnderTest();
  server = createServer(getRequestListener(secrets.fetch)).listen(0, "127.0.0.1");
  await once(server, "listening");
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await secrets.close();
});

/** A stranger's client, signed in by AppRole. */
async function stranger() {
  const vault = nodeVault({ apiVersion: "v1", endpoint });
  const { auth } = await vault.approleLogin({ role_id: EVERYTHING.roleId, secret_id: EVERYTHING.secretId });
  vault.token = auth.client_token;
  return vault;
}

test("node-vault signs in by AppRole and learns who it is", async () => {
  const vault = await stranger();
  expect(await vault.health()).toMatchObject({ initialized: true, sealed: false });
  expect((await vault.tokenLookupSelf()).data.policies).toContain("everything");
  expect((await vault.tokenRenewSelf()).auth.client_token).toBe(vault.token);
});

test("node-vault writes, reads, patches, lists and deletes secrets", async () => {
  const vault = await stranger();
  const written = await vault.write("secret/data/platform/billing/dev", { data: { user: "mailer", password: "s3cret" } });
  expect(written.data.version).toBe(1);
  await vault.update("secret/data/platform/billing/dev", { data: { password: "n3w" } });
  expect((await vault.read("secret/data/platform/billing/dev")).data.data).toEqual({ user: "mailer", password: "n3w" });
  // Its own `list` sends Vault's verb LIST, which the HTTP parser of Node refuses before any server of ours sees it.
  expect((await vault.read("secret/metadata/platform?list=true")).data.keys).toEqual(["billing/"]);
  await vault.delete("secret/metadata/platform/billing/dev");
  await expect(vault.read("secret/data/platform/billing/dev")).rejects.toMatchObject({ response: { statusCode: 404 } });
});

test("node-vault manages policies and AppRoles, and its new role may do what its policy says", async () => {
  const vault = await stranger();
  await vault.write("secret/data/platform/reports/dev", { data: { key: "value" } });
  await vault.write("sys/policies/acl/reader", { policy: 'path "secret/data/platform/reports/dev" { capabilities = ["read"] }' });
  await vault.addApproleRole({ role_name: "reports", policies: "reader" });
  const { data: role } = await vault.getApproleRoleId({ role_name: "reports" });
  const { data: secret } = await vault.getApproleRoleSecret({ role_name: "reports" });
  const reader = nodeVault({ apiVersion: "v1", endpoint });
  reader.token = (await reader.approleLogin({ role_id: role.role_id, secret_id: secret.secret_id })).auth.client_token;
  expect((await reader.read("secret/data/platform/reports/dev")).data.data).toEqual({ key: "value" });
  await expect(reader.write("secret/data/platform/reports/dev", { data: {} })).rejects.toMatchObject({ response: { statusCode: 403 } });
});
