import { afterAll, beforeAll, expect, test } from "vitest";
import { tokenOf } from "../platform.ts";
import { never } from "./faults.ts";
import { type AdminPlatform, adminPlatform, auditOf } from "./instance.ts";
import { good, operations, prepare } from "./operations.ts";

let platform: AdminPlatform;
beforeAll(async () => {
  platform = await adminPlatform();
});
afterAll(() => platform.close());

const EVENTS = "SELECT data || jsonb_build_object('key', key, 'type', type) AS event FROM events.outbox WHERE topic = 'platform.audit' ORDER BY position";
const events = async () => (await platform.database.query(EVENTS)).map(({ event }) => JSON.parse(event ?? "null") as Record<string, unknown>);
const noted = () => platform.database.query("SELECT id FROM admin.changes");

async function newEvents(work: () => Promise<unknown>) {
  const before = (await events()).length;
  await work();
  return (await events()).slice(before);
}

test("every operation leaves one event that names who, what and on which resource, and takes its note away", async () => {
  const resources: Record<string, unknown> = {};
  for (const operation of operations) {
    await prepare(platform);
    const [event, ...more] = await newEvents(async () => expect((await platform.call(...good(operation))).status).toBe(200));
    expect({ event, more }).toEqual({
      event: {
        key: expect.stringMatching(/^[0-9a-f-]{36}$/),
        type: "admin.called",
        caller: event?.key,
        client: "auth-service",
        operation: operation.operationId,
        resource: expect.stringMatching(/^(client|roles?|approles?|secrets|polic(y|ies)|topics?)(\/|$)/),
        requestId: expect.any(String),
        outcome: "succeeded",
        code: null,
      },
      more: [],
    });
    resources[operation.operationId] = event?.["resource"];
  }
  expect(resources).toMatchObject({ getSecrets: "secrets/order-service", deleteAppRole: "approle/order-service", createPolicy: "policy/user-service-policy", describeTopics: "topic/order-service", listTopics: "topics" });
  expect(await noted()).toEqual([]);
});

test("a refused call leaves an event too, without what it sent; a caller nobody knows leaves none", async () => {
  const [invalid] = await newEvents(() => platform.call("POST", "/api/admin/vault-secrets", { json: { service: "../canary-name", secrets: [{ key: "a", secret: "canary-value" }] } }));
  expect(invalid).toMatchObject({ operation: "createSecrets", resource: null, outcome: "refused", code: "VALIDATION_FAILED_400" });
  const token = await tokenOf(platform.identity, "user-service");
  const [forbidden] = await newEvents(() => platform.call("DELETE", "/api/admin/vault-secrets?service=order-service", { token }));
  expect(forbidden).toMatchObject({ client: "user-service", operation: "deleteSecrets", resource: null, outcome: "refused", code: "FORBIDDEN_403" });
  expect(await newEvents(() => platform.call("GET", "/api/admin/topics", { token: "a.b.c" }))).toEqual([]);
  expect(JSON.stringify(await events())).not.toContain("canary");
});

test("a change whose process dies has its event within a minute, and only one", async () => {
  const dying = platform.adminInstance({ secrets: async (request, pass) => (request.method === "PATCH" ? (await pass(request), never) : pass(request)) });
  void dying.call("PUT", "/api/admin/vault-secrets", { json: { service: "order-service", secrets: [{ key: "a", secret: "3" }] }, headers: { "x-request-id": "the-dying-call" } });
  while ((await noted()).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await newEvents(() => platform.sweep())).toEqual([]);
  platform.clock.offset += 31_000;
  const left = await newEvents(() => Promise.all([platform.sweep(), platform.adminInstance().sweep()]));
  expect(left).toEqual([expect.objectContaining({ operation: "updateSecrets", resource: "secrets/order-service", requestId: "the-dying-call", outcome: "unknown" })]);
  expect(await noted()).toEqual([]);
});

test("a note that arrives after its call has failed makes no second event", async () => {
  let isFirst = true;
  const late = platform.adminInstance({
    database: (request, pass) => {
      if (!isFirst) return pass(request);
      isFirst = false;
      const copy = new Request(request.clone(), { signal: null });
      setTimeout(() => void pass(copy), 300);
      throw new TypeError("fetch failed");
    },
  });
  const written = await newEvents(async () => {
    expect((await late.call("POST", "/api/admin/vault/policies?service=user-service")).status).toBe(503);
    while ((await noted()).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    platform.clock.offset += 31_000;
    await platform.sweep();
  });
  expect(written).toEqual([expect.objectContaining({ operation: "createPolicy", outcome: "failed", code: "UPSTREAM_UNAVAILABLE_503" })]);
  expect(await noted()).toEqual([]);
});

test("no credential that was answered or sent is in any event, note, log line or document", async () => {
  const client = (await (await platform.call("POST", "/api/admin/inter-service-clients?clientName=canary-service")).json()) as { clientSecret: string };
  const approle = (await (await platform.call("POST", "/api/admin/vault-approle", { json: { roleName: "canary-service", policies: ["a-policy"] } })).json()) as { secretId: string };
  const issued = (await (await platform.call("GET", "/api/admin/vault-approle/secrets?appRole=canary-service")).json()) as { secretId: string };
  await platform.call("POST", "/api/admin/vault-secrets", { json: { service: "canary-service", secrets: [{ key: "a", secret: "canary-of-a-value" }] } });
  await platform.call("GET", "/api/admin/vault-secrets?service=canary-service");
  const tables = await platform.database.query("SELECT o::text AS row FROM events.outbox o UNION ALL SELECT c::text FROM admin.changes c UNION ALL SELECT c::text FROM admin.client_creations c");
  const document = await (await platform.call("GET", "/v3/api-docs")).text();
  const everything = JSON.stringify([tables, platform.log, document]);
  for (const canary of [client.clientSecret, approle.secretId, issued.secretId, "canary-of-a-value", platform.token, "secret-of-admin-service"]) {
    expect(canary).toMatch(/^.{16,}$/);
    expect(everything.includes(canary)).toBe(false);
  }
  expect((await auditOf(platform, "approle/canary-service")).length).toBe(2);
});
