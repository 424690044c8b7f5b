import type { Context } from "hono";
import { admin } from "./admin/app.ts";
import { append } from "./admin/audit-log/chain-store.ts";
import { AUDIT_TRAIL } from "./admin/audit-log/entry.ts";
import { bundledPolicies } from "./admin/policies/bundled.ts";
import { auth } from "./auth/app.ts";
import { userService } from "./auth/user-service.ts";
import { type Broker, kafkaRest, type KafkaRestNeeds } from "./broker/kafka-rest.ts";
import { type RecordReader, recordReader } from "./broker/reading.ts";
import { config } from "./config/app.ts";
import { bundledConfiguration } from "./config/bundled.ts";
import { bundledFiles, type ConfigFiles } from "./config/files.ts";
import { type Database, database } from "./database/client.ts";
import { discovery } from "./discovery/app.ts";
import type { PlatformInstance } from "./discovery/dashboard/view.ts";
import type { AdminSettings, AuthSettings, ConfigSettings, DiscoverySettings, GatewaySettings, UsersSettings } from "./env.ts";
import { consumer } from "./events/consumer.ts";
import { outboxHealth, outboxReading } from "./events/outbox.ts";
import { type Relay, relay } from "./events/relay.ts";
import { revocations } from "./events/revocations.ts";
import { gateway } from "./gateway/app.ts";
import type { Link } from "./gateway/page.ts";
import { redis } from "./gateway/redis.ts";
import { basicVerifier } from "./http/basic.ts";
import { bearerVerifier } from "./http/bearer.ts";
import { beginCall, type Call } from "./http/call.ts";
import { credentialUrl } from "./http/credential-url.ts";
import { VERSION } from "./http/documents.ts";
import type { Fetch } from "./http/fetch.ts";
import type { HealthCheck } from "./http/health.ts";
import type { Log } from "./http/log.ts";
import { checkAnswers, upstream } from "./http/upstream.ts";
import { identityAdministration } from "./identity/administration.ts";
import { keycloak, type KeycloakNeeds } from "./identity/keycloak.ts";
import { type Metrics, serviceMetrics } from "./metrics/metrics.ts";
import { hmacSha256, sha256 } from "./passwords/digest.ts";
import { registry } from "./registry/eureka.ts";
import { vault } from "./secrets/vault.ts";
import { users } from "./users/app.ts";
import { dormancy, SIGN_INS } from "./users/dormant.ts";
import { dormantStore, noteSignIns } from "./users/dormant-store.ts";
import { type Webhooks, webhooks, type WebhooksNeeds } from "./webhooks/webhooks.ts";

/** How this process or Worker reaches what stands outside a service. */
export type Runtime = {
  log: Log;
  now: () => number;
  /** See `Sharing`: true where requests may wait for each other. */
  sharesPending: boolean;
  identity: Fetch;
  /** Answers with the script of the documentation pages. */
  documentationScript: Fetch;
};

const REQUEST_TIMEOUT_MS = 8000;
const CHECK_TIMEOUT_MS = 1000;
/** The door of the user service that every sign-in goes through: as wide as the sign-ins that may come at once. */
const MAX_ATTEMPTS_IN_FLIGHT = 256;

export function usersService(settings: UsersSettings, outside: Runtime & { database: Fetch; broker: Fetch }) {
  const insight = insightOf("user-service", settings, outside);
  const runtime = counted(outside, insight.metrics);
  const db = databaseOf(settings, runtime);
  insight.metrics.gauges(outboxReading(db, runtime.now));
  const { USER_SERVICE_CLIENT_ID: clientId, USER_SERVICE_CLIENT_SECRET: clientSecret } = settings;
  const identity = keycloak(identityNeeds(settings, runtime, { clientId, clientSecret }));
  const reader = recordReader(brokerNeeds(settings, runtime));
  const revoked = revocations({ ...runtime, db, reader, service: "user-service" });
  const { verify, ...rest } = shared(settings, runtime);
  const service = users({
    ...rest,
    ...insight,
    // Of users' own affairs the row itself decides, at once; what is left is who calls as a service.
    verify: revoked.guarding(verify, ({ roles }) => roles.includes("ROLE_INTERNAL_SERVICE")),
    db,
    identity,
    ...dormancyOf(settings, runtime, { db, reader }),
    health: { db: databaseCheck(db), identityProvider: neighbourCheck(identity, runtime.now), outbox: outboxHealth(db, runtime.now), revocations: revoked.check },
    keyedHash: hmacSha256(settings.LOGIN_GUARD_KEY),
    digest: sha256,
    newId: () => crypto.randomUUID(),
    randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
    random: Math.random,
  });
  return { ...service, relay: relayOf(kafkaRest(brokerNeeds(settings, runtime)), { ...runtime, db }) };
}

export function authService(settings: AuthSettings, outside: Runtime & { users: Fetch; database: Fetch; broker: Fetch }) {
  const insight = insightOf("auth-service", settings, outside);
  const runtime = counted(outside, insight.metrics);
  const { now } = runtime;
  const { AUTH_SERVICE_CLIENT_ID: clientId, AUTH_SERVICE_CLIENT_SECRET: clientSecret } = settings;
  const identity = keycloak(identityNeeds(settings, runtime, { clientId, clientSecret }));
  const reach = { name: "user service", url: settings.USERS_URL, fetch: runtime.users, now, timeout: settings.SERVICE_TIMEOUT_MS };
  const users = upstream({ ...reach, maxInFlight: MAX_ATTEMPTS_IN_FLIGHT });
  // Many sign-ins at once do not make it DOWN. How its own neighbours are, it says itself.
  const checks = upstream({ ...reach, maxInFlight: 8 });
  const door = { check: (call: Call) => checkAnswers(checks, call, "/actuator/health/liveness") };
  const db = databaseOf(settings, runtime);
  const revoked = revocations({ ...runtime, db, reader: recordReader(brokerNeeds(settings, runtime)), service: "auth-service" });
  const { verify, ...rest } = shared(settings, runtime);
  return auth({
    ...rest,
    ...insight,
    verify: revoked.guarding(verify),
    identity,
    userService: userService({ upstream: users, token: identity.serviceToken }),
    health: { identityProvider: neighbourCheck(identity, now), userService: neighbourCheck(door, now), revocations: revoked.check },
    offersGetLogin: settings.LEGACY_GET_LOGIN,
  });
}

export function adminService(
  settings: AdminSettings,
  outside: Runtime & { database: Fetch; secrets: Fetch; broker: Fetch; network: Fetch; resolve?: Resolve; policies: Readonly<Record<string, string>> },
) {
  const insight = insightOf("admin-service", settings, outside);
  const runtime = counted({ ...outside, webhooks: outside.network }, insight.metrics);
  const { now, policies } = runtime;
  const db = databaseOf(settings, runtime);
  insight.metrics.gauges(outboxReading(db, now));
  const { ADMIN_SERVICE_CLIENT_ID: clientId, ADMIN_SERVICE_CLIENT_SECRET: clientSecret } = settings;
  const identity = identityAdministration(identityNeeds(settings, runtime, { clientId, clientSecret }));
  const { ADMIN_SERVICE_ROLE_ID: roleId, ADMIN_SERVICE_SECRET_ID: secretId } = settings;
  const secrets = vault({ ...secretsNeeds(settings, runtime), roleId, secretId });
  const broker = kafkaRest(brokerNeeds(settings, runtime));
  const following = { ...runtime, db, reader: recordReader(brokerNeeds(settings, runtime)), service: "admin-service" };
  const revoked = revocations(following);
  const auditTrail = consumer({ ...following, ...AUDIT_TRAIL, effect: append });
  const hooks = webhooksOf(settings, following);
  const { verify, ...rest } = shared(settings, runtime);
  const service = admin({
    ...rest,
    ...insight,
    verify: revoked.guarding(verify),
    db,
    identity,
    secrets,
    broker,
    policies: { ...bundledPolicies, ...policies },
    permissions: settings.PERMISSIONS,
    secretIdTtl: settings.SECRET_ID_TTL,
    newId: () => crypto.randomUUID(),
    auditTrail,
    webhooks: hooks,
    // One of its own: streams are to take nothing from what has to go on.
    reader: recordReader(brokerNeeds(settings, runtime)),
    health: {
      auditTrail: auditTrail.check,
      db: databaseCheck(db),
      identityProvider: neighbourCheck(identity, now),
      secretsStore: neighbourCheck(secrets, now),
      broker: neighbourCheck(broker, now),
      outbox: outboxHealth(db, now),
      revocations: revoked.check,
      webhooks: hooks.check,
    },
  });
  return { ...service, relay: relayOf(broker, { ...runtime, db }), webhooks: hooks };
}

/** `platform`: the services that do not register themselves, as on Workers; the page asks them how they are. */
export function discoveryService(
  settings: DiscoverySettings,
  outside: Omit<Runtime, "identity"> & { database: Fetch; network: Fetch; platform?: readonly PlatformInstance[] },
) {
  const insight = insightOf("discovery-service", settings, outside);
  const runtime = counted({ ...outside, applications: outside.network }, insight.metrics);
  const { log, now, sharesPending, documentationScript, database, platform = [], applications } = runtime;
  const db = databaseOf(settings, { database, now });
  const { DISCOVERY_USERNAME: username, DISCOVERY_PASSWORD: password } = settings;
  return discovery({
    ...insight,
    log,
    now,
    sharesPending,
    documentationScript,
    timeout: REQUEST_TIMEOUT_MS,
    db,
    verify: basicVerifier({ username, password }),
    username,
    isSelfPreserving: settings.DISCOVERY_SELF_PRESERVATION,
    isLoopback: settings.LOOPBACK,
    platform,
    network: applications,
    health: { db: databaseCheck(db) },
  });
}

/** `files` is where configuration is read from; the platform's own, as it was bundled, unless given. */
export function configService(settings: ConfigSettings, outside: Runtime & { secrets: Fetch; files?: ConfigFiles }) {
  const insight = insightOf("config-server", settings, outside);
  const runtime = counted(outside, insight.metrics);
  const { files = bundledFiles(bundledConfiguration) } = outside;
  const { CONFIG_SERVER_ROLE_ID: roleId, CONFIG_SERVER_SECRET_ID: secretId } = settings;
  const secrets = vault({ ...secretsNeeds(settings, runtime), roleId, secretId });
  return config({
    ...shared(settings, runtime),
    ...insight,
    files,
    secrets,
    credential: { username: settings.CONFIG_USERNAME, password: settings.CONFIG_PASSWORD },
    isLoopback: settings.LOOPBACK,
    target: ({ env }: { env: Arrival | undefined }) => env?.target,
    health: { configuration: configurationCheck(files), secretsStore: neighbourCheck(secrets, runtime.now) },
  });
}

/** What a runtime knows of a request besides itself; `fetch` of the gateway takes it as its environment. */
export type Arrival = {
  /** The address the request came from. */
  source: string | undefined;
  /** The request target as it came over the wire, where the runtime keeps it. */
  target?: string | undefined;
};

/** The services that the gateway has before it; discovery and configuration by the network where no way is given. */
type Neighbours = Record<"users" | "auth" | "admin", Fetch> & Partial<Record<"discovery" | "config", Fetch>>;

export function gatewayService(
  settings: GatewaySettings,
  outside: Pick<Runtime, "log" | "now" | "documentationScript" | "sharesPending"> & Neighbours & { network: Fetch; redis?: Fetch; links?: Link[]; holdsPlatform?: boolean },
) {
  const insight = insightOf("gateway", settings, outside);
  const { network, discovery = network, config = network, redis: toRedis = network } = outside;
  const runtime = counted({ ...outside, discovery, config, applications: network, redis: toRedis }, insight.metrics);
  const { log, now, sharesPending, documentationScript, links = [], holdsPlatform = true } = runtime;
  const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token = "" } = settings;
  return gateway({
    ...insight,
    log,
    now,
    sharesPending,
    documentationScript,
    services: neighboursOf(settings, runtime),
    ...applicationsOf(settings, runtime),
    holdsPlatform,
    source: ({ env }: Context<{ Bindings: Arrival }>) => env.source,
    target: ({ env }: Context<{ Bindings: Arrival }>) => env.target,
    ...(settings.PUBLIC_URL && { origin: settings.PUBLIC_URL }),
    links,
    limits: { shared: settings.RATE_LIMIT_PER_MINUTE, local: settings.RATE_LIMIT_LOCAL_PER_MINUTE },
    ...(url && { redis: redis({ url, token, fetch: runtime.redis, now }) }),
  });
}

function neighboursOf(settings: GatewaySettings, { users, auth, admin, discovery, config }: Required<Neighbours>) {
  const { USERS_URL, AUTH_URL, ADMIN_URL, DISCOVERY_URL, CONFIG_URL } = settings;
  return {
    users: { url: USERS_URL, fetch: users },
    auth: { url: AUTH_URL, fetch: auth },
    admin: { url: ADMIN_URL, fetch: admin },
    ...(DISCOVERY_URL && { discovery: { url: serverOf(DISCOVERY_URL), fetch: discovery } }),
    ...(CONFIG_URL && { config: { url: credentialUrl(CONFIG_URL).url, fetch: config } }),
  };
}

type Reach = Pick<Runtime, "now" | "sharesPending"> & { discovery: Fetch; applications: Fetch };

function applicationsOf({ DISCOVERY_URL: url, ROUTED_APPLICATIONS: names }: GatewaySettings, { now, sharesPending, discovery, applications }: Reach) {
  if (!url) return {};
  return { applications: { registry: registry({ url, fetch: discovery, now }), names, fetch: applications, sharesPending } };
}

/** Where the server of a registry's first URL has its own health and documents. */
function serverOf(registries: string): string {
  return credentialUrl(registries.split(",")[0] ?? "").url.replace(/\/eureka(\/v2)?$/, "");
}

/** What a service counts in, and who may read that. */
function insightOf(service: string, { METRICS_TOKEN: token, LOOPBACK: isLoopback }: Pick<GatewaySettings, "METRICS_TOKEN" | "LOOPBACK">, { now }: { now: () => number }) {
  return { metrics: serviceMetrics({ service, version: VERSION, now }), metricsAccess: { isLoopback, token } };
}

/** The ways out of a service, and the names they are counted under. */
const CLIENTS = {
  database: "database",
  identity: "identity-provider",
  secrets: "secrets-store",
  broker: "broker",
  users: "user-service",
  auth: "auth-service",
  admin: "admin-service",
  discovery: "discovery-service",
  config: "config-server",
  applications: "applications",
  webhooks: "webhooks",
  redis: "redis",
};

/** `runtime`, whose ways out are counted. */
function counted<R extends { [Way in keyof typeof CLIENTS]?: Fetch }>(runtime: R, { observed }: Metrics): R {
  const ways = Object.entries(CLIENTS).flatMap(([way, client]) => {
    const fetch = runtime[way as keyof typeof CLIENTS];
    return fetch ? [[way, observed(client, fetch)]] : [];
  });
  return { ...runtime, ...Object.fromEntries(ways) };
}

type IdentitySettings = Pick<AuthSettings, "IDENTITY_URL" | "IDENTITY_REALM" | "TOKEN_TIMEOUT_MS">;

function shared({ IDENTITY_URL, IDENTITY_REALM }: IdentitySettings, { log, now, sharesPending, identity, documentationScript }: Runtime) {
  const issuer = `${IDENTITY_URL}/realms/${IDENTITY_REALM}`;
  const verify = bearerVerifier({ issuer, jwksUrl: `${issuer}/protocol/openid-connect/certs`, fetch: identity, now });
  return { log, now, sharesPending, verify, documentationScript, timeout: REQUEST_TIMEOUT_MS };
}

function identityNeeds(settings: IdentitySettings, runtime: Runtime, client: { clientId: string; clientSecret: string }): KeycloakNeeds {
  const { now, sharesPending, identity: fetch } = runtime;
  const { IDENTITY_URL: url, IDENTITY_REALM: realm, TOKEN_TIMEOUT_MS: tokenTimeout } = settings;
  return { ...client, url, realm, fetch, now, sharesPending, tokenTimeout };
}

type BrokerSettings = Pick<UsersSettings, "BROKER_URL" | "BROKER_AUTHORIZATION">;

function brokerNeeds({ BROKER_URL: url, BROKER_AUTHORIZATION: authorization }: BrokerSettings, { broker: fetch, now }: { broker: Fetch; now: () => number }): KafkaRestNeeds {
  return { url, authorization, fetch, now };
}

type SecretsSettings = Pick<ConfigSettings, "SECRETS_URL" | "SECRETS_NAMESPACE">;

function secretsNeeds(
  { SECRETS_URL: url, SECRETS_NAMESPACE: namespace }: SecretsSettings,
  { secrets: fetch, now, sharesPending }: Pick<Runtime, "now" | "sharesPending"> & { secrets: Fetch },
) {
  return { url, namespace, fetch, now, sharesPending };
}

/** Every service that writes events relays them, its own and those of others on the same database. */
function relayOf(broker: Broker, { db, log, now }: { db: Database; log: Log; now: () => number }): Relay {
  return relay({ db, broker, log, now, random: Math.random, newId: () => crypto.randomUUID() });
}

const DAY_MS = 24 * 3600_000;

function dormancyOf({ DORMANT_AFTER_DAYS: days }: UsersSettings, { now, log }: Runtime, { db, reader }: { db: Database; reader: RecordReader }) {
  if (days === undefined) return {};
  const period = days * DAY_MS;
  const signIns = consumer({ ...SIGN_INS, effect: noteSignIns(period), db, reader, now, log, service: "user-service" });
  return { dormancy: dormancy({ consumer: signIns, store: dormantStore(db), period, now }) };
}

/** The addresses of a host. */
type Resolve = (host: string) => Promise<string[]>;

type Following = Pick<WebhooksNeeds, "db" | "reader" | "now" | "log" | "service" | "sharesPending" | "resolve"> & { webhooks: Fetch };

function webhooksOf({ WEBHOOK_KEY: key, WEBHOOK_ALLOW_PRIVATE: isPrivate, LOOPBACK: isLoopback }: AdminSettings, { webhooks: fetch, ...following }: Following): Webhooks {
  return webhooks({
    ...following,
    key,
    fetch,
    openness: { isLoopback, isPrivate },
    newId: () => crypto.randomUUID(),
    random: Math.random,
    randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
  });
}

type DatabaseSettings = Pick<UsersSettings, "DATABASE_URL" | "DATABASE_SQL_URL" | "DATABASE_TIMEOUT_MS">;

function databaseOf({ DATABASE_URL: url, DATABASE_SQL_URL: endpoint, DATABASE_TIMEOUT_MS: timeout }: DatabaseSettings, { database: fetch, now }: { database: Fetch; now: () => number }): Database {
  return database({ url, endpoint, fetch, now, timeout });
}

function databaseCheck(db: Database): HealthCheck {
  return async () => {
    await db.execute("SELECT 1");
    return { status: "UP", details: { database: "PostgreSQL" } };
  };
}

function configurationCheck({ at }: ConfigFiles): HealthCheck {
  return async () => {
    const snapshot = await at(undefined);
    if (!snapshot) return { status: "DOWN", details: { error: "Nothing is committed" } };
    const { names, revision } = snapshot;
    return { status: "UP", details: { files: names.size, ...(revision !== undefined && { version: revision }) } };
  };
}

/** Whether the system that `check` asks is there. */
function neighbourCheck({ check }: { check: (call: Call) => Promise<void> }, now: () => number): HealthCheck {
  return async () => {
    await check(beginCall(new Headers(), { now: now(), limit: CHECK_TIMEOUT_MS }));
    return { status: "UP" };
  };
}
