import { beforeAll, expect, it } from "vitest";
import { fresh, newPerson, type Wire } from "./wire.ts";

export function rolesSuite(at: () => Wire): void {
  let as: string;
  beforeAll(async () => {
    as = await at().serviceToken(at().adminService);
  });

  const call = (line: string, body?: unknown) => at().admin(line, { as, body });

  it("lists the realm's roles", async () => {
    const { status, body } = await call("GET /roles");
    expect(status).toBe(200);
    expect(names(body)).toEqual(expect.arrayContaining(["ADMIN", "INTERNAL_SERVICE", `default-roles-${at().realm}`, "offline_access", "uma_authorization"]));
    expect(body.find(({ name }: { name: string }) => name === "ADMIN")).toEqual({
      id: expect.any(String),
      name: "ADMIN",
      description: "Platform administrator",
      composite: false,
      clientRole: false,
      containerId: expect.any(String),
    });
    const { body: full } = await call("GET /roles?briefRepresentation=false&first=0&max=1");
    expect(full).toEqual([expect.objectContaining({ attributes: {} })]);
    expect(names((await call("GET /roles?search=admi")).body)).toContain("ADMIN");
  });

  it.each(["plain", "with space", "a/b", "a%b", "a;b", "Ünïcödé 漢字", "a?b#c&d=e", "..x", "%2e%2e"])("creates, gets, changes and deletes the role %j", async (stem) => {
    const name = `${stem}${fresh("-")}`;
    const made = await call("POST /roles", { name, description: "first" });
    expect([made.status, made.text]).toEqual([201, ""]);
    const twice = await call("POST /roles", { name });
    expect([twice.status, twice.body]).toEqual([409, { errorMessage: `Role with name ${name} already exists` }]);
    expect((await call(`PUT ${role(name)}`, { name, description: "second" })).status).toBe(204);
    const got = await call(`GET ${role(name)}`);
    expect([got.status, got.body]).toEqual([200, expect.objectContaining({ name, description: "second", composite: false, attributes: {} })]);
    expect((await call(`GET /roles-by-id/${got.body.id}`)).body).toEqual(got.body);
    expect((await call(`DELETE ${role(name)}`)).status).toBe(204);
    const gone = await call(`GET ${role(name)}`);
    expect([gone.status, gone.body]).toEqual([404, { error: "Could not find role" }]);
  });

  it("tells roles by case", async () => {
    expect((await call("GET /roles/admin")).status).toBe(404);
  });

  it.each<[string, string, unknown, number, unknown]>([
    ["create a role without a name", "POST /roles", { description: "x" }, 400, { error: "role has no name" }],
    ["change a role to no name", "PUT /roles/ADMIN", {}, 400, { error: "role has no name" }],
    ["change a role to a name that is taken", "PUT /roles/INTERNAL_SERVICE", { name: "ADMIN" }, 409, { error: "conflict", error_description: "Duplicate resource error" }],
    ["change an unknown role", "PUT /roles/unknown", { name: "x" }, 404, { error: "Could not find role" }],
    ["delete an unknown role", "DELETE /roles/unknown", undefined, 404, { error: "Could not find role" }],
    ["create a role of an unknown shape", "POST /roles", { name: "x", wibble: 1 }, 400, { error: expect.stringContaining('Unrecognized field "wibble"') }],
    ["create a role with a name too long", "POST /roles", { name: "x".repeat(256) }, 500, { error: "unknown_error", error_description: expect.any(String) }],
  ])("refuses to %s", async (_, line, body, status, expected) => {
    const answer = await call(line, body);
    expect([answer.status, answer.body]).toEqual([status, expected]);
  });

  it("refuses to delete the default role", async () => {
    const name = `default-roles-${at().realm}`;
    const answer = await call(`DELETE /roles/${name}`);
    expect([answer.status, answer.body]).toEqual([400, { errorMessage: `${name} is default role of the realm and cannot be removed.` }]);
  });

  it("maps roles to a user, repeatably, and takes them away", async () => {
    const { id } = await newPerson(at());
    const mapping = `/users/${id}/role-mappings/realm`;
    const { body: admin } = await call("GET /roles/ADMIN");
    for (const body of [[], [{ id: admin.id, name: "ADMIN" }], [admin]]) {
      const answer = await call(`POST ${mapping}`, body);
      expect([answer.status, answer.text]).toEqual([204, ""]);
    }
    expect(names((await call(`GET ${mapping}`)).body)).toEqual(["ADMIN", `default-roles-${at().realm}`]);
    expect(names((await call(`GET /users/${id}/role-mappings`)).body.realmMappings)).toEqual(["ADMIN", `default-roles-${at().realm}`]);
    expect((await call("GET /roles/ADMIN/users?max=1000")).body.map((user: { id: string }) => user.id)).toContain(id);
    const { body: available } = await call(`GET ${mapping}/available`);
    expect(names(available)).toContain("INTERNAL_SERVICE");
    expect(names(available)).not.toContain("ADMIN");
    for (const _ of [1, 2]) expect((await call(`DELETE ${mapping}`, [{ id: admin.id, name: "ADMIN" }])).status).toBe(204);
    expect(names((await call(`GET ${mapping}`)).body)).toEqual([`default-roles-${at().realm}`]);
  });

  it.each<[string, (admin: { id: string }) => unknown]>([
    ["only a name", () => [{ name: "ADMIN" }]],
    ["only an id", ({ id }) => [{ id }]],
    ["an id and another's name", ({ id }) => [{ id, name: "INTERNAL_SERVICE" }]],
    ["an unknown role", () => [{ id: "00000000-0000-4000-8000-000000000000", name: "unknown" }]],
    ["no id at all but text", () => [{ id: "text", name: "ADMIN" }]],
  ])("refuses to map a role by %s", async (_, body) => {
    const { id } = await newPerson(at());
    const { body: admin } = await call("GET /roles/ADMIN");
    const answer = await call(`POST /users/${id}/role-mappings/realm`, body(admin));
    expect([answer.status, answer.body]).toEqual([404, { error: "Role not found" }]);
    expect(names((await call(`GET /users/${id}/role-mappings/realm`)).body)).toEqual([`default-roles-${at().realm}`]);
  });

  it("refuses a mapping that is not a list", async () => {
    const { id } = await newPerson(at());
    expect((await call(`POST /users/${id}/role-mappings/realm`, { name: "ADMIN" })).status).toBe(400);
  });

  it("puts a mapped role into the next token", async () => {
    const person = await newPerson(at());
    const { body: admin } = await call("GET /roles/ADMIN");
    await call(`POST /users/${person.id}/role-mappings/realm`, [admin]);
    const { body } = await at().login(person);
    const shown = await at().form("token/introspect", { client_id: at().authService.id, client_secret: at().authService.secret, token: body.access_token });
    expect(shown.body.realm_access.roles).toContain("ADMIN");
  });
}

function role(name: string): string {
  return `/roles/${encodeURIComponent(name)}`;
}

function names(body: { name: string }[]): string[] {
  return body.map(({ name }) => name).toSorted();
}
