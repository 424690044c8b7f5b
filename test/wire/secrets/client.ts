import { beforeAll, expect, it } from "vitest";
import { type SecretsStore, vault } from "../../../src/secrets/vault.ts";
import { allow, fresh, type Wire } from "./wire.ts";

/** Our client against the server, with the administration service's own rights. */
export function clientSuite(at: () => Wire, adminPolicy: (of: { policies: string[]; platformRoles: string[] }) => string): void {
  const [own, policy] = [fresh("platform-admin"), fresh("billing-policy")];
  const newRole = { policies: [policy], tokenTtl: "1h", tokenMaxTtl: "4h", secretIdTtl: "720h" };
  let store: SecretsStore;
  beforeAll(async () => {
    await at().must(`PUT sys/policies/acl/${own}`, { body: { policy: adminPolicy({ policies: [policy], platformRoles: ["admin-service"] }) } });
    const role = await at().newRole({ token_policies: [own] });
    const { secretId } = await at().newSecretId(role);
    store = vault({ url: at().baseUrl, roleId: role.roleId, secretId, fetch: at().fetch, now: Date.now, sharesPending: true });
  });

  it("finds it healthy", () => expect(store.check(call())).resolves.toBeUndefined());

  it("makes a role once, with which its service reads its secrets and nothing else", async () => {
    const name = fresh("billing");
    expect(await store.createAppRole(call(), { name, ...newRole })).toBe("created");
    expect(await store.createAppRole(call(), { name, ...newRole, policies: ["else"] })).toBe("exists");
    expect(await store.listAppRoles(call())).toContain(name);
    expect(await store.readAppRole(call(), name)).toMatchObject({ data: { token_policies: [policy], token_ttl: 3600, token_max_ttl: 14_400, secret_id_ttl: 2_592_000 }, leaseDuration: 0 });
    await store.writePolicy(call(), { name: policy, hcl: allow(`secret/data/platform/${name}/dev`, "read") });
    await store.writeSecrets(call(), `platform/${name}/dev`, { data: { key: "value" }, cas: 0 });
    const roleId = (await store.readRoleId(call(), name)) ?? "";
    const token = (await at().login({ name, roleId }, (await store.newSecretId(call(), name)) ?? "")).body.auth.client_token;
    expect((await at().call(`GET secret/data/platform/${name}/dev`, { as: token })).body.data.data).toEqual({ key: "value" });
    expect((await at().call(`GET secret/data/platform/else/dev`, { as: token })).status).toBe(403);
    await store.deleteAppRole(call(), name);
    expect([await store.readAppRole(call(), name), await store.readRoleId(call(), name), await store.newSecretId(call(), name)]).toEqual([undefined, undefined, undefined]);
  });

  // A Vault may let in several that look at the same time: to keep a name for one is up to whoever calls.
  it("of 20 that make the same role, what is there was made by one that heard so", async () => {
    const name = fresh("billing");
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, n) => store.createAppRole(call(), { name, ...newRole, policies: [`by-${n}`] })));
    const makers = outcomes.flatMap((outcome, n) => (outcome === "created" ? [`by-${n}`] : []));
    for (const outcome of outcomes) expect(["created", "exists"]).toContain(outcome);
    const policies = (await store.readAppRole(call(), name))?.data["token_policies"];
    expect(makers.map((maker) => [maker])).toContainEqual(policies);
  });

  it("writes, patches, reads and deletes secrets", async () => {
    const below = `platform/${fresh("svc")}/dev`;
    expect(await store.readSecrets(call(), below)).toBeUndefined();
    expect(await store.patchSecrets(call(), below, { a: "1" })).toBe("missing");
    expect(await store.currentVersion(call(), below)).toBe(0);
    expect(await store.writeSecrets(call(), below, { data: { a: "1" }, cas: 0 })).toBe("written");
    expect(await store.writeSecrets(call(), below, { data: { a: "2" }, cas: 0 })).toBe("conflict");
    expect(await store.patchSecrets(call(), below, { b: "2" })).toBe("patched");
    expect(await store.readSecrets(call(), below)).toEqual({ data: { a: "1", b: "2" }, version: 2 });
    await at().must(`DELETE secret/data/${below}`);
    expect([await store.readSecrets(call(), below), await store.patchSecrets(call(), below, { c: "3" }), await store.currentVersion(call(), below)]).toEqual([undefined, "missing", 2]);
    expect(await store.writeSecrets(call(), below, { data: { c: "3" }, cas: 2 })).toBe("written");
    await store.deleteSecrets(call(), below);
    expect(await store.currentVersion(call(), below)).toBe(0);
  });

  it("lists and deletes policies, and may not write its own", async () => {
    expect(await store.listPolicies(call())).toEqual(expect.arrayContaining(["default", own, "root"]));
    await expect(store.writePolicy(call(), { name: own, hcl: allow("*", "read") })).rejects.toThrow("unusable answer");
    await store.deletePolicy(call(), policy);
    expect(await store.listPolicies(call())).not.toContain(policy);
  });
}

function call() {
  return { requestId: "request-0001", traceId: "a".repeat(32), traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01`, deadline: Date.now() + 8000 };
}
