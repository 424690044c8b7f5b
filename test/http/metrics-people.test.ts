import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ADMIN, person, registered, signedIn } from "../platform.ts";
import { type MeasuredPlatform, measuredPlatform, samplesOf, valueOf } from "./exposition.ts";

let platform: MeasuredPlatform;
beforeAll(async () => {
  platform = await measuredPlatform();
});
afterAll(() => platform.close());

describe("people", () => {
  const LOCKS = "gatehouse_account_locks_total";
  const SIGN_INS = "gatehouse_sign_ins_total";
  const REGISTRATIONS = "gatehouse_registrations_total";

  test("who sign in are counted by how that ended, and the lock that their failures set once", async () => {
    const app = platform.open();
    const { userId, password } = await registered(app);
    await signedIn(app, { username: userId, password });
    for (let guess = 0; guess < 6; guess++) await app.request("/api/auth/authenticate", { method: "POST", json: { username: userId, password: "Wrong-Horse-7-Battery" } });
    const away = platform.open({ users: () => Promise.reject(new TypeError("away")) });
    await away.request("/api/auth/authenticate", { method: "POST", json: { username: userId, password } });
    const signIns = async (asked: typeof app) => Object.fromEntries((await samplesOf(asked, { service: "auth" })).flatMap(({ name, labels, value }) => (name === SIGN_INS ? [[labels["outcome"], value]] : [])));
    expect(await signIns(app)).toEqual({ SUCCESS: 1, SECURITY_INVALID_CREDENTIALS_401: 5, ACCOUNT_LOCKED_403: 1 });
    expect(await signIns(away)).toEqual({ UPSTREAM_UNAVAILABLE_503: 1 });
    expect(valueOf(await samplesOf(app), LOCKS, { cause: "attempts" })).toBe(1);
  });

  test("whose failure is reported twice are locked once", async () => {
    const app = platform.open();
    const { userId } = await registered(app);
    const [token, attemptId] = [await platform.serviceToken(), crypto.randomUUID()];
    const report = (query: Record<string, string>) => app.request(`/internal/api/security-details/${userId}?${new URLSearchParams({ loginFailed: "true", ...query })}`, { method: "PUT", token, service: "users" });
    for (let failure = 0; failure < 4; failure++) await report({});
    const reserved = (await (await app.request("/internal/api/login-attempts", { method: "POST", token, json: { username: userId }, service: "users" })).json()) as { attemptId: string };
    for (let time = 0; time < 3; time++) expect(await (await report(reserved)).json()).toMatchObject({ loginFailedAttempts: 5, disableUser: "true" });
    expect((await report({ attemptId })).status).toBe(200);
    expect(valueOf(await samplesOf(app), LOCKS, { cause: "attempts" })).toBe(1);
  });

  test("who are locked by request are counted when they were not locked before", async () => {
    const app = platform.open();
    const { userId } = await registered(app);
    const token = await signedIn(app, ADMIN);
    for (let time = 0; time < 2; time++) expect((await app.request(`/api/users/${userId}`, { method: "PUT", token, json: { isLockUser: true } })).status).toBe(200);
    expect(valueOf(await samplesOf(app), LOCKS, { cause: "request" })).toBe(1);
  });

  test("who register are counted by how that ended", async () => {
    const app = platform.open();
    const sent = person();
    for (let time = 0; time < 2; time++) await app.request("/api/users/register", { method: "POST", json: sent });
    const samples = await samplesOf(app);
    expect([valueOf(samples, REGISTRATIONS, { outcome: "SUCCESS" }), valueOf(samples, REGISTRATIONS, { outcome: "USER_ALREADY_EXISTS_409" })]).toEqual([1, 1]);
  });

  test("who are being registered are in flight until the identity is there, whichever instance is asked", async () => {
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const isCreation = ({ method, url }: Request) => method === "POST" && url.endsWith("/users");
    const app = platform.open({ identity: async (request, pass) => (isCreation(request) && (asked.resolve(), await answered.promise), pass(request)) });
    const inFlight = async (via: typeof app) => valueOf(await samplesOf(via), "gatehouse_registrations_in_flight");
    const other = platform.open();
    expect(await inFlight(other)).toBe(0);
    const registration = app.request("/api/users/register", { method: "POST", json: person() });
    await asked.promise;
    expect([await inFlight(app), await inFlight(other)]).toEqual([1, 1]);
    answered.resolve();
    expect((await registration).status).toBe(201);
    expect([await inFlight(app), await inFlight(other)]).toEqual([0, 0]);
    expect(valueOf(await samplesOf(app), "gatehouse_alignments_in_flight")).toBe(0);
  });
});
