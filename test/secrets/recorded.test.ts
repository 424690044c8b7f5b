import { describe, expect, it } from "vitest";
import { describe as describeError } from "../../src/http/log.ts";
import { Problem } from "../../src/http/problem.ts";
import { type SecretsStore, vault } from "../../src/secrets/vault.ts";
import { call, now, type Script, scripted } from "../wire/scripted.ts";
import { type Pair, pairs } from "../wire/secrets/recorded-pairs.ts";

const LOGIN = "POST /v1/auth/approle/login";
const ROLE = "/v1/auth/approle/role/svc-a";
const DATA = "/v1/secret/data/platform/billing/dev";
const POLICY = "PUT /v1/sys/policies/acl/svc-a-policy";
const PATH = "platform/billing/dev";

describe.each([["OpenBao 2.6.2", "openBao"], ["Vault 1.21.4", "vault"]] as const)("as %s answers", (_, server) => {
  const answer = (name: keyof typeof pairs) => (pairs[name] satisfies Pair)[server];

  function client(script: Script, clock = now) {
    const { fetch, journal, lines } = scripted({ [LOGIN]: answer("login"), ...script });
    const store = vault({ url: "http://vault.test", roleId: "the-role-id", secretId: "canary-secret-id", fetch, now: clock, sharesPending: true });
    return { store, journal, lines };
  }

  const cases: [string, Script, (store: SecretsStore) => Promise<unknown>, unknown][] = [
    ["it is healthy", { "GET /v1/sys/health": answer("health") }, (store) => store.check(call), undefined],
    ["roles are listed", { "GET /v1/auth/approle/role?list=true": answer("roles") }, (store) => store.listAppRoles(call), ["svc-a", "svc-b"]],
    ["no roles are none", { "GET /v1/auth/approle/role?list=true": answer("nothing") }, (store) => store.listAppRoles(call), []],
    ["policies are listed", { "GET /v1/sys/policies/acl?list=true": answer("policies") }, (store) => store.listPolicies(call), ["default", "svc-a-policy", "root"]],
    ["secrets are read", { [`GET ${DATA}`]: answer("document") }, (store) => store.readSecrets(call, PATH), { data: { a: "1" }, version: 2 }],
    ["secrets are written", { [`POST ${DATA}`]: answer("written") }, (store) => store.writeSecrets(call, PATH, { data: { a: "1" }, cas: 2 }), "written"],
    ["secrets are patched", { [`PATCH ${DATA}`]: answer("written") }, (store) => store.patchSecrets(call, PATH, { a: "1" }), "patched"],
  ];
  it.each(cases)("%s", async (_name, script, act, expected) => {
    expect(await act(client(script).store)).toEqual(expected);
  });

  it("a role is read with what the server has besides", async () => {
    const found = await client({ [`GET ${ROLE}`]: answer("role") }).store.readAppRole(call, "svc-a");
    expect(found).toMatchObject({ data: { token_policies: ["svc-a-policy"], token_ttl: 3600, secret_id_ttl: 2_592_000 }, leaseDuration: 0 });
  });

  it("a role that somebody else has made meanwhile exists", async () => {
    const { store } = client({ [`GET ${ROLE}`]: [answer("nothing"), answer("role")], [`POST ${ROLE}`]: answer("roleOfRace") });
    expect(await store.createAppRole(call, { name: "svc-a", policies: [], tokenTtl: "1h", tokenMaxTtl: "4h", secretIdTtl: "720h" })).toBe("exists");
  });

  it("its token is sent as it is, and replaced once when it is not valid any more", async () => {
    const { store, journal, lines } = client({ [`GET ${DATA}`]: [answer("tokenInvalid"), answer("document")] });
    expect(await store.readSecrets(call, PATH)).toMatchObject({ version: 2 });
    expect(lines()).toEqual([LOGIN, `GET ${DATA}`, LOGIN, `GET ${DATA}`]);
    expect(journal[1]?.headers.get("x-vault-token")).toBe((JSON.parse(answer("login").body) as { auth: { client_token: string } }).auth.client_token);
  });

  it("a right that is missing brings no fresh token", async () => {
    const { store, lines } = client({ [`GET ${DATA}`]: answer("rightLacking") });
    await problemOf(store.readSecrets(call, PATH));
    expect(lines()).toEqual([LOGIN, `GET ${DATA}`]);
  });

  it("once our role is deleted, renewing and signing in fail, and it is said that we are not accepted", async () => {
    const clock = { now: now() };
    const script = { [LOGIN]: [answer("login"), answer("loginOfDeletedRole")], "POST /v1/auth/token/renew-self": answer("renewalOfDeletedRole"), [`GET ${DATA}`]: answer("document") };
    const { store, lines } = client(script, () => clock.now);
    await store.readSecrets(call, PATH);
    clock.now += 3_580_000;
    const problem = await problemOf(store.readSecrets({ ...call, deadline: clock.now + 8000 }, PATH));
    expect([problem.code, problem.message]).toEqual(["UPSTREAM_BAD_ANSWER_502", "The secrets store does not accept this service"]);
    expect(lines()).toEqual([LOGIN, `GET ${DATA}`, "POST /v1/auth/token/renew-self", LOGIN]);
  });

  it("a role that is locked after wrong secret-ids is told from a wrong secret-id", async () => {
    const problem = await problemOf(client({ [LOGIN]: answer("loginLocked") }).store.listPolicies(call));
    expect(problem.message).toBe("The secrets store has locked this service out");
  });

  const failures: [string, Script, (store: SecretsStore) => Promise<unknown>, string][] = [
    ["sealed: it is not available", { [`GET ${DATA}`]: answer("sealed") }, (store) => store.readSecrets(call, PATH), "UPSTREAM_UNAVAILABLE_503"],
    ["sealed: nobody signs in", { [LOGIN]: answer("sealed") }, (store) => store.readSecrets(call, PATH), "UPSTREAM_UNAVAILABLE_503"],
    ["too many entries are no conflict", { [`POST ${DATA}`]: answer("tooManyEntries") }, (store) => store.writeSecrets(call, PATH, { data: {}, cas: 0 }), "UPSTREAM_BAD_ANSWER_502"],
    ["too many entries are no missing document", { [`PATCH ${DATA}`]: answer("tooManyEntries") }, (store) => store.patchSecrets(call, PATH, {}), "UPSTREAM_BAD_ANSWER_502"],
    ["a value that is too large is refused", { [`PATCH ${DATA}`]: answer("valueTooLarge") }, (store) => store.patchSecrets(call, PATH, {}), "UPSTREAM_BAD_ANSWER_502"],
    ["an unversioned mount is not one without secrets", { [`GET ${DATA}`]: answer("unversionedMount") }, (store) => store.readSecrets(call, PATH), "UPSTREAM_BAD_ANSWER_502"],
    ["nor has it a version to start from", { [`GET ${DATA}`]: answer("unversionedMount") }, (store) => store.currentVersion(call, PATH), "UPSTREAM_BAD_ANSWER_502"],
  ];
  it.each(failures)("%s", async (_name, script, act, code) => {
    const problem = await problemOf(act(client(script).store));
    expect(problem.code).toBe(code);
    expect(describeError(problem, true)).not.toMatch(/canary|sealed|exceed|too large|versioned|the-role-id/);
  });
});

describe("where one of them would mislead", () => {
  it("a namespace that OpenBao does not have is a fault of ours, never an empty store; Vault knows none", async () => {
    const at = (pair: keyof Pair) => {
      const { fetch, journal } = scripted({ [LOGIN]: pairs.login[pair], [`GET ${DATA}`]: pairs.namespaceUnknown[pair] });
      return { journal, store: vault({ url: "http://vault.test", namespace: "team", roleId: "r", secretId: "s", fetch, now, sharesPending: true }) };
    };
    const [openBao, other] = [at("openBao"), at("vault")];
    expect((await problemOf(openBao.store.readSecrets(call, PATH))).code).toBe("UPSTREAM_BAD_ANSWER_502");
    expect(await other.store.readSecrets(call, PATH)).toMatchObject({ version: 2 });
    expect(openBao.journal.map(({ headers }) => headers.get("x-vault-namespace"))).toEqual(["team", "team"]);
  });

  it("a policy with a capability list twice is written at OpenBao, and refused by Vault without its text", async () => {
    const at = (pair: keyof Pair) => {
      const { fetch } = scripted({ [LOGIN]: pairs.login[pair], [POLICY]: pairs.policyWithDoubleAttribute[pair] });
      return vault({ url: "http://vault.test", roleId: "r", secretId: "s", fetch, now, sharesPending: true }).writePolicy(call, { name: "svc-a-policy", hcl: "path" });
    };
    await at("openBao");
    const problem = await problemOf(at("vault"));
    expect(problem.code).toBe("UPSTREAM_BAD_ANSWER_502");
    expect(describeError(problem, true)).not.toContain("capabilities");
  });
});

async function problemOf(work: Promise<unknown>): Promise<Problem> {
  const error = await work.then(() => undefined, (reason: unknown) => reason);
  if (error instanceof Problem) return error;
  throw new Error(`Expected a problem, got ${String(error)}`);
}
