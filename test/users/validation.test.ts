import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { problemOf } from "../http/problem.ts";
import { person, type TestPlatform, testPlatform, tokenOf } from "../platform.ts";
import { ADDRESS, member, type Member, profileOf, update } from "./people.ts";

let platform: TestPlatform;
let user: Member;
beforeAll(async () => {
  platform = await testPlatform();
  user = await member(platform);
});
afterAll(() => platform.close());

const invalid = (...fields: string[]) => ({ status: 400, code: "VALIDATION_FAILED_400", fields });
const register = (overrides: Record<string, unknown>) => platform.request("/api/users/register", { method: "POST", json: person(overrides) });
const CLASSES = "Aa1!";
const filled = (length: number, filler = "x") => CLASSES + filler.repeat(length - CLASSES.length);

describe("password", () => {
  const accepted: Record<string, string> = {
    "15 characters": filled(15),
    "128 characters": filled(128),
    "15 code points of two units each": filled(15, "🔒"),
    "128 code points of two units each": filled(128, "🔒"),
    "15 characters once composed": filled(15, "e\u0301"),
    "128 characters once composed": filled(128, "e\u0301"),
    "marks that compose with nothing": filled(15, "x\u0332").slice(0, 15),
    "spaces within and at the ends": " Aa1! horse battery ",
    "classes of other scripts": "Жаворонокъ-сем\u0667",
  };
  test.for(Object.entries(accepted))("accepts %s, and whoever writes it otherwise composed signs in", async ([, password]) => {
    const response = await register({ password });
    expect(response.status).toBe(201);
    const { userId: username } = (await response.json()) as { userId: string };
    for (const form of ["NFC", "NFD"]) {
      const answer = await platform.request("/api/auth/authenticate", { method: "POST", json: { username, password: password.normalize(form) } });
      expect({ form, status: answer.status }).toEqual({ form, status: 200 });
    }
    const trimmed = await platform.request("/api/auth/authenticate", { method: "POST", json: { username, password: ` ${password}` } });
    expect(trimmed.status).toBe(401);
  });

  const refused: Record<string, unknown> = {
    "14 characters": filled(14),
    "129 characters": filled(129),
    "14 code points in 24 units": filled(14, "🔒"),
    "14 characters once composed, 24 before": filled(14, "e\u0301"),
    "no upper-case letter": filled(15).toLowerCase(),
    "no lower-case letter": filled(15).toUpperCase(),
    "no digit": filled(15).replace("1", "x"),
    "no special character": filled(15).replace("!", "x"),
    "a space for a special character": filled(15).replace("!", " "),
    "a mark for a special character": filled(15, "x\u0332").replace("!", "x"),
    "a tab": filled(14) + "\t",
    "a line break": filled(14) + "\n",
    "a control of C1": filled(14) + "\u0085",
    "a line separator": filled(14) + "\u2028",
    "an unassigned code point": filled(14) + "\u0378",
    nothing: "",
    null: null,
    "a number": 123_456_789_012_345,
    "an object": { length: 15 },
  };
  test.for(Object.entries(refused))("refuses %s without showing it", async ([, password]) => {
    const response = await register({ password });
    if (typeof password === "string" && password !== "") expect(await response.clone().text()).not.toContain(password);
    expect(await problemOf(response)).toEqual(invalid("password"));
  });
});

const countUsers = () => platform.database.query("SELECT count(*) FROM users.users");

const REFUSED: Record<string, unknown[]> = {
  firstName: ["", " ", "Anne-Marie", "O'Neil", "José", "Asha2", " Asha", "Asha\n", "A".repeat(101), 7, null, ["Asha"]],
  lastName: ["", "Rao Jr", "R.", "Ｒａｏ", "A".repeat(101), true, {}],
  primaryContactNumber: ["", "5999999999", "987654321", "98765432101", "+919876543210", "987654321a", "९876543210", "9876543210\n", " 9876543210", 9_876_543_210, null],
  emailId: [
    "", "@", "asha", "asha@", "@example.com", "a@b", "a@localhost", "a@@example.com", "a b@example.com", "a@exam ple.com", '"a b"@example.com',
    ".a@example.com", "a.@example.com", "a..b@example.com", "a@example..com", "a@.example.com", "a@example.com.", "a@-example.com", "a@example-.com",
    "a@[127.0.0.1]", "a@127.0.0.1", "a@0x7f.1", "a@example.com:80", "a@example.com/x", "a@exa_mple.com", "a@ex%61mple.com", "a@xn--.com", "é@example.com",
    "a\u0001b@example.com", "<a@example.com>", "a,b@example.com", "a@b@example.com", `${"a".repeat(65)}@example.com`,
    `a@${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(60)}.${"e".repeat(60)}.${"f".repeat(20)}.com`, `${"a".repeat(60_000)}@example.com`, 7, null, [],
  ],
};
test.for(Object.entries(REFUSED))("registration: refuses every %s that is none, and keeps nothing", async ([field, values]) => {
  const before = await countUsers();
  for (const value of values) expect({ value, ...(await problemOf(await register({ [field]: value }))) }).toEqual({ value, ...invalid(field) });
  expect(await countUsers()).toEqual(before);
});

const ACCEPTED: [string, unknown][] = [
  ...["A", "a".repeat(100)].flatMap((name): [string, string][] => [["firstName", name], ["lastName", name]]),
  ...["6000000000", "9999999999"].map((number): [string, string] => ["primaryContactNumber", number]),
  ...[`${"a".repeat(64)}@example.com`, "  padded@example.com ", "o'neil+tag/x=y@sub.example.co", "a1@1.example", "someone@münchen.example", `long@${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(60)}.${"e".repeat(60)}.io`].map(
    (email): [string, string] => ["emailId", email],
  ),
];
test.for(ACCEPTED)("registration: accepts %s %j", async ([field, value]) => {
  const response = await register({ [field]: value });
  expect({ status: response.status, text: await response.text() }).toEqual({ status: 201, text: expect.stringContaining("USER_CREATED_201") });
});

test("all failing fields are named at once, missing ones too", async () => {
  const all = ["emailId", "firstName", "lastName", "password", "primaryContactNumber"];
  for (const json of [{}, { unknown: 1 }, Object.fromEntries(all.map((field) => [field, 1])), { ...person(), emailId: "x", firstName: "1", lastName: "2", password: "3", primaryContactNumber: "4" }]) {
    expect(await problemOf(await platform.request("/api/users/register", { method: "POST", json }))).toEqual(invalid(...all));
  }
  const nothing = { updateContactDto: {}, updateAddressDto: {}, isLockUser: "true" };
  const fields = ["isLockUser", ...["addressLine1", "addressType", "city", "pinCode", "state"].map((field) => `updateAddressDto.${field}`), "updateContactDto.contactNumber"];
  expect(await problemOf(await update(platform, user, nothing))).toEqual(invalid(...fields));
});

const keyed = (key: string) => platform.request("/api/users/register", { method: "POST", json: person(), headers: { "idempotency-key": key } });

test("an idempotency key is 1 to 255 printing ASCII characters", async () => {
  for (const key of ["x".repeat(256), "a b", "clé"]) expect(await problemOf(await keyed(key))).toEqual(invalid("idempotency-key"));
  for (const key of ["!", "~".repeat(255)]) expect((await keyed(key)).status).toBe(201);
});

const LENGTHS = { addressLine1: 255, addressLine2: 255, city: 100, state: 100, pinCode: 16, country: 100 };

test.for(Object.entries(LENGTHS))("address: %s has 1 to %i characters and none that controls", async ([field, max]) => {
  const send = (value: unknown) => update(platform, user, { updateAddressDto: { ...ADDRESS, [field]: value } });
  for (const value of ["", "   ", "x".repeat(max + 1), "a\tb", "a\nb", "a\u0007b", "a\u2028b", 5, null, ["a"]]) {
    expect({ value, ...(await problemOf(await send(value))) }).toEqual({ value, ...invalid(`updateAddressDto.${field}`) });
  }
  for (const value of ["x", "x".repeat(max), "पुणे", "  trimmed "]) {
    expect((await send(value)).status).toBe(200);
    expect((await profileOf(platform, user)).addresses[0]?.[field]).toBe(value.trim());
  }
});

test("address type, lock and contact are of the forms that there are", async () => {
  for (const addressType of ["permanent", "HOME", "", null, 1, ["PERMANENT"], "__proto__", "constructor"]) {
    expect(await problemOf(await update(platform, user, { updateAddressDto: { ...ADDRESS, addressType } }))).toEqual(invalid("updateAddressDto.addressType"));
  }
  for (const isLockUser of ["true", 1, 0, "", {}, []]) expect(await problemOf(await update(platform, user, { isLockUser }))).toEqual(invalid("isLockUser"));
  for (const contactNumber of REFUSED["primaryContactNumber"]!) {
    expect(await problemOf(await update(platform, user, { updateContactDto: { contactNumber } }))).toEqual(invalid("updateContactDto.contactNumber"));
  }
  expect(await problemOf(await update(platform, user, { updateContactDto: { contactNumber: "9876543210", isPrimary: "yes" } }))).toEqual(invalid("updateContactDto.isPrimary"));
  for (const field of ["updateContactDto", "updateAddressDto"]) {
    for (const value of [[], "x", 1, true]) expect(await problemOf(await update(platform, user, { [field]: value }))).toEqual(invalid(field));
  }
  expect(await profileOf(platform, user)).toMatchObject({ isLockUser: false, contacts: [{ type: "PRIMARY" }] });
});

const pairs = (count: number) => Array.from({ length: count }, (_, index) => ({ question: `Question ${index}?`, answer: "x".repeat(255) }));

test("security questions: 1 to 10, each once, with an answer, 255 characters at most", async () => {
  const send = (securityQuestions: unknown) => platform.request(`/api/security-details/${user.userId}`, { method: "PUT", token: user.token, json: { securityQuestions } });
  const pair = { question: "Which?", answer: "Canary-of-an-answer" };
  for (const value of [[], pairs(11), [pair, { ...pair, question: " Which? " }], undefined, null, {}, "x"]) expect(await problemOf(await send(value))).toEqual(invalid("securityQuestions"));
  for (const field of ["question", "answer"]) {
    for (const value of ["", "  ", "x".repeat(256), "a\nb", 1, null, undefined]) {
      const response = await send([{ question: "Other?", answer: "That" }, { ...pair, [field]: value }]);
      expect(await response.clone().text()).not.toContain(pair.answer);
      expect(await problemOf(response)).toEqual(invalid(`securityQuestions.1.${field}`));
    }
  }
  expect(await problemOf(await send([{}]))).toEqual(invalid("securityQuestions.0.answer", "securityQuestions.0.question"));
  expect((await platform.request(`/api/security-details/${user.userId}`, { token: user.token })).status).toBe(404);
  expect((await send(pairs(10))).status).toBe(200);
});

test("a report of a sign-in says true or false once, and its attempt id is a UUID", async () => {
  const token = await tokenOf(platform, "auth-service");
  const id = crypto.randomUUID();
  const refused: [string, string][] = [
    ...["", "loginFailed=", "loginFailed=TRUE", "loginFailed=1", "loginFailed=yes", "loginFailed=true&loginFailed=false", "loginFailed=true&loginFailed=true"].map(
      (query): [string, string] => [query, "loginFailed"],
    ),
    ...["1", "", `${id}x`, `${id}&attemptId=${id}`, "' OR 1=1 --"].map((value): [string, string] => [`loginFailed=true&attemptId=${value}`, "attemptId"]),
  ];
  for (const [query, field] of refused) {
    const response = await platform.request(`/internal/api/security-details/${user.userId}?${query}`, { method: "PUT", token });
    expect({ query, ...(await problemOf(response)) }).toEqual({ query, ...invalid(field) });
  }
  expect(await platform.database.query("SELECT failures FROM users.login_guards WHERE subject = $1 AND failures > 0", [user.userId])).toEqual([]);
});

test("a user id in the path that can be nobody's finds nobody", async () => {
  const token = await tokenOf(platform, "auth-service");
  for (const id of ["%00", "a%00b", "%ff", "%F0%9F%94%92", "' OR '1'='1", "x".repeat(255), "..%2f..%2fx"]) {
    const response = await platform.request(`/internal/api/security-details/${id}?loginFailed=true`, { method: "PUT", token });
    const { status, code } = await problemOf(response);
    expect({ id, isRefused: [400, 404].includes(status), code }).toEqual({ id, isRefused: true, code: status === 404 ? "USER_NOT_FOUND_404" : "VALIDATION_FAILED_400" });
  }
  expect((await problemOf(await platform.request(`/internal/api/security-details/${"x".repeat(256)}?loginFailed=true`, { method: "PUT", token }))).status).toBe(400);
});
