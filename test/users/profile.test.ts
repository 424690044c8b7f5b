import { afterAll, beforeAll, expect, test } from "vitest";
import { problemOf } from "../http/problem.ts";
import { type TestPlatform, testPlatform, tokenOf } from "../platform.ts";
import { ADDRESS, adminToken, eventsOf, member, profileOf, update } from "./people.ts";

let platform: TestPlatform;
let admin: string;
beforeAll(async () => {
  platform = await testPlatform();
  admin = await adminToken(platform);
});
afterAll(() => platform.close());

const OTHER = { addressLine1: "1 Park Street", addressLine2: "2nd floor", city: "Kolkata", state: "West Bengal", pinCode: "700016", country: "India" };
const numbers = Array.from({ length: 11 }, (_, index) => String(7_000_000_000 + index));

test("a user and an administrator see the whole profile, the user through me as well", async () => {
  const user = await member(platform);
  const expected = {
    userId: user.userId,
    firstName: user.firstName,
    lastName: user.lastName,
    emailId: user.emailId,
    primaryContactNumber: user.primaryContactNumber,
    status: "ACTIVE",
    isLockUser: false,
    contacts: [{ contactNumber: user.primaryContactNumber, type: "PRIMARY", isVerified: false }],
    addresses: [],
    registration: { status: "REGISTRATION_IN_PROGRESS", lastStepCompleted: "BASIC_DETAILS_ADDED", nextStep: "ADDRESS_ADDED" },
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updatedAt: expect.stringMatching(/Z$/),
  };
  for (const [path, token] of [[`/api/users/${user.userId}`, user.token], ["/api/users/me", user.token], [`/api/users/${user.userId}`, admin]] as const) {
    const response = await platform.request(path, { token });
    expect({ path, status: response.status, cache: response.headers.get("cache-control") }).toEqual({ path, status: 200, cache: "no-store" });
    expect(await response.json()).toEqual(expected);
  }
});

test("to anybody but an administrator, a user who is not there and one who is not theirs are refused alike", async () => {
  const [one, other] = [await member(platform), await member(platform)];
  const refusals = [];
  for (const userId of [other.userId, "USRNOBODY", other.userId.toLowerCase()]) {
    for (const [method, path, json] of [["GET", "users"], ["PUT", "users", {}], ["GET", "security-details"], ["PUT", "security-details", { securityQuestions: [{ question: "q", answer: "a" }] }]] as const) {
      const response = await platform.request(`/api/${path}/${userId}`, { method, token: one.token, json });
      const { traceId: _, instance: __, ...body } = (await response.clone().json()) as Record<string, unknown>;
      refusals.push(body);
      expect(await problemOf(response)).toEqual({ status: 403, code: "FORBIDDEN_403" });
    }
  }
  expect(new Set(refusals.map((body) => JSON.stringify(body))).size).toBe(1);
  expect(await problemOf(await platform.request("/api/users/USRNOBODY", { token: admin }))).toEqual({ status: 404, code: "USER_NOT_FOUND_404" });
  expect(await problemOf(await update(platform, { userId: "USRNOBODY", token: admin }, {}))).toEqual({ status: 404, code: "USER_NOT_FOUND_404" });
  expect(await problemOf(await platform.request("/api/users/me", { token: admin }))).toEqual({ status: 404, code: "USER_NOT_FOUND_404" });
  const service = await tokenOf(platform, "auth-service");
  expect(await problemOf(await platform.request(`/api/users/${one.userId}`, { token: service }))).toEqual({ status: 403, code: "FORBIDDEN_403" });
});

test("there is one address per type: the same type again replaces it whole", async () => {
  const user = await member(platform);
  for (const addressType of ["PERMANENT", "OFFICE", "RESIDENTIAL"]) {
    const response = await update(platform, user, { updateAddressDto: { ...OTHER, addressType } });
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 200,
      body: { userId: user.userId, responseMessage: "User updated", responseCode: "USER_UPDATED_200" },
    });
  }
  await update(platform, user, { updateAddressDto: ADDRESS });
  const { addresses } = await profileOf(platform, user);
  expect(addresses.toSorted((a, b) => (a["addressType"]! < b["addressType"]! ? -1 : 1))).toEqual([
    { ...OTHER, addressType: "OFFICE" },
    ADDRESS,
    { ...OTHER, addressType: "RESIDENTIAL" },
  ]);
});

test("the newest further number is the secondary one, and a number that becomes primary puts the old one first", async () => {
  const user = await member(platform);
  const [one = "", two = "", three = ""] = numbers;
  const first = user.primaryContactNumber;
  const shown = async (contact: { contactNumber: string; isPrimary?: boolean | null }) => {
    expect((await update(platform, user, { updateContactDto: contact })).status).toBe(200);
    const { contacts, primaryContactNumber } = await profileOf(platform, user);
    expect(contacts[0]).toEqual({ contactNumber: primaryContactNumber, type: "PRIMARY", isVerified: false });
    expect(contacts.map(({ type }) => type)).toEqual(["PRIMARY", "SECONDARY", "OTHERS", "OTHERS"].slice(0, contacts.length));
    return contacts.map(({ contactNumber }) => contactNumber);
  };
  expect(await shown({ contactNumber: one })).toEqual([first, one]);
  expect(await shown({ contactNumber: two, isPrimary: false })).toEqual([first, two, one]);
  expect(await shown({ contactNumber: one })).toEqual([first, one, two]);
  expect(await shown({ contactNumber: three, isPrimary: true })).toEqual([three, first, one, two]);
  expect(await shown({ contactNumber: two, isPrimary: true })).toEqual([two, three, first, one]);
  expect(await shown({ contactNumber: two, isPrimary: true })).toEqual([two, three, first, one]);
  // The primary number stays primary until another becomes it.
  expect(await shown({ contactNumber: two, isPrimary: null })).toEqual([two, three, first, one]);
});

test("a primary number is unique: somebody else's is refused and nothing of the change is kept", async () => {
  const [user, other] = [await member(platform), await member(platform)];
  const before = await profileOf(platform, user);
  const response = await update(platform, user, { updateContactDto: { contactNumber: other.primaryContactNumber, isPrimary: true }, updateAddressDto: ADDRESS, isLockUser: true });
  expect(await problemOf(response)).toEqual({ status: 409, code: "USER_ALREADY_EXISTS_409" });
  expect(await profileOf(platform, user)).toEqual(before);
  expect((await eventsOf(platform, user.userId)).map(({ type }) => type)).toEqual(["user.registered"]);
});

test("ten numbers are as many as there may be, changes of those still pass", async () => {
  const user = await member(platform);
  for (const contactNumber of numbers.slice(0, 9)) expect((await update(platform, user, { updateContactDto: { contactNumber } })).status).toBe(200);
  for (const isPrimary of [true, false]) {
    const refused = await update(platform, user, { updateContactDto: { contactNumber: numbers[9], isPrimary }, updateAddressDto: ADDRESS });
    expect(await problemOf(refused)).toEqual({ status: 409, code: "CONTACT_LIMIT_REACHED_409" });
  }
  for (const contact of [{ contactNumber: numbers[8] }, { contactNumber: user.primaryContactNumber }, { contactNumber: numbers[3], isPrimary: true }]) {
    expect((await update(platform, user, { updateContactDto: contact })).status).toBe(200);
  }
  const { contacts, addresses } = await profileOf(platform, user);
  expect(addresses).toEqual([]);
  expect(new Set(contacts.map(({ contactNumber }) => contactNumber)).size).toBe(10);
});

const inProgress = (lastStepCompleted: string, nextStep: string) => ({ status: "REGISTRATION_IN_PROGRESS", lastStepCompleted, nextStep });

test("the steps of a registration are complete in either order, and said so once", async () => {
  const questions = { securityQuestions: [{ question: "What was your first school?", answer: "Canary-Answer" }] };
  const secure = (user: { userId: string; token: string }) => platform.request(`/api/security-details/${user.userId}`, { method: "PUT", token: user.token, json: questions });
  const address = (user: { userId: string; token: string }) => update(platform, user, { updateAddressDto: ADDRESS });
  const complete = { status: "REGISTRATION_COMPLETE", lastStepCompleted: "SECURITY_CREDENTIALS_ADDED", nextStep: null };
  const [one, other] = [await member(platform), await member(platform)];
  const steps = async (user: typeof one, actions: ((of: typeof one) => Promise<Response>)[]) => {
    const seen = [];
    for (const action of actions) {
      expect((await action(user)).status).toBe(200);
      seen.push((await profileOf(platform, user)).registration);
    }
    return seen;
  };
  expect(await steps(one, [address, secure, address])).toEqual([inProgress("ADDRESS_ADDED", "SECURITY_CREDENTIALS_ADDED"), complete, complete]);
  expect(await steps(other, [secure, address, secure])).toEqual([inProgress("BASIC_DETAILS_ADDED", "ADDRESS_ADDED"), complete, complete]);
  for (const { userId } of [one, other]) {
    const types = (await eventsOf(platform, userId)).map(({ type }) => type);
    expect(types.filter((type) => type === "user.registration-completed")).toHaveLength(1);
    expect(types).toHaveLength(5);
  }
});

test("every change has exactly one event, with the names of what changed and none of its content", async () => {
  const user = await member(platform);
  const changes = [{ updateAddressDto: ADDRESS }, { updateContactDto: { contactNumber: numbers[0] } }, { updateAddressDto: ADDRESS, updateContactDto: { contactNumber: numbers[1] } }];
  for (const change of changes) await update(platform, user, change);
  expect((await update(platform, user, {})).status).toBe(200);
  expect((await update(platform, user, { isLockUser: null, updateAddressDto: null, updateContactDto: null })).status).toBe(200);
  const data = (address: boolean, contact: boolean) => ({ topic: "platform.users", type: "user.updated", data: { userId: user.userId, address, contact } });
  expect((await eventsOf(platform, user.userId)).slice(1)).toEqual([data(true, false), data(false, true), data(true, true)]);
});
