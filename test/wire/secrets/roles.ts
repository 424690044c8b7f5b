import { expect, it } from "vitest";
import { fresh, type Wire } from "./wire.ts";

const UNSUPPORTED_PATH = { errors: ["1 error occurred:\n\t* unsupported path\n\n"] };
const UNSUPPORTED_OPERATION = { errors: ["1 error occurred:\n\t* unsupported operation\n\n"] };

const role = (name: string) => `auth/approle/role/${name}`;

export function rolesSuite(at: () => Wire): void {
  it("creates, reads and lists one, in the envelope", async () => {
    const name = fresh("svc");
    const body = { token_policies: ["svc-a-policy"], token_ttl: "1h", token_max_ttl: "4h", secret_id_ttl: "720h", secret_id_num_uses: 0, bind_secret_id: true };
    const made = await at().call(`POST ${role(name)}`, { body });
    expect([made.status, made.text]).toEqual([204, ""]);
    const read = await at().call(`GET ${role(name)}`);
    expect(read.body).toMatchObject({
      request_id: expect.stringMatching(/^[\da-f-]{36}$/), lease_id: "", renewable: false, lease_duration: 0, wrap_info: null, warnings: null, auth: null,
      data: {
        bind_secret_id: true, local_secret_ids: false, secret_id_bound_cidrs: null, secret_id_num_uses: 0, secret_id_ttl: 2_592_000, token_bound_cidrs: [],
        token_explicit_max_ttl: 0, token_max_ttl: 14_400, token_no_default_policy: false, token_num_uses: 0, token_period: 0,
        token_policies: ["svc-a-policy"], token_ttl: 3600, token_type: "default",
      },
    });
    expect([read.headers.get("content-type"), read.headers.get("cache-control")]).toEqual(["application/json", "no-store"]);
    for (const line of [`GET ${role("")}?list=true`, "GET auth/approle/role?list=true", "LIST auth/approle/role", "GET auth/approle/role?list=1"]) {
      expect((await at().call(line)).body.data.keys).toContain(name);
    }
  });

  it("keeps what a second write omits, and takes a list as one text", async () => {
    const { name } = await at().newRole({ token_policies: ["one"], token_ttl: 3600, token_max_ttl: 14_400 });
    expect((await at().call(`PUT ${role(name)}`, { body: { token_policies: "two,three" } })).status).toBe(204);
    expect((await at().must(`GET ${role(name)}`)).data).toMatchObject({ token_policies: ["two", "three"], token_ttl: 3600, token_max_ttl: 14_400 });
  });

  it.each([["no body", undefined], ["an empty object", {}], ["a field it does not know", { token_policies: ["x"], nonsense: 1 }]])("is made by %s", async (_, body) => {
    expect((await at().call(`POST ${role(fresh("svc"))}`, { body })).status).toBe(204);
  });

  it("warns of a life longer than the server's", async () => {
    const made = await at().call(`POST ${role(fresh("svc"))}`, { body: { token_ttl: "10000h", token_max_ttl: "20000h" } });
    expect([made.status, made.body.data]).toEqual([200, null]);
    expect(made.body.warnings[0]).toMatch(/^token_max_ttl is greater/);
  });

  it("refuses a life longer than its own maximum, also when merged", async () => {
    const errors = ["'token_ttl' cannot be greater than 'token_max_ttl'"];
    const { name } = await at().newRole({ token_ttl: "1h", token_max_ttl: "4h" });
    expect((await at().call(`POST ${role(fresh("svc"))}`, { body: { token_ttl: "5h", token_max_ttl: "4h" } })).body).toEqual({ errors });
    expect(await at().call(`POST ${role(name)}`, { body: { token_ttl: "5h" } })).toMatchObject({ status: 400, body: { errors } });
    expect((await at().must(`GET ${role(name)}`)).data.token_ttl).toBe(3600);
  });

  it("refuses a role that nothing binds", async () => {
    const refused = await at().call(`POST ${role(fresh("svc"))}`, { body: { bind_secret_id: false } });
    expect(refused).toMatchObject({ status: 500, body: { errors: ["1 error occurred:\n\t* at least one constraint should be enabled on the role\n\n"] } });
  });

  it.each([{ token_ttl: "abc" }, { token_policies: { a: 1 } }, { token_num_uses: "x" }])("refuses %j", async (body) => {
    const name = fresh("svc");
    expect((await at().call(`POST ${role(name)}`, { body })).status).toBe(400);
    expect((await at().call(`GET ${role(name)}`)).status).toBe(404);
  });

  it("is not there, and deleting it again is fine", async () => {
    const { name } = await at().newRole();
    for (let n = 0; n < 2; n++) expect(await at().call(`DELETE ${role(name)}`)).toMatchObject({ status: 204, text: "" });
    for (const path of [name, `${name}/role-id`]) expect(await at().call(`GET ${role(path)}`)).toMatchObject({ status: 404, body: { errors: [] } });
  });

  it("means the same in any case", async () => {
    const name = fresh("Svc-Upper");
    await at().must(`POST ${role(name)}`, { body: { token_policies: ["x"] } });
    expect((await at().call(`GET ${role(name.toUpperCase())}`)).status).toBe(200);
    expect((await at().must(`GET ${role(name.toUpperCase())}/role-id`)).data.role_id).toMatch(/^[\da-f-]{36}$/);
    expect((await at().must(`POST ${role(name.toUpperCase())}/secret-id`, { body: {} })).data.secret_id).toMatch(/^[\da-f-]{36}$/);
    expect((await at().must("LIST auth/approle/role")).data.keys).toContain(name.toLowerCase());
  });

  it.each(["svc.", ".svc", "-svc", "svc-", "svc%20sp", "svc+p", "a/b", "a%2Fb", "Gr%C3%B6%C3%9Fe", "%25", "a;b", "a%3Fb", "a%23b", "a%5Cb"])("has no role called %s", async (name) => {
    expect(await at().call(`POST ${role(name)}`, { body: { token_policies: ["x"] } })).toMatchObject({ status: 404, body: UNSUPPORTED_PATH });
  });

  it.each(["a%00b", "a%0Ab"])("refuses a control character: %s", async (name) => {
    expect(await at().call(`POST ${role(name)}`, { body: {} })).toMatchObject({ status: 400, text: "" });
  });

  it("does not list without being asked to, nor take another method", async () => {
    expect(await at().call("GET auth/approle/role")).toMatchObject({ status: 405, body: UNSUPPORTED_OPERATION });
    const { name } = await at().newRole();
    expect((await at().call(`PATCH ${role(name)}`, { body: {}, headers: { "content-type": "application/merge-patch+json" } })).status).toBe(405);
    expect(await at().call("GET auth/approle/role?list=yes")).toMatchObject({ status: 400, body: { errors: [] } });
  });

  // Vault looks whether there is one before it takes the role's lock, so it may let in several; what they wrote is not mixed.
  it("of 20 parallel creations without the right to change, whoever is refused writes over nothing", async () => {
    const name = fresh("svc");
    const as = await at().tokenWith(`path "auth/approle/role/+" { capabilities = ["create", "read"] }`);
    const tries = Array.from({ length: 20 }, (_, n) => at().call(`POST ${role(name)}`, { as, body: { token_policies: [`by-${n}`] } }));
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    const makers = statuses.flatMap((status, n) => (status === 204 ? [`by-${n}`] : []));
    for (const status of statuses) expect([204, 403, 500]).toContain(status);
    const { token_policies: policies } = (await at().must(`GET ${role(name)}`)).data;
    expect(policies).toHaveLength(1);
    expect(makers).toContain(policies[0]);
  });
}
