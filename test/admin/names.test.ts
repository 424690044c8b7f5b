import { afterAll, beforeAll, expect, test } from "vitest";
import { problemOf } from "../http/problem.ts";
import { type AdminPlatform, adminPlatform } from "./instance.ts";

let platform: AdminPlatform;
beforeAll(async () => {
  platform = await adminPlatform();
});
afterAll(() => platform.close());

const HOSTILE = [
  "", " ", ".", "..", "%2e%2e", "%252e", "../root", "..\\root", "a/b", "a%2Fb", "/", "//evil.test", "\\", "a;b", "a?b", "a#b", "a b", "a+b", "*", "+",
  "ROOT", "Root", "root ", " root", "root\n", "root\u0000", "\u0000", "root\u200b", "ｒｏｏｔ", "r\u00f6\u00f6t", "ümlaut", "🔑", "-a", "a-", "-", "a.b", "a_b",
  "${jndi:ldap://x}", "{{identity}}", "__proto__", "n".repeat(64), "n".repeat(10_240),
];
/** What Kafka has nothing against. */
const TOPICS_TOO = new Set(["ROOT", "Root", "-a", "a-", "-", "a.b", "a_b", "__proto__", "n".repeat(64)]);

const entries = [{ key: "a", secret: "1" }];
const query = (path: string, field: string) => (name: string) => `${path}?${new URLSearchParams({ [field]: name })}`;

const PLACES: Record<string, { method: string; path: (name: string) => string; json?: (name: string) => unknown }> = {
  "a client": { method: "POST", path: query("/api/admin/inter-service-clients", "clientName") },
  "an AppRole to create": { method: "POST", path: () => "/api/admin/vault-approle", json: (roleName) => ({ roleName, policies: ["a-policy"] }) },
  "a policy of an AppRole": { method: "POST", path: () => "/api/admin/vault-approle", json: (policy) => ({ roleName: "order-service", policies: [policy] }) },
  "an AppRole to read": { method: "GET", path: (name) => `/api/admin/vault-approle/${encodeURIComponent(name)}` },
  "an AppRole to read, as it is": { method: "GET", path: (name) => `/api/admin/vault-approle/${name}` },
  "an AppRole to delete": { method: "DELETE", path: query("/api/admin/vault-approle", "role") },
  "an AppRole to rotate": { method: "GET", path: query("/api/admin/vault-approle/secrets", "appRole") },
  "a service to write secrets of": { method: "POST", path: () => "/api/admin/vault-secrets", json: (service) => ({ service, secrets: entries }) },
  "a service to change secrets of": { method: "PUT", path: () => "/api/admin/vault-secrets", json: (service) => ({ service, secrets: entries }) },
  "a service to read secrets of": { method: "GET", path: query("/api/admin/vault-secrets", "service") },
  "a service to delete secrets of": { method: "DELETE", path: query("/api/admin/vault-secrets", "service") },
  "a policy to write": { method: "POST", path: query("/api/admin/vault/policies", "service") },
  "a policy to delete": { method: "DELETE", path: query("/api/admin/vault/policies", "service") },
  "a topic to create": { method: "POST", path: () => "/api/admin/topics", json: (topicName) => ({ topicName, numPartitions: 1, replicationFactor: 1 }) },
  "a topic to describe": { method: "GET", path: query("/api/admin/topics/describe", "topicNames") },
};

/** The name is a path of its own there, which a URL folds: to no operation at all, or to the list. */
const isFolded = (place: string, name: string) => place.startsWith("an AppRole to read") && (/^(|\.|\.\.)$/.test(name) || place.endsWith("as it is"));

test.for(Object.entries(PLACES))("as %s a hostile name is refused, and nothing is sent", async ([place, { method, path, json }]) => {
  for (const name of HOSTILE) {
    if (place.includes("topic") && TOPICS_TOO.has(name)) continue;
    // Names around a comma or in white space are several, or trimmed.
    if (place === "a topic to describe" && /^ |[ \n]$/.test(name) && name.trim() !== "") continue;
    if (isFolded(place, name)) continue;
    let refusal: Awaited<ReturnType<typeof problemOf>> | undefined;
    const sent = await platform.sentBy(async () => {
      refusal = await problemOf(await platform.call(method, path(name), json ? { json: json(name) } : {}));
    });
    const shown = { place, name: name.slice(0, 20) };
    expect({ ...shown, status: refusal?.status, code: refusal?.code, sent }).toEqual({ ...shown, status: 400, code: expect.stringMatching(/^(VALIDATION_FAILED|MALFORMED_JSON)_400$/), sent: [] });
  }
});

test("whatever a URL makes of a name in the path, no other path of the store is reached", async () => {
  const names = ["..", ".", "%2e%2e", "%2E%2E/x", "../vault-secrets", "a/b", "..%2fsys", "%252e%252e", "a%00", "%zz", "secrets/../..", "order-service/role-id", "order-service%2frole-id"];
  for (const name of names) {
    let status = 0;
    const sent = await platform.sentBy(async () => {
      ({ status } = await platform.call("GET", `/api/admin/vault-approle/${name}`));
    });
    expect({ name, isRefused: status >= 400 && status < 500, sent }).toEqual({ name, isRefused: true, sent: [] });
  }
});

test("the same parameter twice is refused rather than chosen from", async () => {
  for (const path of ["/api/admin/vault-secrets?service=a&service=b", "/api/admin/vault-approle/secrets?appRole=a&appRole=b", "/api/admin/realm-role?roleName=a&roleName=b"]) {
    expect((await problemOf(await platform.call("GET", path))).code).toBe("VALIDATION_FAILED_400");
  }
});
