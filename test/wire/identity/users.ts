import { beforeAll, expect, it } from "vitest";
import { fresh, idOf, newPerson, type Person, type Wire } from "./wire.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";

export function usersSuite(at: () => Wire): void {
  let as: string;
  let ada: Person;
  beforeAll(async () => {
    as = await at().serviceToken(at().userService);
    ada = await newPerson(at());
  });

  const call = (line: string, body?: unknown) => at().admin(line, { as, body });

  it("creates a user, disabled unless told otherwise, under a lower-case name", async () => {
    const name = fresh("Upper");
    const made = await call("POST /users", { username: name });
    expect([made.status, made.text]).toEqual([201, ""]);
    expect(new URL(made.headers.get("location") ?? "").pathname).toBe(`/admin/realms/${at().realm}/users/${idOf(made)}`);
    const { status, body } = await call(`GET /users/${idOf(made)}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: idOf(made),
      username: name.toLowerCase(),
      emailVerified: false,
      enabled: false,
      createdTimestamp: expect.any(Number),
      totp: false,
      disableableCredentialTypes: [],
      requiredActions: [],
      notBefore: 0,
      access: { manageGroupMembership: true, resetPassword: true, view: true, mapRoles: true, impersonate: false, manage: true },
    });
  });

  it("ignores what a user cannot be created with", async () => {
    const made = await call("POST /users", { username: fresh("extra"), id: UNKNOWN, realmRoles: ["ADMIN"], email: "", attributes: { a: ["b"] } });
    const { body } = await call(`GET /users/${idOf(made)}`);
    expect(body).not.toHaveProperty("email");
    const roles = await call(`GET /users/${idOf(made)}/role-mappings/realm`);
    expect(roles.body.map(({ name }: { name: string }) => name)).toEqual([`default-roles-${at().realm}`]);
  });

  it.each<[string, () => Record<string, unknown>, string]>([
    ["username in other case", () => ({ username: ada.username.toUpperCase() }), "User exists with same username"],
    ["e-mail in other case", () => ({ username: fresh("other"), email: ada.email.toUpperCase() }), "User exists with same email"],
    ["username and e-mail", () => ({ username: ada.username, email: ada.email }), "User exists with same email"],
    ["e-mail as a username", () => ({ username: ada.email }), "User exists with same username"],
  ])("refuses somebody else's %s", async (_, user, errorMessage) => {
    const answer = await call("POST /users", user());
    expect([answer.status, answer.body]).toEqual([409, { errorMessage }]);
  });

  it.each<[string, Record<string, unknown>, unknown]>([
    ["no username", { email: "a@b.test" }, { errorMessage: "User name is missing" }],
    ["an empty username", { username: "" }, { errorMessage: "User name is missing" }],
    ["a short username", { username: "ab" }, { field: "username", errorMessage: "error-invalid-length", params: ["username", 3, 255] }],
    ["a long username", { username: "a".repeat(256) }, { field: "username", errorMessage: "error-invalid-length", params: ["username", 3, 255] }],
    ["a username with a space", { username: "a b c" }, { field: "username", errorMessage: "error-username-invalid-character", params: ["username"] }],
    ["a username of another script", { username: "日本語" }, { field: "username", errorMessage: "error-username-invalid-character", params: ["username"] }],
    ["no e-mail address", { username: "abc", email: "a@" }, { field: "email", errorMessage: "error-invalid-email", params: ["email", "a@"] }],
    ["markup in a name", { username: "abc", firstName: "<b>" }, { field: "firstName", errorMessage: "error-person-name-invalid-character", params: ["firstName"] }],
    ["a long name", { username: "abc", lastName: "x".repeat(256) }, { field: "lastName", errorMessage: "error-invalid-length-too-long", params: ["lastName", null, 255] }],
  ])("refuses %s", async (_, user, body) => {
    const answer = await call("POST /users", user);
    expect([answer.status, answer.body]).toEqual([400, body]);
  });

  it("names all the fields that are wrong", async () => {
    const { status, body } = await call("POST /users", { username: "a/b/c", email: "nope" });
    expect(status).toBe(400);
    expect(body.errors.map(({ field }: { field: string }) => field).toSorted()).toEqual(["email", "username"]);
  });

  it.each(["a@b", "A.b+c@d-e.test", '"a b"@c.test', "é@x.test", "o'neil@x.test", `${"a".repeat(64)}@x.test`])("takes the e-mail %s", async (email) => {
    const made = await call("POST /users", { username: fresh("mail"), email });
    // On a server that keeps its users between runs, it is there already.
    expect([201, 409]).toContain(made.status);
    if (made.status === 201) await call(`DELETE /users/${idOf(made)}`);
  });

  it.each(["a@b..c", "a b@c.d", "a@-b.de", "a@b_c.de", "a.@b.de", ".a@b.de", "a..b@c.de", `${"a".repeat(65)}@b.de`])("refuses the e-mail %s", async (email) => {
    expect((await call("POST /users", { username: fresh("mail"), email })).status).toBe(400);
  });

  it.each<[string, string, number, unknown]>([
    ["an unknown field", '{"username":"abc","wibble":1}', 400, { error: expect.stringMatching(/^Invalid json representation for UserRepresentation\. Unrecognized field "wibble"/) }],
    ["malformed JSON", "{", 400, { error: "invalid_request", error_description: "Cannot parse the JSON" }],
    ["another JSON type", "[]", 400, { error: "unknown_error", error_description: "Cannot parse the JSON" }],
    ["a wrong field type", '{"enabled":"x"}', 400, { error: "unknown_error", error_description: "Cannot parse the JSON" }],
    ["nothing", "", 500, { error: "unknown_error", error_description: "For more on this error consult the server log." }],
    ["a credential without value", '{"username":"nocredential","credentials":[{"type":"password"}]}', 500, { error: "unknown_error", error_description: "For more on this error consult the server log." }],
  ])("refuses %s as a user", async (_, body, status, expected) => {
    const answer = await call("POST /users", body);
    expect([answer.status, answer.body]).toEqual([status, expected]);
  });

  it("refuses a body that is not JSON by its type", async () => {
    const answer = await at().admin("POST /users", { as, body: "username=x", headers: { "content-type": "application/x-www-form-urlencoded" } });
    expect([answer.status, answer.body]).toEqual([415, { error: "The content-type header value did not match the value in @Consumes" }]);
  });

  it("gives exactly one of many parallel creations of a name the user", async () => {
    const name = fresh("race");
    const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => call("POST /users", { username: n % 2 ? name : name.toUpperCase(), email: `${name}@x.test` })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(11);
  });

  it.each<[string, (person: Person) => string, boolean]>([
    ["the username, exact, in other case", ({ username }) => `username=${username.toUpperCase()}&exact=true`, true],
    ["a part of the username", ({ username }) => `username=${username.slice(2)}`, true],
    ["a part of the username, exact", ({ username }) => `username=${username.slice(2)}&exact=true`, false],
    ["the e-mail, exact", ({ email }) => `email=${email}&exact=true`, true],
    ["a search by prefix", ({ username }) => `search=${username.slice(0, -1)}`, true],
    ["a search by infix", ({ username }) => `search=*${username.slice(2)}*`, true],
    ["a search for an infix without stars", ({ username }) => `search=${username.slice(2)}`, false],
    ["two fields of which one differs", ({ username }) => `username=${username}&email=nobody`, false],
  ])("finds a user by %s or not", async (_, query, isFound) => {
    const { status, body } = await call(`GET /users?${query(ada)}`);
    expect(status).toBe(200);
    expect(body.map(({ id }: { id: string }) => id)).toEqual(isFound ? [ada.id] : []);
  });

  it("shows a found user without secrets", async () => {
    const { body } = await call(`GET /users?username=${ada.username}&exact=true`);
    expect(body).toEqual([
      {
        id: ada.id,
        username: ada.username,
        firstName: "Ada",
        lastName: "Lovelace",
        email: ada.email,
        emailVerified: true,
        enabled: true,
        createdTimestamp: expect.any(Number),
        totp: false,
        disableableCredentialTypes: [],
        requiredActions: [],
        notBefore: 0,
        access: { manage: true },
      },
    ]);
  });

  it("finds a service account by its name but does not list it", async () => {
    const name = "service-account-user-service";
    expect((await call(`GET /users?username=${name}&exact=true`)).body).toHaveLength(1);
    const { body } = await call("GET /users?max=-1");
    expect(body.filter(({ username }: { username: string }) => username.startsWith("service-account-"))).toEqual([]);
  });

  it("lists page by page", async () => {
    const { body: all } = await call("GET /users?max=-1");
    const { body: page } = await call("GET /users?first=1&max=2");
    expect(page.map(({ id }: { id: string }) => id)).toEqual(all.slice(1, 3).map(({ id }: { id: string }) => id));
    expect((await call("GET /users?max=0")).body).toEqual([]);
    expect((await call("GET /users/count")).body).toBe(all.length);
  });
}
