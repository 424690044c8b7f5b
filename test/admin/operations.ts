import * as approles from "../../src/admin/approles/routes.ts";
import * as clients from "../../src/admin/clients/routes.ts";
import * as policies from "../../src/admin/policies/routes.ts";
import * as roles from "../../src/admin/roles/routes.ts";
import * as secrets from "../../src/admin/secrets/routes.ts";
import * as topics from "../../src/admin/topics/routes.ts";
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
  "GET /api/admin/topics/describe": { query: () => "topicNames=order-service" },
};

const SYSTEMS: Record<string, System> = { "create-client": "identity", "query-realm": "identity", "vault-ops": "secrets", "kafka-ops": "broker" };

/** Every operation there is, from the routes themselves; an operation that needs a sample and has none fails its tests. */
export const operations: Operation[] = [clients, roles, approles, secrets, policies, topics].flatMap((area) => Object.values(area)).map(operation);

function operation({ method, path, access, operationId = "" }: Route): Operation {
  const name = `${method.toUpperCase()} ${path}`;
  const permission = typeof access === "string" ? access : access.permission;
  const { query = () => "", json = () => undefined } = SAMPLES[name] ?? {};
  const system = SYSTEMS[permission] ?? "database";
  return { name, operationId, permission, system, method: method.toUpperCase(), path: path.replace("{role}", "order-service"), json, query };
}

/** An operation as arguments of `call`. */
export function good({ method, path, json, query }: Operation): [method: string, path: string, init: { json?: unknown }] {
  return [method, `${path}?${query()}`, { json: json() }];
}

type Calling = { call: (method: string, path: string, init?: { json?: unknown }) => Promise<Response> };

/** Makes what the samples are about. */
export async function prepare({ call }: Calling): Promise<void> {
  await call("POST", "/api/admin/realm-roles", { json: { name: "order-service", description: "" } });
  await call("POST", "/api/admin/vault-approle", { json: { roleName: "order-service", policies: ["order-service-policy"] } });
  await call("POST", "/api/admin/vault-secrets", { json: { service: "order-service", secrets: [{ key: "a", secret: "1" }] } });
  await call("POST", "/api/admin/vault/policies?service=user-service");
  await call("POST", "/api/admin/topics", { json: { topicName: "order-service", numPartitions: 1, replicationFactor: 1 } });
}
