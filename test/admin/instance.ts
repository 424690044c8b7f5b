import { base64url } from "jose";
import { admin, type AdminNeeds } from "../../src/admin/app.ts";
import { append } from "../../src/admin/audit-log/chain-store.ts";
import { AUDIT_TRAIL } from "../../src/admin/audit-log/entry.ts";
import { bundledPolicies } from "../../src/admin/policies/bundled.ts";
import { PermissionsSchema } from "../../src/admin/permissions.ts";
import { kafkaRest } from "../../src/broker/kafka-rest.ts";
import { recordReader } from "../../src/broker/reading.ts";
import { database } from "../../src/database/client.ts";
import { consumer } from "../../src/events/consumer.ts";
import { bearerVerifier } from "../../src/http/bearer.ts";
import type { Fetch } from "../../src/http/fetch.ts";
import type { LogEntry } from "../../src/http/log.ts";
import { identityAdministration } from "../../src/identity/administration.ts";
import { adminPolicy } from "../../src/secrets/platform-policies.ts";
import { vault } from "../../src/secrets/vault.ts";
import { webhooks } from "../../src/webhooks/webhooks.ts";
import { documentationScript } from "../script.ts";
import type { Embedded } from "../systems/embedded.ts";
import { openSecrets } from "../systems/secrets.ts";
import { ADMIN, signedIn, type TestPlatform, testPlatform, type Wire } from "../platform.ts";

export type System = "identity" | "secrets" | "broker" | "database";

export type AdminWires = Partial<Record<System, Wire>>;

/** One request that reached a system outside. */
export type Sent = { system: System; method: string; path: string; search: string; body: string };

export type AdminPlatform = Awaited<ReturnType<typeof adminPlatform>>;

/** What the administration service logs in to the secrets store with. */
const OWN_APPROLE = { roleId: "role-id-of-admin-service", secretId: "secret-id-of-admin-service" };
const ALL_RIGHTS = { roleId: "role-id-of-the-tests", secretId: "secret-id-of-the-tests" };

/** A platform with an administration service over the same stores and a secrets store. */
export async function adminPlatform({ embedded }: { embedded?: Embedded | undefined } = {}) {
  const platform = await testPlatform({ embedded });
  const sent: Sent[] = [];
  const policies = { "platform-admin": adminPolicy({ policies: Object.keys(bundledPolicies).map((service) => `${service}-policy`), platformRoles: ["admin-service"] }), all: 'path "*" { capabilities = ["create", "read", "update", "patch", "delete", "list"] }' };
  const approles = { "admin-service": { ...OWN_APPROLE, policies: ["platform-admin"] }, "tests": { ...ALL_RIGHTS, policies: ["all"] } };
  const secrets = await openSecrets({ db: platform.database.db, now: platform.clock.now, embedded }, { policies, approles });
  const systems: Record<System, Fetch> = {
    identity: platform.identity,
    secrets: secrets.fetch,
    broker: platform.broker,
    database: platform.database.fetch,
  };
  const token = await signedIn(platform, ADMIN);

  /** One more instance of the administration service. */
  function adminInstance(wires: AdminWires = {}, overrides: Partial<AdminNeeds> = {}) {
    const to = (system: System): Fetch => async (request) => {
      const { pathname, search } = new URL(request.url);
      sent.push({ system, method: request.method, path: pathname, search, body: await request.clone().text() });
      return wires[system] ? wires[system](request, systems[system]) : systems[system](request);
    };
    const { app, sweep } = admin({ ...needsOf({ ...platform, secretsUrl: secrets.url }, to), ...overrides });
    return {
      sweep,
      fetch: (request: Request) => app.fetch(request),
      /** Calls as the administrator unless another token, or none (`""`), is given. */
      call: (method: string, path: string, { json, token: given = token, ...init }: RequestInit & { json?: unknown; token?: string } = {}) => {
        const headers = new Headers(init.headers);
        if (json !== undefined) headers.set("content-type", "application/json");
        if (given !== "") headers.set("authorization", `Bearer ${given}`);
        const body = json === undefined ? init.body : JSON.stringify(json);
        return Promise.resolve(app.fetch(new Request(`http://admin.test${path}`, { ...init, method, headers, body })));
      },
    };
  }

  /** What has reached the systems outside since `work` began, but for our own database and verification keys. */
  async function sentBy(work: () => Promise<unknown>): Promise<Sent[]> {
    const before = sent.length;
    await work();
    return sent.slice(before).filter(({ system, path }) => system !== "database" && !path.endsWith("/certs"));
  }

  /** A token with every right in the secrets store. */
  async function storeToken(): Promise<string> {
    const body = JSON.stringify({ role_id: ALL_RIGHTS.roleId, secret_id: ALL_RIGHTS.secretId });
    const response = await systems.secrets(new Request(`${secrets.url}/v1/auth/approle/login`, { method: "POST", body }));
    return ((await response.json()) as { auth: { client_token: string } }).auth.client_token;
  }

  const close = async () => {
    await secrets.close();
    await platform.close();
  };
  return { ...platform, ...adminInstance(), adminInstance, systems, secretsUrl: secrets.url, storeToken, token, sent, sentBy, close };
}

function needsOf(platform: TestPlatform & { secretsUrl: string }, to: (system: System) => Fetch): AdminNeeds {
  const { clock, log, database: stored, identityUrl, realm, issuer, brokerUrl, secretsUrl } = platform;
  const now = clock.now;
  const client = { clientId: "admin-service", clientSecret: "secret-of-admin-service" };
  const db = database({ url: stored.url, endpoint: stored.endpoint, fetch: to("database"), now, timeout: 5000 });
  const reader = recordReader({ url: brokerUrl, fetch: to("broker"), now });
  const tell = (entry: LogEntry) => void log.push(entry);
  return {
    db,
    identity: identityAdministration({ ...client, url: identityUrl, realm, fetch: to("identity"), now, sharesPending: true, tokenTimeout: 2000 }),
    secrets: vault({ url: secretsUrl, ...OWN_APPROLE, fetch: to("secrets"), now, sharesPending: true }),
    broker: kafkaRest({ url: brokerUrl, fetch: to("broker"), now }),
    permissions: PermissionsSchema.parse({}),
    policies: bundledPolicies,
    secretIdTtl: "720h",
    verify: bearerVerifier({ issuer, jwksUrl: `${issuer}/protocol/openid-connect/certs`, fetch: platform.identity, now }),
    health: {},
    documentationScript,
    timeout: 8000,
    now,
    log: tell,
    newId: () => crypto.randomUUID(),
    auditTrail: consumer({ ...AUDIT_TRAIL, effect: append, db, reader, now, log: tell, service: "admin-service" }),
    reader,
    webhooks: webhooks({
      db,
      reader,
      now,
      log: tell,
      service: "admin-service",
      key: base64url.encode(new Uint8Array(32).fill(8)),
      randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
      random: Math.random,
      newId: () => crypto.randomUUID(),
      fetch: () => new Response(null, { status: 503 }),
      openness: { isLoopback: false, isPrivate: false },
      sharesPending: false,
    }),
  };
}

type AuditEvent = { key: string | null; caller: string; client: string; operation: string; resource: string; requestId: string; outcome: string; code: string | null };

/** The audit events of a resource, in order. */
export async function auditOf({ database }: Pick<TestPlatform, "database">, resource: string): Promise<AuditEvent[]> {
  const events = "SELECT data || jsonb_build_object('key', key) AS event FROM events.outbox WHERE topic = 'platform.audit' AND data->>'resource' = $1 ORDER BY position";
  return (await database.query(events, [resource])).map(({ event }) => JSON.parse(event ?? "null") as AuditEvent);
}
