import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundledPolicies } from "../../src/admin/policies/bundled.ts";
import { problemOf } from "../http/problem.ts";
import { type AdminPlatform, adminPlatform, auditOf } from "./instance.ts";

let platform: AdminPlatform;
beforeAll(async () => {
  platform = await adminPlatform();
});
afterAll(() => platform.close());

const PATH = "/api/admin/vault/policies";
const FOLDER = new URL("../../policies/", import.meta.url);
const names = async () => (await (await platform.call("GET", PATH)).json()) as string[];
const write = (service: string, on: Pick<AdminPlatform, "call"> = platform) => on.call("POST", `${PATH}?service=${service}`);

test("what is bundled are the files of the folder, one for each of the platform's own services", () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith(".hcl"));
  expect(files.toSorted()).toEqual(["admin-service", "auth-service", "gateway", "user-service"].map((service) => `${service}-policy.hcl`));
  const texts = Object.fromEntries(files.map((name) => [name.replace("-policy.hcl", ""), readFileSync(new URL(name, FOLDER), "utf8")]));
  // If not: `node policies/bundle.ts`.
  expect(bundledPolicies).toEqual(texts);
});

test("a policy is written from the service's file, listed, and deleted", async () => {
  const response = await write("user-service");
  expect({ status: response.status, body: await response.json() }).toEqual({ status: 200, body: { responseCode: "VAULT_POLICY_CREATED_200", responseMessage: "Policy written" } });
  expect(await names()).toEqual(expect.arrayContaining(["default", "root", "user-service-policy"]));
  expect((await write("user-service")).status).toBe(200);
  const deleted = await platform.call("DELETE", `${PATH}?service=user-service`);
  expect({ status: deleted.status, body: await deleted.json() }).toEqual({ status: 200, body: { responseCode: "VAULT_POLICY_DELETED_200", responseMessage: "Policy deleted" } });
  expect(await names()).not.toContain("user-service-policy");
  expect(await problemOf(await platform.call("DELETE", `${PATH}?service=user-service`))).toEqual({ status: 404, code: "VAULT_POLICY_NOT_FOUND_404" });
  expect((await auditOf(platform, "policy/user-service-policy")).map(({ operation, outcome }) => `${operation} ${outcome}`)).toEqual([
    "createPolicy succeeded",
    "createPolicy succeeded",
    "deletePolicy succeeded",
    "deletePolicy refused",
  ]);
});

test("with its policy a service reads its own secrets, and does nothing else", async () => {
  for (const service of Object.keys(bundledPolicies)) {
    expect((await write(service)).status).toBe(200);
    await platform.call("POST", "/api/admin/vault-secrets", { json: { service, secrets: [{ key: "of", secret: service }] } });
  }
  const created = await platform.call("POST", "/api/admin/vault-approle", { json: { roleName: "user-service", policies: ["user-service-policy"] } });
  const { roleId, secretId } = (await created.json()) as { roleId: string; secretId: string };
  const login = new Request(`${platform.secretsUrl}/v1/auth/approle/login`, { method: "POST", body: JSON.stringify({ role_id: roleId, secret_id: secretId }) });
  const { auth } = (await (await platform.systems.secrets(login)).json()) as { auth: { client_token: string } };
  const as = async (method: string, path: string, body?: unknown) => {
    const headers = { "x-vault-token": auth.client_token, "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json" };
    return (await platform.systems.secrets(new Request(`${platform.secretsUrl}/v1${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }))).status;
  };
  const own = "/secret/data/platform/user-service/dev";
  expect(await as("GET", own)).toBe(200);
  const refused: [string, string, unknown?][] = [
    ["GET", "/secret/data/platform/auth-service/dev"],
    ["POST", own, { data: { a: "1" } }],
    ["PATCH", own, { data: { a: "1" } }],
    ["DELETE", "/secret/metadata/platform/user-service/dev"],
    ["GET", "/auth/approle/role?list=true"],
    ["POST", "/auth/approle/role/user-service/secret-id", {}],
    ["PUT", "/sys/policies/acl/user-service-policy", { policy: 'path "*" { capabilities = ["read"] }' }],
  ];
  for (const [method, path, body] of refused) expect({ method, path, status: await as(method, path, body) }).toEqual({ method, path, status: 403 });
});

test("a service without a file has no policy to write, whatever objects inherit; what an operator adds is there", async () => {
  const sent = await platform.sentBy(async () => {
    for (const service of ["order-service", "constructor", "valueof"]) expect(await problemOf(await write(service))).toEqual({ status: 404, code: "VAULT_POLICY_NOT_FOUND_404" });
  });
  expect(sent).toEqual([]);
  const withMore = platform.adminInstance({}, { policies: { ...bundledPolicies, "user-service": 'path "secret/data/platform/user-service/*" { capabilities = ["read"] }' } });
  const before = platform.sent.length;
  expect((await write("user-service", withMore)).status).toBe(200);
  expect(platform.sent.slice(before).find(({ method }) => method === "PUT")?.body).toContain("user-service/*");
});

test("policies that are no service's own are never deleted", async () => {
  for (const service of ["default", "root", "platform-admin"]) {
    expect(await problemOf(await platform.call("DELETE", `${PATH}?service=${service}`))).toEqual({ status: 404, code: "VAULT_POLICY_NOT_FOUND_404" });
  }
  expect(await names()).toEqual(expect.arrayContaining(["default", "root", "platform-admin"]));
});
