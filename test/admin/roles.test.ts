import { afterAll, beforeAll, expect, test } from "vitest";
import { problemOf } from "../http/problem.ts";
import { type AdminPlatform, adminPlatform, auditOf } from "./instance.ts";

let platform: AdminPlatform;
beforeAll(async () => {
  platform = await adminPlatform();
});
afterAll(() => platform.close());

const create = (name: unknown, description: unknown = "") => platform.call("POST", "/api/admin/realm-roles", { json: { name, description } });
const read = (name: string) => platform.call("GET", `/api/admin/realm-role?${new URLSearchParams({ roleName: name })}`);
const list = async () => (await (await platform.call("GET", "/api/admin/realm-roles")).json()) as { name: string }[];

test("a role is created, read and listed", async () => {
  const response = await create("AUDITOR", "May read everything");
  expect({ status: response.status, body: await response.json() }).toEqual({
    status: 200,
    body: { responseCode: "IDP_ROLE_CREATED_200", responseMessage: "Role created" },
  });
  const role = { name: "AUDITOR", description: "May read everything", composite: false, composites: { realm: [], client: {} }, attributes: {} };
  const found = await read("AUDITOR");
  expect({ status: found.status, body: await found.json() }).toEqual({ status: 200, body: role });
  expect(await list()).toContainEqual(role);
  expect((await auditOf(platform, "role/AUDITOR")).map(({ operation, outcome }) => [operation, outcome])).toEqual([
    ["createRealmRole", "succeeded"],
    ["getRealmRole", "succeeded"],
  ]);
});

test("what a composite role contains is told, by realm and by client, and attributes as they are", async () => {
  const composite = await (await read(`default-roles-${platform.realm}`)).json();
  const contents = { realm: ["offline_access", "uma_authorization"], client: { account: ["manage-account", "view-profile"] } };
  expect(composite).toEqual({ name: `default-roles-${platform.realm}`, description: "${role_default-roles}", composite: true, composites: contents, attributes: {} });
  expect(await list()).toContainEqual(composite);

  const withAttributes = platform.adminInstance({
    identity: async (request, pass) => {
      const answer = await pass(request);
      if (!request.url.includes("/roles/AUDITOR")) return answer;
      return Response.json({ ...((await answer.json()) as object), attributes: { department: ["finance", "audit"] } });
    },
  });
  const role = await withAttributes.call("GET", "/api/admin/realm-role?roleName=AUDITOR");
  expect(await role.json()).toMatchObject({ attributes: { department: ["finance", "audit"] } });
});

test("names with spaces, slashes and any letters survive the way there and back", async () => {
  const names = ["Team Lead", "a/b", "a%b", "%2f", "a%2Fb", "a;b", "a?b#c", "a+b", "a&b=c", "Prüfer", "審査員", "🔑", "...", "../x", "x/..", ".hidden", "ROOT", "é", "e\u0301", "c".repeat(255)];
  for (const name of names) {
    expect({ name, status: (await create(name, name)).status }).toEqual({ name, status: 200 });
    const found = await read(name);
    expect({ status: found.status, body: await found.json() }).toMatchObject({ status: 200, body: { name, description: name } });
    expect(await problemOf(await create(name))).toEqual({ status: 409, code: "IDP_ROLE_ALREADY_EXISTS_409" });
  }
  expect((await list()).map(({ name }) => name)).toEqual(expect.arrayContaining(names));
});

test("a role that does not exist is not found; case counts", async () => {
  for (const name of ["NOBODY", "admin", "roles", "a/b/c"]) expect(await problemOf(await read(name))).toEqual({ status: 404, code: "IDP_ROLE_NOT_FOUND_404" });
});

test("a name that cannot stand in a path is refused, and nothing is sent", async () => {
  const names = ["", " ", "\t", ".", "..", "%2e", "%2E%2e", ".%2e", " AUDITOR", "AUDITOR ", "\u00a0", "a\u0000b", "a\nb", "a\u007fb", "a\u2028b", "n".repeat(256), "n".repeat(10_240)];
  const sent = await platform.sentBy(async () => {
    for (const name of names) {
      expect({ name: name.slice(0, 20), ...(await problemOf(await read(name))) }).toEqual({ name: name.slice(0, 20), status: 400, code: "VALIDATION_FAILED_400", fields: ["roleName"] });
      const refusal = await problemOf(await create(name));
      expect({ name: name.slice(0, 20), ...refusal }).toEqual({ name: name.slice(0, 20), status: 400, code: expect.stringMatching(/^(VALIDATION_FAILED|MALFORMED_JSON)_400$/), ...(refusal.fields && { fields: ["name"] }) });
    }
    expect((await platform.call("GET", "/api/admin/realm-role")).status).toBe(400);
    expect((await platform.call("GET", "/api/admin/realm-role?roleName=%2e%2e")).status).toBe(400);
    expect((await platform.call("GET", "/api/admin/realm-role?roleName=a&roleName=b")).status).toBe(400);
    for (const name of [null, 1, {}, []]) expect((await problemOf(await create(name))).fields).toEqual(["name"]);
    expect((await problemOf(await create("WORDY", "d".repeat(256)))).fields).toEqual(["description"]);
    expect((await problemOf(await create("..", "d".repeat(256)))).fields).toEqual(["description", "name"]);
  });
  expect(sent).toEqual([]);
});

test("roles that exist upstream under names that no path can hold are listed all the same", async () => {
  for (const name of ["..", " "]) await platform.operator.ask("POST /roles", { json: { name } });
  expect((await list()).map(({ name }) => name)).toEqual(expect.arrayContaining(["..", " "]));
});
