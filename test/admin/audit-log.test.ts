import { afterAll, beforeAll, expect, test } from "vitest";
import { PermissionsSchema } from "../../src/admin/permissions.ts";
import { exampleEntry } from "../../src/admin/audit-log/schema.ts";
import { problemOf } from "../http/problem.ts";
import { signer } from "../http/signing.ts";
import { member, update } from "../users/people.ts";
import { type AuditedPlatform, auditedPlatform, faultsIn, hashOf } from "./audit-log.ts";

let platform: AuditedPlatform;
beforeAll(async () => {
  platform = await auditedPlatform();
});
afterAll(() => platform.close());

const signIn = (username: string, password: string, requestId: string) =>
  platform.request("/api/auth/authenticate", { method: "POST", json: { username, password }, headers: { "x-request-id": requestId } });

test("sign-ins, refused ones, locks and unlocks are in it: who, what, about whom, when, and by which request", async () => {
  const user = await member(platform);
  const { sub } = JSON.parse(atob(user.token.split(".")[1] ?? "")) as { sub: string };
  const { sub: admin } = JSON.parse(atob(platform.token.split(".")[1] ?? "")) as { sub: string };
  expect((await signIn(user.emailId, user.password, "sign-in-good")).status).toBe(200);
  for (let nth = 1; nth <= 5; nth++) expect((await signIn(user.userId, "canary-Wrong-1-Password", `sign-in-bad-${nth}`)).status).toBe(401);
  expect((await update(platform, { userId: user.userId, token: platform.token }, { isLockUser: true })).status).toBe(200);
  expect((await update(platform, { userId: user.userId, token: platform.token }, { isLockUser: false })).status).toBe(200);
  await platform.settle();

  const about = await platform.entries({ resource: `user/${user.userId}` });
  const others = /^[\w-]{8,64}$/;
  const request = (id: string | null) => (id?.startsWith("sign-in") ? id : others.test(id ?? "") ? "another" : id);
  const said = about.map(({ action, actor, client, outcome, code, requestId }) => [action, actor, client, outcome, code, request(requestId)]);
  const expected = [
    ["user.signed-in", sub, null, "succeeded", null, "another"],
    ["user.signed-in", sub, null, "succeeded", null, "sign-in-good"],
    ...[1, 2, 3, 4, 5].map((nth) => ["user.login-failed", null, null, "refused", null, `sign-in-bad-${nth}`]),
    ["user.login-locked", null, null, "succeeded", null, "sign-in-bad-5"],
    ["user.locked", admin, null, "succeeded", null, "another"],
    ["user.unlocked", admin, null, "succeeded", null, "another"],
  ];
  expect(said.map(String).toSorted()).toEqual(expected.map(String).toSorted());
  for (const { at } of about) expect(Math.abs(Date.parse(at) - platform.clock.now())).toBeLessThan(60_000);
  expect((await platform.entries({ actor: sub })).map(({ action }) => action)).toEqual(["user.signed-in", "user.signed-in"]);
});

test("calls of the administration are in it with their outcome, those that were let through and those that were not, and no value is", async () => {
  const headers = { "x-request-id": "the-audited-call" };
  const secrets = [{ key: "canary-key", secret: "canary-of-a-value" }];
  await platform.call("POST", "/api/admin/vault-secrets", { json: { service: "audited-service", secrets }, headers });
  await platform.call("POST", "/api/admin/vault-secrets", { json: { service: "../canary", secrets }, headers });
  await platform.call("GET", "/api/admin/realm-role?roleName=missing", { headers });
  await platform.call("DELETE", "/api/admin/vault-secrets?service=audited-service", { token: await platform.serviceToken(), headers });
  const broken = platform.adminInstance({ secrets: () => new Response(null, { status: 503 }) });
  await broken.call("DELETE", "/api/admin/vault-secrets?service=audited-service", { headers });
  await platform.settle();

  const entries = (await platform.entries()).filter(({ requestId }) => requestId === "the-audited-call");
  expect(new Set(entries.map(({ action, resource, outcome, code, client }) => [action, resource, outcome, code, client].join()))).toEqual(
    new Set([
      "createSecrets,secrets/audited-service,succeeded,,auth-service",
      "createSecrets,,refused,VALIDATION_FAILED_400,auth-service",
      "getRealmRole,role/missing,refused,IDP_ROLE_NOT_FOUND_404,auth-service",
      "deleteSecrets,,refused,FORBIDDEN_403,auth-service",
      "deleteSecrets,secrets/audited-service,failed,UPSTREAM_UNAVAILABLE_503,auth-service",
    ]),
  );
  expect(JSON.stringify(await platform.database.query("SELECT e::text AS entry FROM admin.audit_entries e"))).not.toContain("canary");
  expect((await platform.entries({ action: "deleteSecrets", outcome: "failed" })).length).toBe(1);
  expect((await platform.entries({ action: "deleteSecrets", outcome: "unknown" })).length).toBe(0);
});

test("each entry has the hash that the documents say, of itself and of the one before it", async () => {
  await platform.call("GET", `/api/admin/realm-role?roleName=${encodeURIComponent('a "quoted" \\ näme / 🔑 <b>')}`);
  await platform.settle();
  const entries = (await platform.entries()).toReversed();
  expect(entries.some(({ resource }) => resource === 'role/a "quoted" \\ näme / 🔑 <b>')).toBe(true);
  expect(faultsIn(entries)).toEqual([]);
  expect(hashOf(exampleEntry)).toBe(exampleEntry.hash);
});

test("pages are the newest first, and stay what they were while more is appended", async () => {
  await platform.write(25);
  const filter = "outcome=succeeded&action=createAppRole&limit=10";
  type Page = { entries: { sequence: number }[]; next: string | null };
  const first = await platform.get<Page>(`/api/admin/audit?${filter}`);
  await platform.write(5);
  const second = await platform.get<Page>(`/api/admin/audit?${filter}&cursor=${first.next}`);
  const third = await platform.get<Page>(`/api/admin/audit?${filter}&cursor=${second.next}`);
  const sequences = [first, second, third].flatMap(({ entries }) => entries.map(({ sequence }) => sequence));
  expect(sequences).toEqual([...new Set(sequences)].toSorted((a, b) => b - a));
  expect([first, second, third].map(({ entries, next }) => [entries.length, next === null])).toEqual([[10, false], [10, false], [5, true]]);
  expect(first.next).toMatch(/^[A-Za-z0-9]+$/);
  const whole = await platform.get<Page>("/api/admin/audit?action=createAppRole&limit=30");
  expect([whole.entries.length, whole.next]).toEqual([30, null]);
});

test("a stretch of time is filtered, its end not in it", async () => {
  const all = await platform.entries();
  const times = all.map(({ at }) => at).toSorted();
  const [from = "", to = ""] = [times[2], times.at(-3)];
  const within = await platform.entries({ from, to });
  expect(within.map(({ sequence }) => sequence)).toEqual(all.filter(({ at }) => at >= from && at < to).map(({ sequence }) => sequence));
  expect(await platform.entries({ from: "0001-01-01T00:00:00+14:00", to: "1999-12-31T23:00:00-11:00" })).toEqual([]);
  expect((await platform.entries({ to: "9999-12-31T23:59:59-11:00" })).length).toBeGreaterThanOrEqual(all.length);
});

test("what nobody can mean is refused, each field by its name", async () => {
  const refused = await problemOf(await platform.call("GET", "/api/admin/audit?actor=&outcome=good&from=yesterday&to=2026-13-01T00:00:00Z&limit=201&cursor=%00"));
  expect(refused).toEqual({ status: 400, code: "VALIDATION_FAILED_400", fields: ["actor", "cursor", "from", "limit", "outcome", "to"] });
  for (const after of ["1", "1:ab", `-1:${"0".repeat(64)}`, `1:${"G".repeat(64)}`]) {
    expect((await problemOf(await platform.call("GET", `/api/admin/audit/verify?after=${after}`))).fields).toEqual(["after"]);
  }
});

test("an event that comes again is no second entry, however long after", async () => {
  const before = await platform.entries();
  await platform.settle();
  const [{ sequence: last } = { sequence: 0 }] = await platform.entries();
  // As if everything had been forgotten that consumers remember for two weeks.
  await platform.database.query("DELETE FROM events.handled WHERE consumer = 'audit'");
  await platform.database.query("UPDATE events.positions SET next_offset = 0 WHERE consumer = 'audit'");
  await platform.settle();
  const entries = await platform.entries();
  expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
  expect(entries.filter(({ sequence }) => sequence <= last).length).toBe(last);
  expect(before.length).toBeGreaterThan(50);
  // Nor is it in the way of what comes after it.
  expect(await platform.database.query("SELECT topic FROM events.positions WHERE consumer = 'audit' AND tries > 0")).toEqual([]);
  expect(faultsIn(entries.toReversed())).toEqual([]);
});

test("no statement of ours can change an entry, or turn the head back", async () => {
  const before = await platform.entries();
  for (const statement of [
    "UPDATE admin.audit_entries SET outcome = 'succeeded' WHERE sequence = 1",
    "DELETE FROM admin.audit_entries WHERE sequence = 1",
    "DELETE FROM admin.audit_entries WHERE false",
    "TRUNCATE admin.audit_entries",
    "INSERT INTO admin.audit_entries SELECT * FROM admin.audit_entries WHERE sequence = 1 ON CONFLICT (sequence) DO UPDATE SET actor = 'somebody'",
    "UPDATE admin.audit_head SET sequence = sequence - 1",
    "UPDATE admin.audit_head SET hash = 'another'",
    "DELETE FROM admin.audit_head",
    "TRUNCATE admin.audit_head",
  ]) {
    await expect(platform.database.query(statement), statement).rejects.toThrow(/^Cannot change "audit_(entries|head)": the audit log is only ever appended to$/);
  }
  expect((await platform.entries()).slice(-before.length)).toEqual(before);
});

test("is for administrators, or for whoever the configuration names", async () => {
  const { good } = await signer(platform);
  const auditor = await good({ realm_access: { roles: ["AUDITOR"] } });
  const { token: user } = await member(platform);
  const instance = platform.adminInstance({}, { permissions: PermissionsSchema.parse({ "audit-read": ["AUDITOR"] }) });
  for (const path of ["/api/admin/audit", "/api/admin/audit/verify"]) {
    const statuses = [];
    for (const token of ["", user, auditor, platform.token]) statuses.push((await platform.call("GET", path, { token })).status);
    statuses.push((await instance.call("GET", path, { token: auditor })).status, (await instance.call("GET", path)).status);
    expect({ path, statuses }).toEqual({ path, statuses: [401, 403, 403, 200, 200, 403] });
  }
});
