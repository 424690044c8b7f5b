import { describe, expect, it } from "vitest";
import type { Fetch } from "../../../src/http/fetch.ts";
import { describe as describeError } from "../../../src/http/log.ts";
import { Problem } from "../../../src/http/problem.ts";
import { vault } from "../../../src/secrets/vault.ts";
import { recorded, type Recorded } from "./recorded.ts";

type Sent = { line: string; token: string | null; headers: Headers; text: string };

const NOW = 1_795_222_873_000;
const call = { requestId: "request-0001", traceId: "a".repeat(32), traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01`, deadline: NOW + 8000 };
const PATH = "platform/billing/dev";

/** The client in front of a script: for each `METHOD path` its answers in order, the last one again and again. */
function scripted(script: Record<string, Recorded | Recorded[]>, { sharesPending = true, namespace = undefined as string | undefined, lifetime = 3600 } = {}) {
  const clock = { now: NOW };
  const journal: Sent[] = [];
  const rest = new Map(Object.entries(script).map(([line, answers]) => [line, [answers].flat()]));
  let logins = 0;
  const fetch: Fetch = async (request) => {
    const { pathname, search } = new URL(request.url);
    const line = `${request.method} ${pathname}${search}`;
    journal.push({ line, token: request.headers.get("x-vault-token"), headers: request.headers, text: await request.text() });
    const answers = rest.get(line);
    const answer = answers && answers.length > 1 ? answers.shift() : answers?.[0];
    const { status, body } = answer ?? (line === "POST /v1/auth/approle/login" ? recorded.login(`token-${++logins}`, lifetime) : { status: 418, body: "" });
    return new Response(body || null, { status, headers: { "content-type": "application/json" } });
  };
  const needs = { url: "http://vault.test", roleId: "the-role-id", secretId: "canary-secret-id", fetch, now: () => clock.now, sharesPending, namespace };
  const lines = () => journal.map(({ line }) => line);
  return { store: vault(needs), journal, lines, clock };
}

async function problemOf(work: Promise<unknown>): Promise<Problem> {
  const error = await work.then(() => undefined, (reason: unknown) => reason);
  if (!(error instanceof Problem)) throw new Error(`Expected a problem, got ${String(error)}`);
  return error;
}

const LOGIN = "POST /v1/auth/approle/login";
const RENEW = "POST /v1/auth/token/renew-self";
const DATA = `/v1/secret/data/${PATH}`;
const ROLE = "/v1/auth/approle/role/svc-a";

describe("the secrets store's client reads recorded answers", () => {
  const cases: [string, Record<string, Recorded>, (store: ReturnType<typeof vault>) => Promise<unknown>, unknown][] = [
    ["lists no AppRoles", { "GET /v1/auth/approle/role?list=true": recorded.nothing }, (store) => store.listAppRoles(call), []],
    ["lists AppRoles", { "GET /v1/auth/approle/role?list=true": recorded.roles }, (store) => store.listAppRoles(call), ["svc-a", "svc-b"]],
    ["lists AppRoles past a warning", { "GET /v1/auth/approle/role?list=true": recorded.rolesOfVault }, (store) => store.listAppRoles(call), ["svc-a", "svc-b"]],
    ["finds no AppRole", { [`GET ${ROLE}`]: recorded.nothing }, (store) => store.readAppRole(call, "svc-a"), undefined],
    ["reads a role-id", { [`GET ${ROLE}/role-id`]: recorded.roleId }, (store) => store.readRoleId(call, "svc-a"), "c91273e0-8f52-4f5c-9d7c-2d3b6f1f0a11"],
    ["finds no role-id", { [`GET ${ROLE}/role-id`]: recorded.nothing }, (store) => store.readRoleId(call, "svc-a"), undefined],
    ["mints a secret-id", { [`POST ${ROLE}/secret-id`]: recorded.secretId }, (store) => store.newSecretId(call, "svc-a"), "b16f9caa-772e-2275-5e62-2c65bb6ce9f2"],
    ["mints none for no role", { [`POST ${ROLE}/secret-id`]: recorded.secretIdOfNoRole, [`GET ${ROLE}`]: recorded.nothing }, (store) => store.newSecretId(call, "svc-a"), undefined],
    ["deletes an AppRole", { [`DELETE ${ROLE}`]: recorded.done }, (store) => store.deleteAppRole(call, "svc-a"), undefined],
    ["reads a document", { [`GET ${DATA}`]: recorded.document }, (store) => store.readSecrets(call, PATH), { data: { a: "1", b: "2" }, version: 2 }],
    ["reads nothing where nothing is", { [`GET ${DATA}`]: recorded.nothing }, (store) => store.readSecrets(call, PATH), undefined],
    ["reads nothing of a deleted version", { [`GET ${DATA}`]: recorded.deletedDocument }, (store) => store.readSecrets(call, PATH), undefined],
    ["reads nothing of a destroyed version", { [`GET ${DATA}`]: recorded.destroyedDocument }, (store) => store.readSecrets(call, PATH), undefined],
    ["reads nothing of a blanked document", { [`GET ${DATA}`]: recorded.blanked }, (store) => store.readSecrets(call, PATH), undefined],
    ["knows version 0 where nothing is", { [`GET ${DATA}`]: recorded.nothing }, (store) => store.currentVersion(call, PATH), 0],
    ["knows the version of a deleted one", { [`GET ${DATA}`]: recorded.deletedDocument }, (store) => store.currentVersion(call, PATH), 7],
    ["knows the version of a blanked one", { [`GET ${DATA}`]: recorded.blanked }, (store) => store.currentVersion(call, PATH), 2],
    ["writes", { [`POST ${DATA}`]: recorded.written }, (store) => store.writeSecrets(call, PATH, { data: { a: "1" }, cas: 0 }), "written"],
    ["sees a conflict", { [`POST ${DATA}`]: recorded.conflict }, (store) => store.writeSecrets(call, PATH, { data: { a: "1" }, cas: 0 }), "conflict"],
    ["patches", { [`PATCH ${DATA}`]: recorded.written }, (store) => store.patchSecrets(call, PATH, { a: "1" }), "patched"],
    ["finds nothing to patch", { [`PATCH ${DATA}`]: recorded.patchOfNothing }, (store) => store.patchSecrets(call, PATH, { a: "1" }), "missing"],
    ["does not patch a deleted version", { [`PATCH ${DATA}`]: recorded.patchOfDeleted }, (store) => store.patchSecrets(call, PATH, { a: "1" }), "missing"],
    ["does not patch a blanked document", { [`PATCH ${DATA}`]: recorded.patchOfBlanked }, (store) => store.patchSecrets(call, PATH, { a: "1" }), "missing"],
    ["deletes all versions", { [`DELETE /v1/secret/metadata/${PATH}`]: recorded.done }, (store) => store.deleteSecrets(call, PATH), undefined],
    ["lists policies", { "GET /v1/sys/policies/acl?list=true": recorded.policies }, (store) => store.listPolicies(call), ["default", "svc-a-policy", "root"]],
    ["writes a policy", { "PUT /v1/sys/policies/acl/svc-a-policy": recorded.done }, (store) => store.writePolicy(call, { name: "svc-a-policy", hcl: "" }), undefined],
    ["writes a policy past a warning", { "PUT /v1/sys/policies/acl/svc-a-policy": recorded.policyConverted }, (store) => store.writePolicy(call, { name: "svc-a-policy", hcl: "" }), undefined],
    ["deletes a policy", { "DELETE /v1/sys/policies/acl/svc-a-policy": recorded.done }, (store) => store.deletePolicy(call, "svc-a-policy"), undefined],
    ["finds an active server healthy", { "GET /v1/sys/health": recorded.health }, (store) => store.check(call), undefined],
  ];
  it.each(cases)("%s", async (_, script, act, expected) => {
    expect(await act(scripted(script).store)).toEqual(expected);
  });

  it("reads an AppRole with its lease", async () => {
    const found = await scripted({ [`GET ${ROLE}`]: recorded.role }).store.readAppRole(call, "svc-a");
    expect(found).toMatchObject({ data: { token_ttl: 3600 }, leaseDuration: 0, leaseId: "", requestId: "6a1c2d50-8a8e-4a41-8f5a-3f1f6d9cf1d1" });
  });
});

describe("creating an AppRole", () => {
  const role = { name: "svc-a", policies: ["svc-a-policy"], tokenTtl: "1h", tokenMaxTtl: "4h", secretIdTtl: 2_592_000 };

  it.each([["204", recorded.done], ["200 with a warning", recorded.roleMadeWithWarning]])("succeeds with %s and says what was asked", async (_, answer) => {
    const { store, journal } = scripted({ [`GET ${ROLE}`]: recorded.nothing, [`POST ${ROLE}`]: answer });
    expect(await store.createAppRole(call, role)).toBe("created");
    expect(JSON.parse(journal.at(-1)?.text ?? "")).toEqual({
      token_policies: ["svc-a-policy"], token_ttl: "1h", token_max_ttl: "4h", secret_id_ttl: 2_592_000, bind_secret_id: true,
    });
  });

  it("never writes over an existing one", async () => {
    const { store, lines } = scripted({ [`GET ${ROLE}`]: recorded.role });
    expect(await store.createAppRole(call, role)).toBe("exists");
    expect(lines()).not.toContain(`POST ${ROLE}`);
  });

  it.each([["403", recorded.rightLacking], ["500", recorded.commitFailed]])("loses a race that ends with %s", async (_, answer) => {
    const { store } = scripted({ [`GET ${ROLE}`]: [recorded.nothing, recorded.role], [`POST ${ROLE}`]: answer });
    expect(await store.createAppRole(call, role)).toBe("exists");
  });

  it("fails without the right, after which there is still no role", async () => {
    const { store } = scripted({ [`GET ${ROLE}`]: recorded.nothing, [`POST ${ROLE}`]: recorded.rightLacking });
    expect((await problemOf(store.createAppRole(call, role))).code).toBe("UPSTREAM_BAD_ANSWER_502");
  });
});

describe("failures are problems without the server's text", () => {
  const cases: [string, Recorded, string][] = [
    ["a right that is missing", recorded.rightLacking, "UPSTREAM_BAD_ANSWER_502"],
    ["a missing mount, though it is a 404", recorded.noMount, "UPSTREAM_BAD_ANSWER_502"],
    ["a sealed server", recorded.sealed, "UPSTREAM_UNAVAILABLE_503"],
    ["a server that is not active", recorded.notActive, "UPSTREAM_BAD_ANSWER_502"],
    ["a quota", recorded.quota, "UPSTREAM_UNAVAILABLE_503"],
    ["a body with stored values", recorded.commitFailed, "UPSTREAM_BAD_ANSWER_502"],
    ["a page", { status: 200, body: "<html>" }, "UPSTREAM_BAD_ANSWER_502"],
    ["a page that is not there", { status: 404, body: "<html>" }, "UPSTREAM_BAD_ANSWER_502"],
    ["a redirect", { status: 307, body: "" }, "UPSTREAM_BAD_ANSWER_502"],
  ];
  it.each(cases)("%s", async (_, answer, code) => {
    const problem = await problemOf(scripted({ [`GET ${DATA}`]: answer }).store.readSecrets(call, PATH));
    expect(problem.code).toBe(code);
    expect(describeError(problem, true)).not.toMatch(/canary|sealed|quota|route entry/);
  });

  it.each([["sealed", recorded.sealed], ["uninitialised", { status: 501, body: "{}" }], ["just unsealed", { status: 429, body: "{}" }]])("health: %s", async (_, answer) => {
    await problemOf(scripted({ "GET /v1/sys/health": answer }).store.check(call));
  });

  it("a policy the server cannot parse", async () => {
    const { store } = scripted({ "PUT /v1/sys/policies/acl/svc-a-policy": recorded.policyMalformed });
    expect((await problemOf(store.writePolicy(call, { name: "svc-a-policy", hcl: "path" }))).code).toBe("UPSTREAM_BAD_ANSWER_502");
  });
});

describe("names", () => {
  const hostile = ["..", ".", "", "a/../b", "a/b", "%2e%2e", "A", "a b", "a%2fb", "ä", "-a", "a-", "a\n", "a?list=true", "a#b", "a;b"];
  it.each(hostile)("%j is refused as a role and a policy, and nothing is sent", async (name) => {
    const { store, journal } = scripted({});
    await expect(store.readAppRole(call, name)).rejects.toThrow(TypeError);
    await expect(store.newSecretId(call, name)).rejects.toThrow(TypeError);
    await expect(store.writePolicy(call, { name, hcl: "" })).rejects.toThrow(TypeError);
    await expect(store.readSecrets(call, `platform/${name}${name === "a/b" ? "//" : ""}/dev`)).rejects.toThrow(TypeError);
    expect(journal).toEqual([]);
  });
});

describe("the client's own token", () => {
  const policies = { "GET /v1/sys/policies/acl?list=true": recorded.policies };

  it("is fetched once for 30 that wait, and sent with what proxies ask for", async () => {
    const { store, lines, journal } = scripted(policies, { namespace: "team" });
    await Promise.all(Array.from({ length: 30 }, () => store.listPolicies(call)));
    expect(lines().filter((line) => line === LOGIN)).toHaveLength(1);
    expect(JSON.parse(journal[0]?.text ?? "")).toEqual({ role_id: "the-role-id", secret_id: "canary-secret-id" });
    for (const { headers } of journal) expect([headers.get("x-vault-request"), headers.get("x-vault-namespace")]).toEqual(["true", "team"]);
    expect(journal[0]?.token).toBeNull();
    expect(new Set(journal.slice(1).map(({ token }) => token))).toEqual(new Set(["token-1"]));
  });

  it("is renewed before it ends", async () => {
    const { store, journal, clock } = scripted({ ...policies, [RENEW]: recorded.login("token-1", 3600) });
    await store.listPolicies(call);
    clock.now += 3_569_000;
    const later = { ...call, deadline: clock.now + 9_000_000 };
    await store.listPolicies(later);
    clock.now += 2000;
    await store.listPolicies(later);
    expect(journal.map(({ line, token }) => `${line} ${token}`)).toEqual([
      `${LOGIN} null`, "GET /v1/sys/policies/acl?list=true token-1", "GET /v1/sys/policies/acl?list=true token-1", `${RENEW} token-1`, "GET /v1/sys/policies/acl?list=true token-1",
    ]);
  });

  it.each([["cannot be renewed", recorded.commitFailed], ["can be renewed for a moment only", recorded.login("token-1", 20)]])("is replaced when it %s", async (_, renewal) => {
    const { store, lines, clock, journal } = scripted({ ...policies, [RENEW]: renewal });
    await store.listPolicies(call);
    clock.now += 3_580_000;
    await store.listPolicies({ ...call, deadline: clock.now + 8000 });
    expect(lines().slice(2)).toEqual([RENEW, LOGIN, "GET /v1/sys/policies/acl?list=true"]);
    expect(journal.at(-1)?.token).toBe("token-2");
  });

  it("is not renewed after its end", async () => {
    const { store, lines, clock } = scripted(policies);
    await store.listPolicies(call);
    clock.now += 3_600_000;
    await store.listPolicies({ ...call, deadline: clock.now + 8000 });
    expect(lines().slice(2)).toEqual([LOGIN, "GET /v1/sys/policies/acl?list=true"]);
  });

  it.each([["OpenBao", recorded.tokenRefusedByOpenBao], ["Vault", recorded.tokenRefusedByVault]])("is replaced once when %s refuses it", async (_, refusal) => {
    const { store, lines, journal } = scripted({ [`GET ${DATA}`]: [refusal, recorded.document] });
    expect(await store.readSecrets(call, PATH)).toMatchObject({ version: 2 });
    expect(lines()).toEqual([LOGIN, `GET ${DATA}`, LOGIN, `GET ${DATA}`]);
    expect(journal.at(-1)?.token).toBe("token-2");
    const again = scripted({ [`GET ${DATA}`]: refusal });
    await problemOf(again.store.readSecrets(call, PATH));
    expect(again.lines()).toHaveLength(4);
  });

  it("stays when only a right is missing", async () => {
    const { store, lines } = scripted({ [`GET ${DATA}`]: recorded.rightLacking });
    await problemOf(store.readSecrets(call, PATH));
    expect(lines()).toEqual([LOGIN, `GET ${DATA}`]);
  });

  it.each([["wrong", recorded.loginRefused, "does not accept"], ["locked", recorded.locked, "locked"]])("%s credentials are a problem of their own, and not tried at every call", async (_, refusal, word) => {
    const { store, lines, clock } = scripted({ [LOGIN]: refusal });
    const problem = await problemOf(store.listPolicies(call));
    expect([problem.code, problem.message]).toEqual(["UPSTREAM_BAD_ANSWER_502", expect.stringContaining(word)]);
    expect(describeError(problem, true)).not.toContain("canary");
    await problemOf(store.listPolicies(call));
    expect(lines()).toEqual([LOGIN]);
    clock.now += 5001;
    await problemOf(store.listPolicies(call));
    expect(lines()).toEqual([LOGIN, LOGIN]);
  });

  it("minting a secret-id is never repeated", async () => {
    const { store, lines } = scripted({ [`POST ${ROLE}/secret-id`]: recorded.commitFailed });
    await problemOf(store.newSecretId(call, "svc-a"));
    expect(lines()).toEqual([LOGIN, `POST ${ROLE}/secret-id`]);
  });

  it("nothing is sent after the deadline of the call", async () => {
    const { store, lines } = scripted({});
    expect((await problemOf(store.listPolicies({ ...call, deadline: NOW }))).code).toBe("UPSTREAM_TIMEOUT_504");
    expect(lines()).toEqual([]);
  });
});
