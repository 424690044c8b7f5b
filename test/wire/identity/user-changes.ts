import { beforeAll, expect, it } from "vitest";
import { newPerson, PASSWORD, type Person, type Wire } from "./wire.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";

export function userChangesSuite(at: () => Wire): void {
  let as: string;
  let ada: Person;
  let grace: Person;
  beforeAll(async () => {
    as = await at().serviceToken(at().userService);
    [ada, grace] = [await newPerson(at()), await newPerson(at())];
  });

  const call = (line: string, body?: unknown) => at().admin(line, { as, body });

  it("changes only what is given", async () => {
    const person = await newPerson(at());
    for (const body of [{}, { enabled: false }, { enabled: false }, { enabled: true }, { username: person.username.toUpperCase() }, { firstName: null }]) {
      const answer = await call(`PUT /users/${person.id}`, body);
      expect([answer.status, answer.text]).toEqual([204, ""]);
    }
    const { body } = await call(`GET /users/${person.id}`);
    expect(body).toMatchObject({ username: person.username, email: person.email, firstName: "Ada", lastName: "Lovelace", enabled: true });
    expect((await at().login(person)).status).toBe(200);
  });

  it("takes names and e-mail away when attributes come without them", async () => {
    const person = await newPerson(at());
    await call(`PUT /users/${person.id}`, { attributes: { a: ["b"] } });
    const { body } = await call(`GET /users/${person.id}`);
    for (const field of ["firstName", "lastName", "email", "attributes"]) expect(body).not.toHaveProperty(field);
  });

  it("sets a password that comes with a change", async () => {
    const person = await newPerson(at());
    await call(`PUT /users/${person.id}`, { credentials: [{ type: "password", value: "Another-Horse-Battery-2" }] });
    expect((await at().login({ ...person, password: "Another-Horse-Battery-2" })).status).toBe(200);
    expect((await at().login(person)).status).toBe(400);
  });

  it.each<[string, () => unknown, number, unknown]>([
    ["the username", () => ({ username: "another-name" }), 400, { field: "username", errorMessage: "error-user-attribute-read-only", params: ["username"] }],
    ["an empty username", () => ({ username: "" }), 400, { errorMessage: "User name is missing" }],
    ["no e-mail address", () => ({ email: "nope" }), 400, { field: "email", errorMessage: "error-invalid-email", params: ["email", "nope"] }],
    ["an e-mail that is taken", () => ({ email: grace.email }), 409, { errorMessage: "User exists with same email" }],
  ])("refuses to change a user to %s", async (_, changes, status, body) => {
    const answer = await call(`PUT /users/${ada.id}`, changes());
    expect([answer.status, answer.body]).toEqual([status, body]);
  });

  it("keeps the required actions that exist, and drops the others", async () => {
    const { id } = await newPerson(at());
    await call(`PUT /users/${id}`, { requiredActions: ["WIBBLE", "UPDATE_PROFILE"] });
    await call(`PUT /users/${id}`, { enabled: true });
    expect((await call(`GET /users/${id}`)).body.requiredActions).toEqual(["UPDATE_PROFILE"]);
  });

  it("deletes a user once", async () => {
    const { id } = await newPerson(at());
    const first = await call(`DELETE /users/${id}`);
    expect([first.status, first.text]).toEqual([204, ""]);
    expect((await call(`DELETE /users/${id}`)).status).toBe(404);
    expect((await call(`GET /users/${id}`)).status).toBe(404);
  });

  it.each([
    `GET /users/${UNKNOWN}`,
    "GET /users/not-a-uuid",
    `PUT /users/${UNKNOWN}`,
    `DELETE /users/${UNKNOWN}`,
    `POST /users/${UNKNOWN}/logout`,
    `PUT /users/${UNKNOWN}/reset-password`,
    `GET /users/${UNKNOWN}/sessions`,
    `GET /users/${UNKNOWN}/role-mappings/realm`,
  ])("answers %s with 404", async (line) => {
    const answer = await call(line, line.endsWith("/reset-password") ? { value: "x" } : line.startsWith("PUT") ? {} : undefined);
    expect([answer.status, answer.body]).toEqual([404, { error: "User not found" }]);
  });

  it("sets a password, for good or for one login", async () => {
    const person = await newPerson(at());
    const reset = (body: unknown) => call(`PUT /users/${person.id}/reset-password`, body);
    expect((await reset({ type: "password", value: "Another-Horse-Battery-2" })).status).toBe(204);
    expect((await at().login({ ...person, password: "Another-Horse-Battery-2" })).status).toBe(200);
    expect((await reset({ type: "password", value: PASSWORD, temporary: true })).status).toBe(204);
    expect((await call(`GET /users/${person.id}`)).body.requiredActions).toEqual(["UPDATE_PASSWORD"]);
    const empty = await reset({ type: "password", value: "" });
    expect([empty.status, empty.body]).toEqual([400, { error: "Empty password not allowed" }]);
    const none = await reset({});
    expect([none.status, none.body]).toEqual([400, { error: "No password provided" }]);
  });

  it("lists a user's sessions, and ends one or all", async () => {
    const person = await newPerson(at());
    const { body: first } = await at().login(person);
    await at().login(person);
    const { body: sessions } = await call(`GET /users/${person.id}/sessions`);
    expect(sessions).toHaveLength(2);
    const { ipAddress: _, ...shown } = sessions.find(({ id }: { id: string }) => id === first.session_state);
    expect(shown).toEqual({
      id: first.session_state,
      username: person.username,
      userId: person.id,
      start: expect.any(Number),
      lastAccess: expect.any(Number),
      rememberMe: false,
      clients: { [Object.keys(sessions[0].clients)[0] ?? ""]: at().authService.id },
      transientUser: false,
    });
    expect((await call(`DELETE /sessions/${first.session_state}`)).status).toBe(204);
    const again = await call(`DELETE /sessions/${first.session_state}`);
    expect([again.status, again.body]).toEqual([404, { error: "Sesssion not found" }]);
    for (const _ of [1, 2]) expect((await call(`POST /users/${person.id}/logout`)).status).toBe(204);
    expect((await call(`GET /users/${person.id}/sessions`)).body).toEqual([]);
  });
}
