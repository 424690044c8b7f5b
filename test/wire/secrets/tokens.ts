import { expect, it } from "vitest";
import { allow, fresh, RIGHT_MISSING, TOKEN_REFUSED, type Wire } from "./wire.ts";

export function tokensSuite(at: () => Wire): void {
  async function issued(settings: Record<string, unknown> = {}) {
    const role = await at().newRole({ token_ttl: "1h", token_max_ttl: "4h", ...settings });
    const { body } = await at().login(role, (await at().newSecretId(role)).secretId);
    return { role, token: body.auth.client_token as string, accessor: body.auth.accessor as string };
  }

  it("looks itself up", async () => {
    const { token, accessor, role } = await issued();
    const { data } = await at().must("GET auth/token/lookup-self", { as: token });
    expect(data).toMatchObject({
      accessor, creation_ttl: 3600, display_name: "approle", explicit_max_ttl: 0, id: token, meta: { role_name: role.name }, num_uses: 0, orphan: true,
      path: "auth/approle/login", policies: ["default", "none"], renewable: true, type: "service",
    });
    expect(data.ttl).toBeGreaterThan(3500);
    expect(data.ttl).toBeLessThanOrEqual(3600);
  });

  it("is good in either header, and X-Vault-Token wins", async () => {
    const { token } = await issued();
    const cases: [Record<string, string>, number][] = [
      [{ authorization: `Bearer ${token}` }, 200],
      [{ authorization: `bearer ${token}` }, 403],
      [{ authorization: `Bearer ${token}`, "x-vault-token": "hvs.nope-nope-nope" }, 403],
    ];
    for (const [headers, status] of cases) expect((await at().call("GET auth/token/lookup-self", { as: null, headers })).status).toBe(status);
  });

  it("renews itself, shorter where asked, never past its maximum", async () => {
    const { token } = await issued();
    const renew = (body: unknown) => at().must("POST auth/token/renew-self", { as: token, body });
    expect((await renew({})).auth).toMatchObject({ client_token: token, lease_duration: 3600, renewable: true });
    const far = await renew({ increment: "10h" });
    expect(far.auth.lease_duration).toBeGreaterThan(14_300);
    expect(far.auth.lease_duration).toBeLessThanOrEqual(14_400);
    expect(far.warnings[0]).toMatch(/exceeded the effective max_ttl/);
    expect((await renew({ increment: "10s" })).auth.lease_duration).toBe(10);
  });

  it("revokes itself", async () => {
    const { token } = await issued();
    expect(await at().call("POST auth/token/revoke-self", { as: token })).toMatchObject({ status: 204, text: "" });
    expect(await at().call("GET auth/token/lookup-self", { as: token })).toMatchObject({ status: 403, body: { errors: [expect.stringMatching(TOKEN_REFUSED)] } });
  });

  it("outlives its secret-id and its role, but is not renewed without the role", async () => {
    const { token, role } = await issued();
    await at().must(`DELETE auth/approle/role/${role.name}`);
    expect((await at().call("GET auth/token/lookup-self", { as: token })).status).toBe(200);
    expect(await at().call("POST auth/token/renew-self", { as: token, body: {} })).toMatchObject({
      status: 500, body: { errors: [`1 error occurred:\n\t* failed to renew entry: role "${role.name}" does not exist during renewal\n\n`] },
    });
  });

  it("is used up after so many uses, of 20 at once too", async () => {
    const { token } = await issued({ token_num_uses: 3 });
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await at().call("GET auth/token/lookup-self", { as: token })).status));
    expect(statuses.filter((status) => status === 200).length).toBe(3);
  });

  it("without the default policy may not even look itself up", async () => {
    const { token } = await issued({ token_no_default_policy: true });
    expect(await at().call("GET auth/token/lookup-self", { as: token })).toMatchObject({ status: 403, body: { errors: [RIGHT_MISSING] } });
  });

  it.each([["none", null], ["an empty one", ""], ["a wrong one", "hvs.nope-nope-nope"], ["one of other letters", "a b\tc"]])("%s is refused", async (_, as) => {
    const answer = await at().call(`GET secret/data/${fresh("none")}`, { as });
    expect([answer.status, answer.body.errors]).toEqual([403, [expect.stringMatching(TOKEN_REFUSED)]]);
  });

  it("obeys a change of its policy at once, both ways", async () => {
    const name = fresh("policy");
    const path = `secret/data/${fresh("doc")}`;
    const role = await at().newRole({ token_policies: [name] });
    const as = (await at().login(role, (await at().newSecretId(role)).secretId)).body.auth.client_token;
    await at().must(`POST ${path}`, { body: { data: { a: "1" } } });
    const status = async () => (await at().call(`GET ${path}`, { as })).status;
    expect(await status()).toBe(403);
    await at().must(`PUT sys/policies/acl/${name}`, { body: { policy: allow(path, "read") } });
    expect(await status()).toBe(200);
    await at().must(`DELETE sys/policies/acl/${name}`);
    expect(await status()).toBe(403);
  });
}
