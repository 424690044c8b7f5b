import { expect, it } from "vitest";
import { allow, fresh, type Wire } from "./wire.ts";

const HCL = allow("secret/data/platform/svc-a/*", "read");

const path = (name: string) => `sys/policies/acl/${name}`;

export function policiesSuite(at: () => Wire): void {
  const put = (name: string, policy: unknown) => at().call(`PUT ${path(name)}`, { body: { policy } });

  it("are listed with the built-in ones, root last", async () => {
    const name = fresh("policy");
    expect(await put(name, HCL)).toMatchObject({ status: 204, text: "" });
    for (const line of [`GET ${path("")}?list=true`, "GET sys/policies/acl?list=true", "LIST sys/policies/acl"]) {
      const { keys } = (await at().must(line)).data;
      expect(keys).toEqual(expect.arrayContaining(["default", name]));
      expect(keys.at(-1)).toBe("root");
    }
    expect((await at().call("GET sys/policies/acl")).status).toBe(405);
  });

  it("are read as they were written, and gone when deleted", async () => {
    const name = fresh("policy");
    await put(name, HCL);
    expect((await at().must(`GET ${path(name)}`)).data).toMatchObject({ name, policy: HCL });
    for (let n = 0; n < 2; n++) expect((await at().call(`DELETE ${path(name)}`)).status).toBe(204);
    expect(await at().call(`GET ${path(name)}`)).toMatchObject({ status: 404, body: { errors: [] } });
  });

  it("have lower-case names", async () => {
    const name = fresh("Upper");
    expect(await put(name, HCL)).toMatchObject({ status: 200, body: { data: null, warnings: [`policy name was converted to ${name.toLowerCase()}`] } });
    for (const spelling of [name.toLowerCase(), name.toUpperCase()]) expect((await at().must(`GET ${path(spelling)}`)).data.name).toBe(name.toLowerCase());
  });

  it("leave root and default where they are", async () => {
    expect((await at().must(`GET ${path("root")}`)).data).toMatchObject({ name: "root", policy: "" });
    expect((await at().must(`GET ${path("default")}`)).data.policy).toContain("auth/token/lookup-self");
    expect(await at().call(`DELETE ${path("root")}`)).toMatchObject({ status: 400, body: { errors: [`cannot delete "root" policy`] } });
    expect(await at().call(`DELETE ${path("default")}`)).toMatchObject({ status: 400, body: { errors: ["cannot delete default policy"] } });
    for (const name of ["root", "ROOT"]) expect(await put(name, HCL)).toMatchObject({ status: 400, body: { errors: [`cannot update "root" policy`] } });
  });

  const accepted: [string, string][] = [
    ["base64", btoa(HCL)],
    ["JSON", `{"path":{"secret/data/x":{"capabilities":["read"]}}}`],
    ["white space", "  \n"],
    ["comments", `# one\n// two\n/* three */ ${HCL}`],
    ["the old style", `path "x" { policy = "write" }`],
    ["a leading slash", allow("/secret/data/x", "read")],
    ["a trailing comma", `path "x" { capabilities = ["read",] }`],
    ["a name", `name = "x"\n${HCL}`],
  ];
  it.each(accepted)("may be %s", async (_, text) => {
    expect((await put(fresh("policy"), text)).status).toBe(204);
  });

  const refused: [string, unknown][] = [
    ["a list without an end", `path "x" { capabilities = ["read"`],
    ["a capability that is none", allow("x", "fly")],
    ["a key that is none", `paths "x" { capabilities = ["read"] }`],
    ["a key within that is none", `path "x" { capability = ["read"] }`],
    ["plain text", "hello"],
    ["an object without an end", `path "x" { capabilities = ["read"]`],
    ["a forbidden glob", allow("x/+*", "read")],
    ["nothing", ""],
    ["no text", undefined],
    ["an object", { path: {} }],
  ];
  it.each(refused)("may not be %s, and nothing is written", async (_, text) => {
    const name = fresh("policy");
    expect((await put(name, text)).status).toBe(400);
    expect((await at().call(`GET ${path(name)}`)).status).toBe(404);
  });
}
