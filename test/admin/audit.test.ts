import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { relayOf } from "../events/locking.ts";
import { problemOf } from "../http/problem.ts";
import { tokenOf } from "../platform.ts";
import { faultAt } from "./faults.ts";
import { type AdminPlatform, adminPlatform, auditOf } from "./instance.ts";
import { good, operations, prepare } from "./operations.ts";

let platform: AdminPlatform;
beforeAll(async () => {
  platform = await adminPlatform();
});
afterAll(() => platform.close());

const EVENTS = "SELECT data || jsonb_build_object('key', key, 'type', type) AS event FROM events.outbox WHERE topic = 'platform.audit' ORDER BY position";
const events = async () => (await platform.database.query(EVENTS)).map(({ event }) => JSON.parse(event ?? "null") as Record<string, unknown>);
const outboxOf = (requestId: string) => platform.database.query("SELECT data->>'outcome' AS outcome, sent_at IS NOT NULL AS sent FROM events.outbox WHERE data->>'requestId' = $1", [requestId]);

async function newEvents(work: () => Promise<unknown>) {
  const before = (await events()).length;
  await work();
  return (await events()).slice(before);
}

test("every operation leaves one event that names who, what and on which resource", async () => {
  const resources: Record<string, unknown> = {};
  for (const operation of operations) {
    await prepare(platform);
    const [event, ...more] = await newEvents(async () => expect((await platform.call(...good(operation))).ok).toBe(true));
    expect({ event, more }).toEqual({
      event: {
        key: expect.stringMatching(/^[0-9a-f-]{36}$/),
        type: "admin.called",
        caller: event?.key,
        client: "auth-service",
        operation: operation.operationId,
        resource: expect.stringMatching(/^(client|roles?|approles?|secrets|polic(y|ies)|topics?|events?|audit|webhooks?)(\/|$)/),
        requestId: expect.any(String),
        outcome: "succeeded",
        code: null,
      },
      more: [],
    });
    resources[operation.operationId] = event?.["resource"];
  }
  expect(resources).toMatchObject({ getSecrets: "secrets/order-service", deleteAppRole: "approle/order-service", createPolicy: "policy/user-service-policy", describeTopics: "topic/order-service", listTopics: "topics", verifyAuditLog: "audit" });
});

test("a refused call leaves an event too, without what it sent; a caller nobody knows leaves none", async () => {
  const [invalid] = await newEvents(() => platform.call("POST", "/api/admin/vault-secrets", { json: { service: "../canary-name", secrets: [{ key: "a", secret: "canary-value" }] } }));
  expect(invalid).toMatchObject({ operation: "createSecrets", resource: null, outcome: "refused", code: "VALIDATION_FAILED_400" });
  const token = await tokenOf(platform, "user-service");
  const [forbidden] = await newEvents(() => platform.call("DELETE", "/api/admin/vault-secrets?service=order-service", { token }));
  expect(forbidden).toMatchObject({ client: "user-service", operation: "deleteSecrets", resource: null, outcome: "refused", code: "FORBIDDEN_403" });
  expect(await newEvents(() => platform.call("GET", "/api/admin/topics", { token: "a.b.c" }))).toEqual([]);
  expect(JSON.stringify(await events())).not.toContain("canary");
});

const SECRETS = { json: { service: "order-service", secrets: [{ key: "a", secret: "3" }] } };

test("a change whose process dies was told of before it was made, and is once its lease has run out", async () => {
  let toldBefore: unknown;
  const { secrets, ...wires } = faultAt({ system: "secrets", nth: 1, matches: ({ method }) => method === "PATCH" }, "killed before");
  const dying = platform.adminInstance({
    ...wires,
    secrets: async (request, pass) => {
      if (request.method === "PATCH") toldBefore = await outboxOf("the-dying-call");
      return secrets!(request, pass);
    },
  });
  void dying.call("PUT", "/api/admin/vault-secrets", { ...SECRETS, headers: { "x-request-id": "the-dying-call" } });
  while (toldBefore === undefined) await pause(20);
  expect(toldBefore).toEqual([{ outcome: "unknown", sent: "f" }]);
  const relay = relayOf(platform);
  await relay();
  expect(await outboxOf("the-dying-call")).toEqual([{ outcome: "unknown", sent: "f" }]);
  platform.clock.offset += 31_000;
  await relay();
  expect(await outboxOf("the-dying-call")).toEqual([{ outcome: "unknown", sent: "t" }]);
});

test("what was told already is not told otherwise by a call that ends too late", async () => {
  const relay = relayOf(platform);
  const late = platform.adminInstance({
    secrets: async (request, pass) => {
      const answer = await pass(request);
      if (request.method !== "PATCH") return answer;
      platform.clock.offset += 31_000;
      await relay();
      return answer;
    },
  });
  await late.call("PUT", "/api/admin/vault-secrets", { ...SECRETS, headers: { "x-request-id": "the-late-call" } });
  expect(await outboxOf("the-late-call")).toEqual([{ outcome: "unknown", sent: "t" }]);
});

test("an event that arrives after its call has failed makes no second one", async () => {
  let isFirst = true;
  let arrived: Promise<unknown> | undefined;
  const late = platform.adminInstance({
    database: (request, pass) => {
      if (!isFirst) return pass(request);
      isFirst = false;
      const copy = new Request(request.clone(), { signal: null });
      arrived = pause(300).then(() => pass(copy));
      throw new TypeError("fetch failed");
    },
  });
  const written = await newEvents(async () => {
    expect((await late.call("POST", "/api/admin/vault/policies?service=user-service")).status).toBe(503);
    await arrived;
  });
  expect(written).toEqual([expect.objectContaining({ operation: "createPolicy", outcome: "failed", code: "UPSTREAM_UNAVAILABLE_503" })]);
});

test("while the outbox takes no event nothing is changed, and nothing that was read is given away", async () => {
  await platform.database.query("ALTER TABLE events.outbox ADD CONSTRAINT full_up CHECK (topic <> 'platform.audit') NOT VALID");
  for (const operation of operations) {
    let response = new Response();
    const sent = await platform.sentBy(async () => {
      response = await platform.call(...good(operation));
    });
    const { name, method, operationId } = operation;
    expect({ name, ...(await problemOf(response)) }).toEqual({ name, status: 500, code: "INTERNAL_ERROR_500" });
    if (method !== "GET" || operationId === "issueSecretId") expect({ name, sent }).toEqual({ name, sent: [] });
  }
  const isThere = await platform.database.query("SELECT id FROM events.outbox WHERE set_aside_at IS NOT NULL");
  expect(isThere.length).toBe(1);
  await platform.database.query("ALTER TABLE events.outbox DROP CONSTRAINT full_up");
});

test("no credential that was answered or sent is in any event, note, log line or document", async () => {
  const client = (await (await platform.call("POST", "/api/admin/inter-service-clients?clientName=canary-service")).json()) as { clientSecret: string };
  const approle = (await (await platform.call("POST", "/api/admin/vault-approle", { json: { roleName: "canary-service", policies: ["a-policy"] } })).json()) as { secretId: string };
  const issued = (await (await platform.call("GET", "/api/admin/vault-approle/secrets?appRole=canary-service")).json()) as { secretId: string };
  await platform.call("POST", "/api/admin/vault-secrets", { json: { service: "canary-service", secrets: [{ key: "a", secret: "canary-of-a-value" }] } });
  await platform.call("GET", "/api/admin/vault-secrets?service=canary-service");
  const tables = await platform.database.query("SELECT o::text AS row FROM events.outbox o UNION ALL SELECT c::text FROM admin.client_creations c");
  const document = await (await platform.call("GET", "/v3/api-docs")).text();
  const everything = JSON.stringify([tables, platform.log, document]);
  for (const canary of [client.clientSecret, approle.secretId, issued.secretId, "canary-of-a-value", platform.token, "secret-of-admin-service"]) {
    expect(canary).toMatch(/^.{16,}$/);
    expect(everything.includes(canary)).toBe(false);
  }
  expect((await auditOf(platform, "approle/canary-service")).length).toBe(2);
});
