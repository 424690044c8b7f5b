import { describe, expect, it } from "vitest";
import { describe as describeError } from "../../src/http/log.ts";
import { Problem } from "../../src/http/problem.ts";
import { identityAdministration } from "../../src/identity/administration.ts";
import { keycloak } from "../../src/identity/keycloak.ts";
import { call, now, type Recorded, scripted, type Script } from "../wire/scripted.ts";
import { recorded, versions } from "./recorded.ts";

const TOKEN = "POST /realms/platform/protocol/openid-connect/token";
const LOGOUT = "POST /realms/platform/protocol/openid-connect/logout";
const ADMIN = "/admin/realms/platform";
const USER = { username: "user0001", password: "canary-Password-1", firstName: "F", lastName: "L", email: "user0001@example.test", enabled: false };

function clients(script: Script) {
  const { fetch, journal, lines } = scripted({ [TOKEN]: recorded.ownToken, ...script });
  const needs = { url: "http://keycloak.test", realm: "platform", clientId: "user-service", clientSecret: "canary-secret", fetch, now, sharesPending: true, tokenTimeout: 2000 };
  return { provider: keycloak(needs), administration: identityAdministration(needs), journal, lines };
}

const signIn = (answer: Recorded) => clients({ [TOKEN]: answer }).provider.signIn(call, { username: "user0001", password: "canary-Password-1" });

async function problemOf(work: Promise<unknown>): Promise<Problem> {
  const error = await work.then(() => undefined, (reason: unknown) => reason);
  if (error instanceof Problem) return error;
  throw new Error(`Expected a problem, got ${String(error)}`);
}

describe.each(Object.entries(versions))("as Keycloak %s answers", (_, version) => {
  it.each(["wrongPassword", "disabledUserWrongPassword", "disabledUserRightPassword"] as const)("%s is a refusal that tells no more", async (name) => {
    expect(await signIn(version[name])).toEqual({ outcome: "refused" });
  });

  it("nothing is sent that could be a strange origin, to the token endpoint or the Admin REST", async () => {
    const byOrigin = (strange: Recorded, own: Recorded) => ({ headers }: { headers: Headers }) => (headers.has("origin") ? strange : own);
    const { provider, journal } = clients({
      [TOKEN]: byOrigin(version.strangeOrigin, recorded.signedIn),
      [`GET ${ADMIN}/users?username=user0001&exact=true`]: byOrigin(version.strangeOriginAtAdministration, recorded.userFound),
    });
    expect(await provider.signIn(call, { username: "user0001", password: "canary-Password-1" })).toMatchObject({ outcome: "signed-in" });
    expect(await provider.findUser(call, "user0001")).toMatchObject({ id: "2b9d0a6e" });
    expect(journal.filter(({ headers }) => headers.has("origin") || headers.has("referer"))).toEqual([]);
  });

  it("a client's secret is read whole, however long", async () => {
    const { administration } = clients({ [`GET ${ADMIN}/clients/the-id/client-secret`]: version.clientSecret });
    expect(await administration.clientSecret(call, "the-id")).toBe((JSON.parse(version.clientSecret.body) as { value: string }).value);
  });
});

describe("signing in", () => {
  it("takes the tokens", async () => {
    expect(await signIn(recorded.signedIn)).toMatchObject({ outcome: "signed-in", tokens: { access_token: "an.access.token", refresh_token: "a.refresh.token", expires_in: 300 } });
  });

  it("an account that is not set up is a refusal", async () => {
    expect(await signIn(recorded.notFullySetUp)).toEqual({ outcome: "refused" });
  });

  it.each(["clientSecretWrong", "clientUnknown", "clientMethodWrong", "clientWithoutDirectGrants", "clientNeedsConsent", "scopeUnknown", "realmUnknown"] as const)("%s is our own fault, never the user's", async (name) => {
    const problem = await problemOf(signIn(recorded[name]));
    expect([problem.code, problem.message]).toEqual(["UPSTREAM_BAD_ANSWER_502", "The identity provider does not accept this service"]);
    expect(describeError(problem, true)).not.toMatch(/canary|credentials|consent/);
  });

  it("an origin that is refused all the same is our own fault too", async () => {
    expect((await problemOf(signIn(versions["26.7.3"].strangeOrigin))).code).toBe("UPSTREAM_BAD_ANSWER_502");
  });

  it("a provider that is still starting is not there yet", async () => {
    const problem = await problemOf(signIn(recorded.starting));
    expect([problem.code, problem.message]).toEqual(["UPSTREAM_UNAVAILABLE_503", "The identity provider is not available"]);
  });
});

describe("refreshing and ending a session", () => {
  it.each(["refreshExpired", "refreshOfEndedSession", "refreshOfDisabledUser", "refreshReused", "refreshOfAnotherClient"] as const)("%s is a refusal", async (name) => {
    expect(await clients({ [TOKEN]: recorded[name] }).provider.refresh(call, "a.refresh.token")).toEqual({ outcome: "refused" });
  });

  it("ends the session of a token, and none of a foreign one", async () => {
    expect(await clients({ [LOGOUT]: recorded.sessionEnded }).provider.endSession(call, "a.refresh.token")).toBe(true);
    expect(await clients({ [LOGOUT]: recorded.refreshOfAnotherClient }).provider.endSession(call, "a.refresh.token")).toBe(false);
  });

  it("does not take the page that asks a person for an ended session", async () => {
    expect((await problemOf(clients({ [LOGOUT]: recorded.logoutPage }).provider.endSession(call, "a.refresh.token"))).code).toBe("UPSTREAM_BAD_ANSWER_502");
  });
});

describe("creating a user", () => {
  const create = (answer: Recorded) => clients({ [`POST ${ADMIN}/users`]: answer }).provider.createUser(call, USER);

  it("takes the id from the end of Location, whatever host it names", async () => {
    expect(await create(recorded.userCreated)).toEqual({ outcome: "created", id: "2b9d0a6e-5f0e-4b7e-9a35-7f1f3c1f0a11" });
  });

  it.each(["usernameTaken", "emailTaken", "raceLost"] as const)("%s: it exists", async (name) => {
    expect(await create(recorded[name])).toEqual({ outcome: "exists" });
  });

  it.each([["emailInvalid", "emailId"], ["severalInvalid", "emailId"], ["firstNameInvalid", "firstName"], ["passwordTooShort", "password"]] as const)("%s names our field %s", async (name, field) => {
    expect(await create(recorded[name])).toEqual({ outcome: "rejected", field });
  });

  it.each(["credentialWithoutValue", "databaseFailed"] as const)("%s says neither yes nor no: it is lost, without its text", async (name) => {
    const creation = await create(recorded[name]);
    expect(creation).toMatchObject({ outcome: "lost", problem: { code: "UPSTREAM_BAD_ANSWER_502" } });
    expect(describeError((creation as { problem: Problem }).problem, true)).not.toMatch(/canary|server log|Could not/);
  });
});

describe("the Admin REST", () => {
  const FIND = `GET ${ADMIN}/users?username=user0001&exact=true`;

  it("an infix match is not the user", async () => {
    const { provider } = clients({ [`GET ${ADMIN}/users?username=user&exact=true`]: recorded.userFound, [`GET ${ADMIN}/users?username=none&exact=true`]: recorded.nobodyFound });
    expect([await provider.findUser(call, "user"), await provider.findUser(call, "none")]).toEqual([undefined, undefined]);
  });

  it.each([["tokenRefused", recorded.tokenRefused], ["rightLacking", recorded.rightLacking]])("%s once: a fresh token is asked for, once", async (_, refusal) => {
    const { provider, lines } = clients({ [FIND]: [refusal, recorded.userFound] });
    expect(await provider.findUser(call, "user0001")).toMatchObject({ enabled: true });
    expect(lines()).toEqual([TOKEN, FIND, TOKEN, FIND]);
    const again = clients({ [FIND]: refusal });
    expect((await problemOf(again.provider.findUser(call, "user0001"))).code).toBe("UPSTREAM_BAD_ANSWER_502");
    expect(again.lines()).toHaveLength(4);
  });

  it("a change of nobody is told from one that was made", async () => {
    const { provider } = clients({ [`PUT ${ADMIN}/users/a`]: recorded.sessionEnded, [`PUT ${ADMIN}/users/b`]: recorded.userMissing });
    expect([await provider.setEnabled(call, "a", false), await provider.setEnabled(call, "b", false)]).toEqual([true, false]);
  });

  it("a service account that is disabled is said without the server's text", async () => {
    const problem = await problemOf(clients({ [TOKEN]: recorded.serviceAccountDisabled }).provider.findUser(call, "user0001"));
    expect([problem.code, problem.message]).toEqual(["UPSTREAM_BAD_ANSWER_502", "The identity provider does not accept this service"]);
    expect(describeError(problem, true)).not.toMatch(/canary|service-account/);
  });

  it("clients and roles are made once", async () => {
    const made = clients({ [`POST ${ADMIN}/clients`]: recorded.clientCreated }).administration;
    const taken = clients({ [`POST ${ADMIN}/clients`]: recorded.clientExists, [`POST ${ADMIN}/roles`]: recorded.roleExists, [`GET ${ADMIN}/roles/AUDITOR`]: recorded.roleMissing }).administration;
    expect(await made.createClient(call, { clientId: "svc-a", creation: "1" })).toEqual({ outcome: "created", id: "0e6a1f52-1c1f-4a7e-8d14-7f1f3c1f0a11" });
    expect(await taken.createClient(call, { clientId: "svc-a", creation: "1" })).toEqual({ outcome: "exists" });
    expect(await taken.createRole(call, { name: "AUDITOR", description: "" })).toBe("exists");
    expect(await taken.findRole(call, "AUDITOR")).toBeUndefined();
  });
});
