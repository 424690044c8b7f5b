import { expect, it } from "vitest";
import type { Wire } from "./wire.ts";

const INVALID = { status: 400, body: { errors: ["invalid role or secret ID"] } };
const UUID = /^[\da-f-]{36}$/;

const path = (name: string, rest = "") => `auth/approle/role/${name}/secret-id${rest}`;

export function secretIdsSuite(at: () => Wire): void {
  it.each([["no body", undefined], ["an empty object", {}], ["metadata", { metadata: `{"service":"svc-a"}` }]])("is minted with %s", async (_, body) => {
    const role = await at().newRole({ secret_id_ttl: "720h" });
    const { data } = await at().must(`POST ${path(role.name)}`, { body });
    expect(data).toEqual({ secret_id: expect.stringMatching(UUID), secret_id_accessor: expect.stringMatching(UUID), secret_id_num_uses: 0, secret_id_ttl: 2_592_000 });
  });

  it("may last shorter than the role says, and no longer", async () => {
    const role = await at().newRole({ secret_id_ttl: "720h", secret_id_num_uses: 2 });
    expect((await at().must(`POST ${path(role.name)}`, { body: { ttl: "2s", num_uses: 1 } })).data).toMatchObject({ secret_id_ttl: 2, secret_id_num_uses: 1 });
    const refusals = [
      [{ ttl: "721h" }, /^ttl cannot be longer than the role's secret_id_ttl/],
      [{ num_uses: 3 }, /^num_uses cannot be higher than the role's secret_id_num_uses/],
      [{ num_uses: 0 }, /^num_uses cannot be higher/],
      [{ ttl: "abc" }, /ttl/],
    ] as const;
    for (const [body, error] of refusals) {
      const refused = await at().call(`POST ${path(role.name)}`, { body });
      expect([refused.status, refused.body.errors[0]]).toEqual([400, expect.stringMatching(error)]);
    }
  });

  it.each([[{ metadata: { service: "svc-a" } }], [{ metadata: `{"a":{"b":1}}` }], [{ metadata: "hello" }]])("refuses %j", async (body) => {
    const role = await at().newRole();
    expect((await at().call(`POST ${path(role.name)}`, { body })).status).toBe(400);
  });

  it("of a role that is not there", async () => {
    const errors = [`role "nope" does not exist`];
    expect(await at().call(`POST ${path("nope")}`, { body: {} })).toMatchObject({ status: 404, body: { errors } });
    expect(await at().call(`GET ${path("nope")}?list=true`)).toMatchObject({ status: 400, body: { errors } });
    expect((await at().call("POST auth/approle/role/nope/secret-id-accessor/lookup", { body: { secret_id_accessor: "nope" } })).status).toBe(500);
  });

  it("is listed, looked up and destroyed by its accessor, never shown again", async () => {
    const role = await at().newRole({ secret_id_ttl: "720h" });
    expect(await at().call(`GET ${path(role.name)}?list=true`)).toMatchObject({ status: 404, body: { errors: [] } });
    const { secretId, accessor } = await at().newSecretId(role, { metadata: `{"by":"ADMIN1"}` });
    expect((await at().must(`GET ${path(role.name)}?list=true`)).data).toEqual({ keys: [accessor] });
    const body = { secret_id_accessor: accessor };
    const found = await at().call(`POST ${path(role.name, "-accessor/lookup")}`, { body });
    expect(found.body.data).toMatchObject({ metadata: { by: "ADMIN1" }, secret_id_accessor: accessor, secret_id_num_uses: 0, secret_id_ttl: 2_592_000, cidr_list: [] });
    expect(found.text).not.toContain(secretId);
    expect((await at().call(`POST ${path(role.name, "-accessor/destroy")}`, { body })).status).toBe(204);
    expect(await at().call(`POST ${path(role.name, "-accessor/destroy")}`, { body })).toMatchObject({
      status: 500, body: { errors: [expect.stringMatching(/^1 error occurred:\n\t\* failed to find accessor entry for secret_id_accessor: /)] },
    });
    expect(await at().call(`POST ${path(role.name, "-accessor/lookup")}`, { body })).toMatchObject({
      status: 404, body: { data: { error: expect.stringContaining("failed to find accessor entry") } },
    });
    expect(await at().login(role, secretId)).toMatchObject(INVALID);
  });

  it("is not read", async () => {
    const role = await at().newRole();
    expect((await at().call(`GET ${path(role.name)}`)).status).toBe(405);
  });
}

export function loginSuite(at: () => Wire): void {
  it("gives a token with the role's policies and lives", async () => {
    const role = await at().newRole({ token_policies: ["svc-b-policy", "Svc-A-Policy"], token_ttl: "1h", token_max_ttl: "4h" });
    const { secretId } = await at().newSecretId(role, { metadata: `{"by":"ADMIN1"}` });
    for (const method of ["POST", "PUT"]) {
      const { status, body } = await at().call(`${method} auth/approle/login`, { as: null, body: { role_id: role.roleId, secret_id: secretId } });
      expect([status, body.data]).toEqual([200, null]);
      expect(body.auth).toMatchObject({
        client_token: expect.stringMatching(/^(hvs|s)\.[\w-]{20,}$/), policies: ["default", "svc-a-policy", "svc-b-policy"],
        token_policies: ["default", "svc-a-policy", "svc-b-policy"], metadata: { by: "ADMIN1", role_name: role.name }, lease_duration: 3600, renewable: true,
        token_type: "service", orphan: true, mfa_requirement: null, num_uses: 0,
      });
    }
  });

  it("does not mind a token that is not good", async () => {
    const role = await at().newRole();
    const { secretId } = await at().newSecretId(role);
    expect((await at().call("POST auth/approle/login", { as: "hvs.nope-nope-nope", body: { role_id: role.roleId, secret_id: secretId } })).status).toBe(200);
  });

  it("takes no secret-id but the role's own", async () => {
    const [role, other] = [await at().newRole(), await at().newRole()];
    const { secretId } = await at().newSecretId(role);
    expect(await at().login(role, "wrong")).toMatchObject(INVALID);
    expect(await at().login({ name: "", roleId: "wrong" }, secretId)).toMatchObject(INVALID);
    expect(await at().login(other, secretId)).toMatchObject(INVALID);
    expect((await at().login(role, secretId)).status).toBe(200);
  });

  it.each([[{ role_id: "x" }, 400], [{ secret_id: "x" }, 500], [{}, 500]])("%j is refused", async (body, status) => {
    expect((await at().call("POST auth/approle/login", { as: null, body })).status).toBe(status);
  });

  it("counts uses exactly, of 20 at once too", async () => {
    const role = await at().newRole({ secret_id_num_uses: 3 });
    const { secretId } = await at().newSecretId(role);
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await at().login(role, secretId)).status));
    // A real server may fail for some of those who come at once; it never lets one too many through.
    expect(statuses.filter((status) => status === 200).length).toBe(3);
    expect((await at().login(role, secretId)).status).not.toBe(200);
  });

  it("ends with the role", async () => {
    const role = await at().newRole();
    const { secretId } = await at().newSecretId(role);
    await at().must(`DELETE auth/approle/role/${role.name}`);
    expect(await at().login(role, secretId)).toMatchObject(INVALID);
  });

  it.each(["root", "ROOT", " root"])("never gives the root policy: %j", async (name) => {
    const role = await at().newRole({ token_policies: ["x", name] });
    const { secretId } = await at().newSecretId(role);
    expect(await at().login(role, secretId)).toMatchObject({ status: 400, body: { errors: ["auth methods cannot create root tokens"] } });
  });
}
