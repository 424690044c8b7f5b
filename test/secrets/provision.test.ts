import { afterAll, beforeAll, expect, it } from "vitest";
import { provisionSecrets, type SecretsToProvide } from "../../src/secrets/embedded/provision.ts";
import { allow, fresh, type Wire, wire } from "../wire/secrets/wire.ts";
import { embeddedUnderTest, type EmbeddedUnderTest } from "./embedded.ts";

let embedded: EmbeddedUnderTest;
let at: Wire;
beforeAll(async () => {
  embedded = await embeddedUnderTest();
  at = wire(embedded);
});
afterAll(() => embedded.close());

function wanted(secretId = "secret-id-1"): SecretsToProvide & { name: string; policy: string } {
  const [name, policy] = [fresh("admin"), fresh("policy")];
  return { name, policy, policies: { [policy]: allow("auth/approle/role", "list") }, approles: { [name]: { policies: [policy], roleId: `${name}-role-id`, secretId } } };
}

const login = async (name: string, secretId: string) => (await at.login({ name, roleId: `${name}-role-id` }, secretId)).status;

it("lets a service log in with what it was given, to do what its policy says", async () => {
  const { name, policy, ...provided } = wanted();
  await provisionSecrets(embedded.needs, provided);
  const { body } = await at.login({ name, roleId: `${name}-role-id` }, "secret-id-1");
  expect(body.auth).toMatchObject({ policies: ["default", policy].toSorted(), lease_duration: 3600 });
  expect((await at.call("LIST auth/approle/role", { as: body.auth.client_token })).status).toBe(200);
  expect((await at.call("LIST sys/policies/acl", { as: body.auth.client_token })).status).toBe(403);
});

it("changes nothing when repeated, from many instances at once", async () => {
  const { name, policy: _policy, ...provided } = wanted();
  await Promise.all(Array.from({ length: 8 }, () => provisionSecrets(embedded.needs, provided)));
  await provisionSecrets(embedded.needs, provided);
  const role = { name, roleId: `${name}-role-id` };
  const minted = await at.newSecretId(role);
  await provisionSecrets(embedded.needs, provided);
  expect((await at.must(`LIST auth/approle/role/${name}/secret-id`)).data.keys).toHaveLength(2);
  expect([await login(name, "secret-id-1"), await login(name, minted.secretId)]).toEqual([200, 200]);
});

it("puts a new credential in the place of the old, and brings back what was changed or deleted", async () => {
  const { name, policy, ...provided } = wanted();
  await provisionSecrets(embedded.needs, provided);
  await at.must(`POST auth/approle/role/${name}`, { body: { token_policies: ["else"] } });
  await at.must(`DELETE sys/policies/acl/${policy}`);
  const entry = { ...provided.approles[name], policies: [policy], roleId: `${name}-role-id`, secretId: "secret-id-2" };
  await provisionSecrets(embedded.needs, { ...provided, approles: { [name]: entry } });
  expect([await login(name, "secret-id-1"), await login(name, "secret-id-2")]).toEqual([400, 200]);
  expect((await at.must(`GET auth/approle/role/${name}`)).data.token_policies).toEqual([policy]);
  await at.must(`DELETE auth/approle/role/${name}`);
  await provisionSecrets(embedded.needs, { ...provided, approles: { [name]: entry } });
  expect(await login(name, "secret-id-2")).toBe(200);
});

it("fails on a policy that cannot be read, and then has changed nothing", async () => {
  const { name, policy, approles } = wanted();
  await expect(provisionSecrets(embedded.needs, { policies: { [policy]: "path" }, approles })).rejects.toThrow(SyntaxError);
  expect(await login(name, "secret-id-1")).toBe(400);
});
