import { afterAll, beforeAll, expect, test } from "vitest";
import { ADMIN, person, registered, signedIn, type TestPlatform, testPlatform } from "../platform.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await testPlatform();
});
afterAll(() => platform.close());

test("three steps make a user whose registration is complete", async () => {
  const sent = person();
  const response = await platform.request("/api/users/register", { method: "POST", json: sent });
  const body = (await response.json()) as { userId: string };
  expect({ status: response.status, body }).toEqual({
    status: 201,
    body: { userId: expect.stringMatching(/^USR[0-9A-HJKMNP-TV-Z]{26}$/), responseMessage: "User registered", responseCode: "USER_CREATED_201" },
  });
  expect(response.headers.get("location")).toBe(`/api/users/${body.userId}`);

  const token = await signedIn(platform, { username: body.userId, password: sent.password });
  const me = await platform.request("/api/users/me", { token });
  expect(me.status).toBe(200);
  expect(await me.json()).toMatchObject({ userId: body.userId, status: "ACTIVE", registration: { status: "REGISTRATION_IN_PROGRESS", nextStep: "ADDRESS_ADDED" } });
});

test("an administrator who exists only at the identity provider signs in", async () => {
  const token = await signedIn(platform, ADMIN);
  const { userId } = await registered(platform);
  const response = await platform.request(`/api/users/${userId}`, { token });
  expect(response.status).toBe(200);
});
