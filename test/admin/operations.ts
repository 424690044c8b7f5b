import * as approles from "../../src/admin/approles/routes.ts";
import * as auditLog from "../../src/admin/audit-log/routes.ts";
import * as clients from "../../src/admin/clients/routes.ts";
import * as events from "../../src/admin/events/routes.ts";
import * as policies from "../../src/admin/policies/routes.ts";
import * as roles from "../../src/admin/roles/routes.ts";
import * as secrets from "../../src/admin/secrets/routes.ts";
import * as stream from "../../src/admin/stream/routes.ts";
import * as topics from "../../src/admin/topics/routes.ts";
import * as webhooks from "../../src/admin/webhooks/routes.ts";
import type { Route } from "../../src/http/route.ts";
import type { System } from "./instance.ts";

/** One operation with what it takes to call it well, as often as one likes. */
export type Operation = {
  /** As documents name it: `GET /api/admin/topics`. */
  name: string;
  operationId: string;
  permission: string;
  /** What stands behind it. */
  system: System;
  method: string;
  path: string;
  json: () => Record<string, unknown> | undefined;
  /** The query with everything it needs. */
  query: () => string;
};

let count = 0;
const fresh = () => `name-${(count += 1)}`;

/** The event that can be replayed and discarded. */
const SET_ASIDE = "0b6f9a4e-8a53-4c1e-9d3f-5d2b7a1c9e80";

/** Whatever is about something that exists is about `order-service`, or the topic and the role of that name. */
const SAMPLES: Record<string, { query?: () => string; json?: () => Record<string, unknown> }> = {
  "POST /api/admin/inter-service-clients": { query: () => `clientName=${fresh()}` },
  "GET /api/admin/realm-role": { query: () => "roleName=order-service" },
  "POST /api/admin/realm-roles": { json: () => ({ name: fresh(), description: "Of the tests" }) },
  "GET /api/admin/vault-approle/secrets": { query: () => "appRole=order-service" },
  "POST /api/admin/vault-approle": { json: () => ({ roleName: fresh(), policies: ["order-service-policy"] }) },
  "DELETE /api/admin/vault-approle": { query: () => "role=order-service" },
  "POST /api/admin/vault-secrets": { json: () => ({ service: "order-service", secrets: [{ key: "a", secret: "1" }] }) },
  "PUT /api/admin/vault-secrets": { json: () => ({ service: "order-service", secrets: [{ key: "a", secret: "2" }] }) },
  "GET /api/admin/vault-secrets": { query: () => "service=order-service" },
  "DELETE /api/admin/vault-secrets": { query: () => "service=order-service" },
  "POST /api/admin/vault/policies": { query: () => "service=user-service" },
  "DELETE /api/admin/vault/policies": { query: () => "service=user-service" },
  "POST /api/admin/topics": { json: () => ({ topicName: fresh(), numPartitions: 1, replicationFactor: 1 }) },
  "GET /api/admin/events/set-aside": { query: () => "limit=200&cursor=MA" },
  "GET /api/admin/audit": { query: () => "actor=somebody&action=listTopics&resource=topics&outcome=failed&from=2026-11-16T00:00:00Z&to=2026-11-17T00:00:00Z&limit=1&cursor=OQ" },
  "GET /api/admin/audit/verify": { query: () => `after=0:${"0".repeat(64)}` },
  "POST /api/admin/webhooks": { json: () => ({ url: "https://receiver.example.com/", types: ["user.locked"], description: "Of the tests" }) },
  "PUT /api/admin/webhooks/{id}": { json: () => ({ url: "https://receiver.example.com/", types: ["user.locked"], description: "Of the tests", enabled: true }) },
  "GET /api/admin/webhooks": { query: () => "limit=10&cursor=MA" },
  "GET /api/admin/webhooks/{id}/deliveries": { query: () => "state=set-aside&limit=10&cursor=MA" },
  "GET /api/admin/events": { query: () => "types=user.locked&from=earliest" },
  "GET /api/admin/topics/describe": { query: () => "topicNames=order-service" },
};

const SYSTEMS: Record<string, System> = { "create-client": "identity", "query-realm": "identity", "vault-ops": "secrets", "kafka-ops": "broker", "events-read": "broker" };

/** Every operation there is, from the routes themselves; an operation that needs a sample and has none fails its tests. */
export const operations: Operation[] = [clients, roles, approles, secrets, policies, topics, events, auditLog, webhooks, stream].flatMap((area) => Object.values(area)).map(operation);

function operation({ method, path, access, operationId = "" }: Route): Operation {
  const name = `${method.toUpperCase()} ${path}`;
  const permission = typeof access === "string" ? access : access.permission;
  const { query = () => "", json = () => undefined } = SAMPLES[name] ?? {};
  const system = SYSTEMS[permission] ?? "database";
  return { name, operationId, permission, system, method: method.toUpperCase(), path: path.replace("{role}", "order-service").replace("{id}", SET_ASIDE).replace("{event}", SET_ASIDE), json, query };
}

/** An operation as arguments of `call`. */
export function good({ method, path, json, query }: Operation): [method: string, path: string, init: { json?: unknown }] {
  return [method, `${path}?${query()}`, { json: json() }];
}

type Calling = {
  call: (method: string, path: string, init?: { json?: unknown }) => Promise<Response>;
  database: { query: (sql: string, params: string[]) => Promise<unknown> };
};

/** Makes what the samples are about. */
export async function prepare({ call, database }: Calling): Promise<void> {
  await call("POST", "/api/admin/realm-roles", { json: { name: "order-service", description: "" } });
  await call("POST", "/api/admin/vault-approle", { json: { roleName: "order-service", policies: ["order-service-policy"] } });
  await call("POST", "/api/admin/vault-secrets", { json: { service: "order-service", secrets: [{ key: "a", secret: "1" }] } });
  await call("POST", "/api/admin/vault/policies?service=user-service");
  await call("POST", "/api/admin/topics", { json: { topicName: "order-service", numPartitions: 1, replicationFactor: 1 } });
  await database.query(
    `INSERT INTO events.outbox (id, topic, type, key, data, created_at, set_aside_at, attempts, last_error) VALUES ($1, 'platform.users', 'user.updated', 'USR1', '{}', now(), now(), 5, '42201')
     ON CONFLICT (id) DO UPDATE SET set_aside_at = now()`,
    [SET_ASIDE],
  );
  // A webhook of the same id, for which an event of that id was set aside; of those that samples make, few stay.
  await database.query("DELETE FROM webhooks.endpoints WHERE id <> $1", [SET_ASIDE]);
  await database.query(
    `WITH made AS (
       INSERT INTO webhooks.endpoints (id, slot, url, description, created_at, secret) VALUES ($1::uuid, 100, 'https://receiver.example.com/', '', now(), 'sealed')
       ON CONFLICT (id) DO UPDATE SET failures = 0 RETURNING id
     )
     INSERT INTO webhooks.deliveries (endpoint, event, type, subject, time, data, created_at, due, set_aside_at)
     SELECT id, $1::text, 'user.locked', 'USR1', now(), '{}', now(), now(), now() FROM made ON CONFLICT (endpoint, event) DO UPDATE SET set_aside_at = now()`,
    [SET_ASIDE],
  );
}
