import { beforeAll, describe, expect, it } from "vitest";
import { newClient, newPerson, type MadeClient, type Person, type Wire } from "./wire.ts";

const RIGHTS = [
  "manage-users", "view-users", "query-users", "manage-clients", "view-clients", "query-clients", "create-client",
  "manage-realm", "view-realm", "query-realms",
];

/** Each operation with the rights that are each enough alone, and those with which it answers an empty list. */
const OPERATIONS: [line: string, enough: string[], empty?: string[]][] = [
  ["GET /users?max=1", ["manage-users", "view-users"], ["query-users"]],
  ["GET /users/{user}", ["manage-users", "view-users"]],
  ["PUT /users/{user}", ["manage-users"]],
  ["POST /users/{user}/logout", ["manage-users"]],
  ["GET /users/{user}/sessions", ["manage-users", "view-users"]],
  ["GET /users/{user}/role-mappings/realm", ["manage-users", "view-users"]],
  ["GET /users/{user}/role-mappings/realm/available", ["manage-users"], ["view-users"]],
  ["POST /users/{user}/role-mappings/realm", ["manage-users"]],
  ["GET /clients?max=1", ["manage-clients", "view-clients"], ["query-clients"]],
  ["GET /clients/{client}", ["manage-clients", "view-clients"]],
  ["GET /clients/{client}/client-secret", ["manage-clients", "view-clients"]],
  ["POST /clients/{client}/client-secret", ["manage-clients"]],
  ["GET /clients/{client}/service-account-user", ["manage-clients", "view-clients"]],
  ["PUT /clients/{client}", ["manage-clients"]],
  ["GET /roles", ["manage-realm", "view-realm"]],
  ["GET /roles/ADMIN", ["manage-realm", "view-realm"]],
  ["DELETE /roles/unknown", ["manage-realm"]],
  ["POST /users", ["manage-users"]],
  ["POST /clients", ["manage-clients"]],
  ["POST /roles", ["manage-realm"]],
];

export function rightsSuite(at: () => Wire): void {
  let person: Person;
  let target: MadeClient;
  let caller: MadeClient;
  let as: string;
  let mapping: string;
  let roles: Map<string, { id: string; name: string }>;

  beforeAll(async () => {
    person = await newPerson(at());
    target = await newClient(at(), { serviceAccountsEnabled: true });
    caller = await newClient(at(), { serviceAccountsEnabled: true });
    as = await at().serviceToken(at().adminService);
    const account = await at().admin(`GET /clients/${caller.uuid}/service-account-user`, { as });
    const management = await at().admin("GET /clients?clientId=realm-management", { as });
    mapping = `/users/${account.body.id}/role-mappings/clients/${management.body[0].id}`;
    const { body } = await at().admin(`GET /clients/${management.body[0].id}/roles`, { as });
    roles = new Map(body.map((role: { id: string; name: string }) => [role.name, role]));
  });

  describe.each(RIGHTS)("with %s alone", (right) => {
    let token: string;
    beforeAll(async () => {
      token = await at().serviceToken(caller);
      const given = await at().admin(`GET ${mapping}`, { as });
      if (given.body.length > 0) await at().admin(`DELETE ${mapping}`, { as, body: given.body });
      // The token is older than the right: rights are read from the database.
      expect((await at().admin(`POST ${mapping}`, { as, body: [roles.get(right)] })).status).toBe(204);
    });

    it.each(OPERATIONS)("%s is answered as its rights say", async (line, enough, empty = []) => {
      const answer = await at().admin(line.replace("{user}", person.id).replace("{client}", target.uuid), { as: token, body: bodyOf(line) });
      if (empty.includes(right)) expect([answer.status, answer.body]).toEqual([200, []]);
      else if (enough.includes(right)) expect(answer.status).not.toBe(403);
      else expect([answer.status, answer.body]).toEqual([403, { error: "HTTP 403 Forbidden" }]);
    });
  });

  it("lets who manages users grant ADMIN, but no right over realm and clients", async () => {
    const { admin, serviceToken, userService } = at();
    const users = await serviceToken(userService);
    const { body: role } = await admin("GET /roles/ADMIN", { as });
    expect((await admin(`POST /users/${person.id}/role-mappings/realm`, { as: users, body: [role] })).status).toBe(204);
    for (const [name, status] of [["view-users", 204], ["query-clients", 204], ["manage-clients", 403], ["view-realm", 403], ["realm-admin", 403]] as const) {
      const answer = await admin(`POST ${mapping}`, { as: users, body: [roles.get(name)] });
      expect([name, answer.status]).toEqual([name, status]);
    }
  });

  it.each<[string, () => Promise<string | undefined>]>([
    ["nobody", async () => undefined],
    ["garbage", async () => "garbage"],
    ["a refresh token", async () => (await at().login(person)).body.refresh_token],
    ["an ID token", async () => (await at().login(person, { scope: "openid" })).body.id_token],
  ])("answers %s with 401", async (_, token) => {
    for (const line of ["GET /users", "PATCH /users", "GET /nothing"]) {
      const answer = await at().admin(line, { as: await token() });
      expect([answer.status, answer.body, answer.headers.has("www-authenticate")]).toEqual([401, { error: "HTTP 401 Unauthorized" }, false]);
    }
  });

  it("answers HTTP Basic with 401", async () => {
    const { id, secret } = at().adminService;
    expect((await at().admin("GET /users", { headers: { authorization: `Basic ${btoa(`${id}:${secret}`)}` } })).status).toBe(401);
  });

  it("answers a person, even an administrator of the platform, with 403", async () => {
    const { body } = await at().login(at().administrator);
    expect((await at().admin("GET /users", { as: body.access_token })).status).toBe(403);
  });

  it("answers a foreign origin with 403", async () => {
    const answer = await at().admin("GET /users", { as, headers: { origin: "https://evil.example" } });
    expect([answer.status, answer.body]).toEqual([403, { error: "Invalid origin" }]);
  });

  it("answers bad JSON before a missing right, and a missing right before an unknown id", async () => {
    const weak = await at().serviceToken(at().userService);
    expect((await at().admin("POST /clients", { as: weak, body: "{" })).status).toBe(400);
    expect((await at().admin("GET /clients/unknown", { as: weak })).status).toBe(403);
  });

  it("answers an unknown realm, path and method", async () => {
    const { send, baseUrl } = at();
    const headers = { authorization: `Bearer ${as}` };
    const realm = await send(`${baseUrl}/admin/realms/nowhere/users`, { headers });
    expect([realm.status, realm.body]).toEqual([404, { error: "Realm not found." }]);
    const path = await at().admin("GET /nothing", { as });
    expect([path.status, path.body]).toEqual([404, { error: "HTTP 404 Not Found" }]);
    const method = await at().admin("PATCH /users", { as });
    expect([method.status, method.body]).toEqual([405, { error: "HTTP 405 Method Not Allowed" }]);
  });

  it("shows who has no right over the realm its name", async () => {
    const { body } = await at().admin("GET ", { as: await at().serviceToken(at().userService) });
    expect(body.realm).toBe(at().realm);
  });
}

/** A body with which the operation changes nothing that matters, or is refused after the right was found. */
function bodyOf(line: string): unknown {
  if (line.endsWith("/role-mappings/realm") && line.startsWith("POST")) return [];
  if (line === "POST /users") return { username: "x" };
  if (line === "POST /clients") return { clientId: "" };
  if (line === "POST /roles") return {};
  return line.startsWith("PUT") ? {} : undefined;
}
