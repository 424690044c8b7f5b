import { afterAll, beforeAll, expect, test } from "vitest";
import { problemOf } from "../http/problem.ts";
import { registered, type TestPlatform, testPlatform, tokenOf } from "../platform.ts";
import { get, passwordsAsked, post } from "./doors.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await testPlatform();
});
afterAll(() => platform.close());

const invalid = (...fields: string[]) => ({ status: 400, code: "VALIDATION_FAILED_400", fields });
const WRONG = "Wrong-Horse-7-Battery";

test("sign-in: a name and a password are needed, of bounded length, and no guess is spent on others", async () => {
  const send = (json: unknown) => platform.request("/api/auth/authenticate", { method: "POST", json });
  for (const username of ["", "  ", "\t\u3000", "x".repeat(321), "a\u0001b", "a\nb", "a\u2028b", 1, null, ["admin"], { $ne: "" }]) {
    expect({ username, ...(await problemOf(await send({ username, password: WRONG }))) }).toEqual({ username, ...invalid("username") });
    if (typeof username === "string") expect({ username, ...(await problemOf(await get(platform, username, WRONG))) }).toEqual({ username, ...invalid("username") });
  }
  for (const password of ["", "x".repeat(513), 1, null, [WRONG]]) expect(await problemOf(await send({ username: "admin", password }))).toEqual(invalid("password"));
  expect(await problemOf(await send({}))).toEqual(invalid("password", "username"));
  const queries: [string, string[]][] = [
    ["", ["password", "username"]],
    ["username=admin", ["password"]],
    [`username=admin&username=other&password=${WRONG}`, ["username"]],
    [`username=admin&password=${WRONG}&password=${WRONG}`, ["password"]],
    [`username[]=admin&password=${WRONG}`, ["username"]],
    [`username=a%00b&password=${WRONG}`, ["username"]],
    [`USERNAME=admin&password=${WRONG}`, ["username"]],
  ];
  for (const [query, fields] of queries) expect({ query, ...(await problemOf(await platform.request(`/api/auth/authenticate?${query}`))) }).toEqual({ query, ...invalid(...fields) });
  expect(passwordsAsked(platform, "admin", "other", "a\0b", "")).toBe(0);
  expect(await platform.database.query("SELECT * FROM users.login_guards")).toEqual([]);
});

test("sign-in: any other name or password is a guess like every other", async () => {
  const names = ["x".repeat(320), "%", "' OR '1'='1", "ß".repeat(100), "ﷺ".repeat(300), "¨", "a@", "@", "..", "a&b=c", "\u202e", "İ", "%00", "🔒", "__proto__"];
  for (const [index, username] of names.entries()) {
    const password = ["\0", "a\nb", "x".repeat(512), " ", "&client_id=admin-service", "ﷺ".repeat(512)][index % 6] ?? "";
    const answers = password.includes("\0") ? [await get(platform, username, password)] : [await post(platform, username, password), await get(platform, username, password)];
    for (const answer of answers) expect({ username, ...(await problemOf(answer)) }).toEqual({ username, status: 401, code: "SECURITY_INVALID_CREDENTIALS_401" });
  }
});

test("tokens to renew or to end with: text of bounded length, and whatever is none of ours is refused as such", async () => {
  const { userId, password } = await registered(platform);
  const response = await platform.request("/api/auth/authenticate", { method: "POST", headers: { accept: "application/json" }, json: { username: userId, password } });
  const { access_token, refresh_token } = (await response.json()) as { access_token: string; refresh_token: string };
  for (const operation of ["refresh", "logout"]) {
    const send = (token: unknown) => platform.request(`/api/auth/${operation}`, { method: "POST", json: { refresh_token: token } });
    for (const token of ["", 1, null, [refresh_token], "x".repeat(4001)]) expect({ operation, ...(await problemOf(await send(token))) }).toEqual({ operation, ...invalid("refresh_token") });
    for (const token of ["x", " ", "a.b.c", "🔒", access_token, `${refresh_token}x`, `x${refresh_token}`, "e30.e30.e30", "x".repeat(4000)]) {
      expect({ operation, ...(await problemOf(await send(token))) }).toEqual({ operation, status: 401, code: "REFRESH_TOKEN_INVALID_401" });
    }
  }
});

test("a user at the identity provider: every field has its rule, and failing ones are named at once", async () => {
  const token = await tokenOf(platform, "auth-service");
  const valid = { username: "technical", password: "Correct-Horse-7-Technical", firstName: "Tech", lastName: "Account", emailId: "technical@example.com" };
  const send = (json: unknown) => platform.request("/internal/api/auth/register/users", { method: "POST", token, json });
  const refused: Record<string, unknown[]> = {
    username: ["", "ab", "x".repeat(256), "a b", "a/b", "a@b", "ünal", "abc\n", 1, null],
    password: ["Short-7-Horses", `${"Aa1!"}${"x".repeat(125)}`, "correct-horse-7-battery", "CORRECT-HORSE-7-BATTERY", "Correct-Horse-X-Battery", "Correct7Horse7Battery", null],
    firstName: ["", " ", "x".repeat(256), "a\nb", 1],
    lastName: ["", "x".repeat(256), "a\u007fb"],
    emailId: ["", "x", "a@b", "a b@example.com", `${"x".repeat(250)}@example.com`, 1],
  };
  for (const [field, values] of Object.entries(refused)) {
    for (const value of values) expect({ value, ...(await problemOf(await send({ ...valid, [field]: value }))) }).toEqual({ value, ...invalid(field) });
  }
  expect(await problemOf(await send({}))).toEqual(invalid("emailId", "firstName", "lastName", "password", "username"));
  expect(await platform.operator.people({ username: "technical" })).toEqual([]);
});
