import { beforeAll, expect, it } from "vitest";
import { allow, fresh, MERGE_PATCH, RIGHT_MISSING, type Wire } from "./wire.ts";

const DENIED = { status: 403, body: { errors: [RIGHT_MISSING] } };

/** Which of the patterns that match decides, as `[what is promised, the policies, the path below secret/data, may it be read]`. */
const PRIORITIES: [string, string[], string, boolean][] = [
  ["a path says only itself", [allow("secret/data/T/a", "read")], "a/b", false],
  ["a path without its slash is another", [allow("secret/data/T/a/", "read")], "a", false],
  ["a glob begins anywhere in a segment", [allow("secret/data/T/a*", "read")], "ab/c", true],
  ["a glob holds nothing before it", [allow("secret/data/T/a/*", "read")], "b/a/c", false],
  ["a glob in the middle is no glob", [allow("secret/data/T/*/dev", "read")], "a/dev", false],
  ["a plus is one segment", [allow("secret/data/T/+/dev", "read")], "a/dev", true],
  ["a plus is not two", [allow("secret/data/T/+/dev", "read")], "a/b/dev", false],
  ["a plus within a segment is a letter", [allow("secret/data/T/a+", "read")], "ab", false],
  ["a plus and a glob", [allow("secret/data/T/+/d*", "read")], "a/dev/x", true],
  ["the path itself wins over a glob", [allow("secret/data/T/*", "read") + allow("secret/data/T/a", "list")], "a", false],
  ["the longer glob wins", [allow("secret/data/T/*", "deny") + allow("secret/data/T/a/*", "read")], "a/b", true],
  ["the longer glob wins when it denies", [allow("secret/data/T/*", "read") + allow("secret/data/T/a/*", "deny")], "a/b", false],
  ["the later wildcard wins", [allow("secret/data/T/+/dev", "deny") + allow("secret/data/T/a/*", "read")], "a/dev", true],
  ["no glob wins over a glob at the same place", [allow("secret/data/T/+/*", "deny") + allow("secret/data/T/+/dev", "read")], "a/dev", true],
  ["fewer wildcards win", [allow("secret/data/T/+/+/dev", "deny") + allow("secret/data/T/+/b/dev", "read")], "a/b/dev", true],
  ["the longer of two with a plus wins", [allow("secret/data/T/+/d*", "deny") + allow("secret/data/T/+/de*", "read")], "a/dev", true],
  ["deny wins within one list", [allow("secret/data/T/a", "read", "deny")], "a", false],
  ["deny wins over another policy's same pattern", [allow("secret/data/T/*", "read"), allow("secret/data/T/*", "deny")], "a", false],
  ["another policy's more specific pattern wins over a deny", [allow("secret/data/T/a", "read"), allow("secret/data/T/*", "deny")], "a", true],
  ["a less specific deny does not help a more specific one", [allow("secret/data/T/a", "deny"), allow("secret/data/T/*", "read")], "a", false],
  ["two policies add up", [allow("secret/data/T/a", "list"), allow("secret/data/T/a", "read")], "a", true],
  ["paths are case-sensitive", [allow("secret/data/T/A", "read")], "a", false],
  ["update is not read", [allow("secret/data/T/a", "create", "update", "patch", "delete", "list", "sudo")], "a", false],
];

export function rightsSuite(at: () => Wire): void {
  it.each(PRIORITIES)("%s", async (_, policies, below, isAllowed) => {
    const tree = fresh("tree");
    await at().must(`POST secret/data/${tree}/${below}`, { body: { data: { a: "1" } } });
    const as = await at().tokenWith(policies.map((hcl) => hcl.replaceAll("/T/", `/${tree}/`)));
    const answer = await at().call(`GET secret/data/${tree}/${below}`, { as });
    if (isAllowed) expect(answer.status).toBe(200);
    else expect(answer).toMatchObject(DENIED);
  });

  it("each operation on secrets has its own capability", async () => {
    const below = fresh("doc");
    const operations: [string, string, unknown?][] = [
      ["create", `POST secret/data/${below}-new`, { data: {} }],
      ["update", `POST secret/data/${below}`, { data: { b: "2" } }],
      ["patch", `PATCH secret/data/${below}`, { data: { b: "2" } }],
      ["read", `GET secret/data/${below}`],
      ["delete", `DELETE secret/data/${below}`],
    ];
    for (const [capability] of operations) {
      await at().must(`DELETE secret/metadata/${below}-new`);
      await at().must(`POST secret/data/${below}`, { body: { data: { a: "1" } } });
      const as = await at().tokenWith(allow(`secret/data/${below}*`, capability));
      for (const [needed, line, body] of operations) {
        const { status } = await at().call(line, { as, body, headers: line.startsWith("PATCH") ? MERGE_PATCH : {} });
        expect([capability, line, status === 403], `${capability}: ${line}`).toEqual([capability, line, needed !== capability]);
      }
    }
  });

  it("listing is not reading, and reading not listing", async () => {
    const folder = fresh("folder");
    await at().must(`POST secret/data/${folder}/a`, { body: { data: {} } });
    const [lister, reader] = [await at().tokenWith(allow(`secret/metadata/${folder}*`, "list")), await at().tokenWith(allow(`secret/metadata/${folder}*`, "read"))];
    expect((await at().call(`LIST secret/metadata/${folder}`, { as: lister })).status).toBe(200);
    expect(await at().call(`GET secret/metadata/${folder}/a`, { as: lister })).toMatchObject(DENIED);
    expect(await at().call(`LIST secret/metadata/${folder}`, { as: reader })).toMatchObject(DENIED);
    expect((await at().call(`GET secret/metadata/${folder}/a`, { as: reader })).status).toBe(200);
  });

  it.each(["secret/metadata/F", "secret/metadata/F/", "secret/metadata/F/*", "secret/metadata/+", "secret/metadata/+/"])("a folder is listed by %s", async (pattern) => {
    const folder = fresh("folder");
    await at().must(`POST secret/data/${folder}/a`, { body: { data: {} } });
    const as = await at().tokenWith(allow(pattern.replace("F", folder), "list"));
    for (const line of [`LIST secret/metadata/${folder}`, `GET secret/metadata/${folder}/?list=true`]) expect((await at().call(line, { as })).status).toBe(200);
  });

  it("says no before it says whether there is anything", async () => {
    const as = await at().tokenWith(allow("secret/data/else", "read"));
    for (const line of ["GET secret/data/none", "GET nomount/x", "GET sys/nope", "GET sys/policies/acl/none", "DELETE auth/approle/role/none"]) {
      expect(await at().call(line, { as })).toMatchObject(DENIED);
    }
  });

  it("what nobody serves is not found by who may do everything", async () => {
    expect((await at().call("GET nomount/x")).status).toBe(404);
    expect((await at().call("GET sys/nope")).status).toBe(404);
  });
}

/** The administration service's own policy: what it gives, and what it must not. */
export function adminRightsSuite(at: () => Wire, adminPolicy: (of: { policies: string[]; platformRoles: string[] }) => string): void {
  let as: string;
  const own = fresh("svc");
  const [policy, ownRole, below] = [`${own}-policy`, fresh("admin"), `platform/${own}/dev`];
  beforeAll(async () => {
    await at().must(`POST auth/approle/role/${ownRole}`, { body: { token_policies: ["x"] } });
    as = await at().tokenWith(adminPolicy({ policies: [policy], platformRoles: [ownRole] }));
  });
  const does = async (line: string, body?: unknown, headers = {}) => (await at().call(line, { as, body, headers })).status;

  it("makes, reads and deletes roles, but never writes over one", async () => {
    const role = `auth/approle/role/${own}`;
    expect(await does(`POST ${role}`, { token_policies: [policy] })).toBe(204);
    expect(await does(`POST ${role}`, { token_policies: ["root"] })).toBe(403);
    expect([await does(`GET ${role}`), await does(`GET ${role}/role-id`), await does(`POST ${role}/secret-id`, {}), await does("GET auth/approle/role?list=true")]).toEqual([200, 200, 200, 200]);
    expect(await does(`GET ${role}/secret-id?list=true`)).toBe(403);
    expect(await does(`DELETE ${role}`)).toBe(204);
  });

  it("puts, patches, reads and deletes the secrets of services, and no others", async () => {
    expect(await does(`POST secret/data/${below}`, { data: { a: "1" }, options: { cas: 0 } })).toBe(200);
    expect(await does(`PATCH secret/data/${below}`, { data: { b: "2" } }, MERGE_PATCH)).toBe(200);
    expect(await does(`GET secret/data/${below}`)).toBe(200);
    expect(await does(`DELETE secret/metadata/${below}`)).toBe(204);
    expect([await does(`POST secret/data/platform/${own}/prod`, { data: {} }), await does(`POST secret/data/${own}`, { data: {} }), await does(`DELETE secret/data/${below}`)]).toEqual([403, 403, 403]);
  });

  it("writes the policies it is told, none else and not by another spelling", async () => {
    expect([await does(`PUT sys/policies/acl/${policy}`, { policy: allow("x", "read") }), await does("GET sys/policies/acl?list=true"), await does(`DELETE sys/policies/acl/${policy}`)]).toEqual([204, 200, 204]);
    for (const name of [policy.toUpperCase(), "default", "platform-admin", `${policy}x`, `x/${policy}`]) expect(await does(`PUT sys/policies/acl/${name}`, { policy: allow("*", "read") })).toBe(403);
  });

  it("mints no credentials of its own role and does not remove it", async () => {
    expect([await does(`POST auth/approle/role/${ownRole}/secret-id`, {}), await does(`DELETE auth/approle/role/${ownRole}`), await does(`POST auth/approle/role/${ownRole}`, {})]).toEqual([403, 403, 403]);
    expect(await does(`GET auth/approle/role/${ownRole}`)).toBe(200);
  });
}
