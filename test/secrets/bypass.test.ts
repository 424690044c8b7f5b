import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allow, fresh, MERGE_PATCH, type Wire, wire } from "../wire/secrets/wire.ts";
import { embeddedUnderTest, type EmbeddedUnderTest } from "./embedded.ts";

const CANARY = "canary-of-the-other-service";

let embedded: EmbeddedUnderTest;
let at: Wire;
beforeAll(async () => {
  embedded = await embeddedUnderTest();
  at = wire(embedded);
});
afterAll(() => embedded.close());

/** Every way to write `T/svc-b/dev` that a holder of rights below `T/svc-a` might try. */
const SPELLINGS = [
  "T/svc-b/dev", "T/SVC-B/dev", "T/svc-b/dev/", "T/svc-b//dev", "T//svc-b/dev", "T/svc-b/./dev", "T/svc-a/../svc-b/dev", "T/svc-a/%2e%2e/svc-b/dev", "T/svc-a/.%2e/svc-b/dev",
  "T/svc-a/%2E./svc-b/dev", "T/svc-a%2f..%2fsvc-b%2fdev", "T/svc-a%2F%2e%2e%2Fsvc-b/dev", "T/svc-a/..%2fsvc-b/dev", "T/svc-a/%252e%252e/svc-b/dev", "T/svc-a/..;/svc-b/dev",
  "T/svc-a\\..\\svc-b\\dev", "T/svc-a%5c..%5csvc-b%5cdev", "T/svc-a/%00../svc-b/dev", "T/svc-a/%0a/../svc-b/dev", "T/svc-a/%c0%ae%c0%ae/svc-b/dev", "T/svc-a/．．/svc-b/dev",
  "T/svc-a%2f%2f..%2fsvc-b/dev", "T/svc-a/?/../svc-b/dev", "T/svc-a/#/../svc-b/dev", "/T/svc-b/dev", "%2fT/svc-b/dev", "T/svc-a*/dev", "T/+/dev", "T/*", "T/svc-a/../../secret/data/T/svc-b/dev",
];

describe("a token for one service", () => {
  it.each(SPELLINGS)("neither reads nor changes another's secrets as %s", async (spelling) => {
    const tree = fresh("tree");
    const own = `secret/data/${tree}/svc-b/dev`;
    await at.must(`POST ${own}`, { body: { data: { secret: CANARY } } });
    const as = await at.tokenWith(allow(`secret/+/${tree}/svc-a/*`, "create", "read", "update", "patch", "delete", "list") + allow(`secret/+/${tree}/svc-a`, "read", "list"));
    const path = spelling.replaceAll("T", tree);
    for (const [line, sent] of [
      [`GET secret/data/${path}`, {}],
      [`GET secret/subkeys/${path}`, {}],
      [`LIST secret/metadata/${path}`, {}],
      [`GET secret/metadata/${path}`, {}],
      [`POST secret/data/${path}`, { body: { data: { secret: "mine" } } }],
      [`PATCH secret/data/${path}`, { body: { data: { secret: "mine" } }, headers: MERGE_PATCH }],
      [`POST secret/destroy/${path}`, { body: { versions: [1] } }],
      [`DELETE secret/data/${path}`, {}],
      [`DELETE secret/metadata/${path}`, {}],
    ] as const) {
      const answer = await at.call(line, { ...sent, as });
      expect(answer.text).not.toContain(CANARY);
      expect([200, 204, 307, 400, 403, 404, 405]).toContain(answer.status);
    }
    expect((await at.must(`GET ${own}`)).data).toMatchObject({ data: { secret: CANARY }, metadata: { version: 1 } });
  });

  it.each(["svc-a%2f..%2fsvc-b/dev", "svc-a%2F%2e%2e", "svc-a/x%2f.%2fy", "svc-a%2f%2fx", "svc-a%2F..", "%2fsvc-a"])("is told that %s is no path, though its rights begin like that", async (path) => {
    const as = await at.tokenWith(allow("secret/data/*", "create", "read", "update"));
    for (const line of [`GET secret/data/${path}`, `POST secret/data/${path}`]) expect((await at.call(line, { as, body: line.startsWith("P") ? { data: {} } : undefined })).status).toBe(400);
  });

  it("is asked for its rights where the store is asked for the secret", async () => {
    const tree = fresh("tree");
    const as = await at.tokenWith(allow(`secret/data/${tree}/*`, "create", "update"));
    // Whatever a spelling means, what was written must lie below what was allowed.
    for (const spelling of SPELLINGS) await at.call(`POST secret/data/${spelling.replaceAll("T", `${tree}/x`)}`, { as, body: { data: { by: as.slice(0, 3) } } });
    const rows = await embedded.database.query("select path from secrets.documents where created >= $1", [String(Date.now() - 60_000)]);
    const strays = rows.map(({ path }) => path ?? "").filter((path) => path.includes(tree) && !path.startsWith(`${tree}/`));
    expect(strays).toEqual([]);
  });
});

describe("a deny", () => {
  it("on a policy or a role holds for every spelling of the name", async () => {
    const name = fresh("guarded");
    const rules = allow("sys/policies/acl/*", "read", "update", "delete") + allow(`sys/policies/acl/${name}`, "deny");
    const roles = allow("auth/approle/role/*", "create", "read", "update", "delete") + allow(`auth/approle/role/${name}*`, "deny");
    await at.must(`PUT sys/policies/acl/${name}`, { body: { policy: allow("x", "read") } });
    await at.must(`POST auth/approle/role/${name}`, { body: {} });
    const as = await at.tokenWith(rules + roles);
    for (const spelling of [name, name.toUpperCase(), `G${name.slice(1)}`, name.replace("g", "%47"), name.replace("-", "%2D")]) {
      for (const [line, body] of [
        [`PUT sys/policies/acl/${spelling}`, { policy: allow("*", "read") }],
        [`GET sys/policies/acl/${spelling}`, undefined],
        [`DELETE sys/policies/acl/${spelling}`, undefined],
        [`POST auth/approle/role/${spelling}`, { token_policies: "everything" }],
        [`POST auth/approle/role/${spelling}/secret-id`, {}],
        [`DELETE auth/approle/role/${spelling}`, undefined],
      ] as const) expect([line, (await at.call(line, { as, body })).status]).toEqual([line, 403]);
    }
    expect((await at.must(`GET sys/policies/acl/${name}`)).data.policy).toBe(allow("x", "read"));
  });

  it("in one policy wins over all the others that name the same path", async () => {
    const doc = fresh("doc");
    await at.must(`POST secret/data/${doc}`, { body: { data: { a: CANARY } } });
    const orders = [[allow(`secret/data/${doc}`, "read"), allow(`secret/data/${doc}`, "deny")], [allow(`secret/data/${doc}`, "deny"), allow(`secret/data/${doc}`, "read")]];
    for (const policies of orders) expect((await at.call(`GET secret/data/${doc}`, { as: await at.tokenWith(policies) })).status).toBe(403);
  });
});

describe("rights", () => {
  it("to patch do not put, and to put do not patch", async () => {
    const doc = `secret/data/${fresh("doc")}`;
    await at.must(`POST ${doc}`, { body: { data: { a: "1" } } });
    const [patcher, putter] = [await at.tokenWith(allow(doc, "patch")), await at.tokenWith(allow(doc, "create", "update"))];
    expect((await at.call(`PUT ${doc}`, { as: patcher, body: { data: {} } })).status).toBe(403);
    expect((await at.call(`PATCH ${doc}`, { as: putter, body: { data: {} }, headers: MERGE_PATCH })).status).toBe(403);
    expect((await at.must(`GET ${doc}`)).data.metadata.version).toBe(1);
  });

  it("to create do not write over what was created a moment ago", async () => {
    const doc = `secret/data/${fresh("doc")}`;
    const as = await at.tokenWith(allow(doc, "create"));
    const statuses = await Promise.all(Array.from({ length: 20 }, async (_, n) => (await at.call(`POST ${doc}`, { as, body: { data: { n } } })).status));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(new Set(statuses)).toEqual(new Set([200, 403]));
    expect((await at.must(`GET ${doc}`)).data.metadata.version).toBe(1);
  });

  it("are none for a template, which nobody fills in", async () => {
    const doc = fresh("doc");
    await at.must(`POST secret/data/${doc}`, { body: { data: { a: CANARY } } });
    const as = await at.tokenWith(allow("secret/data/{{identity.entity.name}}", "read") + allow("secret/data/{{x}}*", "read"));
    for (const path of [doc, "%7B%7Bidentity.entity.name%7D%7D", "%7B%7Bx%7D%7D"]) expect((await at.call(`GET secret/data/${path}`, { as })).status).toBe(403);
  });

  it.each(["allowed_parameters = { a = [] }", "denied_parameters = { a = [] }", `required_parameters = ["a"]`, `min_wrapping_ttl = "1s"`, "control_group = {}"])(
    "restricted by %s are refused when written, not ignored when used",
    async (restriction) => {
      const policy = `path "x" {\n  capabilities = ["read"]\n  ${restriction}\n}`;
      expect((await at.call(`PUT sys/policies/acl/${fresh("policy")}`, { body: { policy } })).status).toBe(400);
    },
  );

  it.each([["token_bound_cidrs", ["10.0.0.0/8"]], ["secret_id_bound_cidrs", "10.0.0.0/8"], ["token_type", "batch"], ["token_period", "1h"]])("bound by %s are refused too", async (name, value) => {
    expect((await at.call(`POST auth/approle/role/${fresh("role")}`, { body: { [name]: value } })).status).toBe(400);
  });

  it("do not come with a wrapping that would not be one", async () => {
    const role = await at.newRole();
    const answer = await at.call(`POST auth/approle/role/${role.name}/secret-id`, { body: {}, headers: { "x-vault-wrap-ttl": "60s" } });
    expect([answer.status, (await at.call(`LIST auth/approle/role/${role.name}/secret-id`)).status]).toEqual([400, 404]);
  });
});
