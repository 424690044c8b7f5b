import type { Context } from "hono";
import { admin } from "./admin/app.ts";
import { bundledPolicies } from "./admin/policies/bundled.ts";
import { auth } from "./auth/app.ts";
import { userService } from "./auth/user-service.ts";
import { kafkaRest } from "./broker/kafka-rest.ts";
import { type Database, database } from "./database/client.ts";
import type { AdminSettings, AuthSettings, GatewaySettings, UsersSettings } from "./env.ts";
import { gateway } from "./gateway/app.ts";
import type { Link } from "./gateway/page.ts";
import { redis } from "./gateway/redis.ts";
import { bearerVerifier } from "./http/bearer.ts";
import { beginCall, type Call } from "./http/call.ts";
import type { Fetch } from "./http/fetch.ts";
import type { HealthCheck } from "./http/health.ts";
import type { Log } from "./http/log.ts";
import { checkAnswers, upstream } from "./http/upstream.ts";
import { identityAdministration } from "./identity/administration.ts";
import { keycloak, type KeycloakNeeds } from "./identity/keycloak.ts";
import { hmacSha256, sha256 } from "./passwords/digest.ts";
import { vault } from "./secrets/vault.ts";
import { users } from "./users/app.ts";

/** How this process or Worker reaches what stands outside a service. */
export type Runtime = {
  log: Log;
  now: () => number;
  /** See `Sharing`: true where requests may wait for each other. */
  sharesPending: boolean;
  identity: Fetch;
};

const REQUEST_TIMEOUT_MS = 8000;
const CHECK_TIMEOUT_MS = 1000;
/** The door of the user service that every sign-in goes through: as wide as the sign-ins that may come at once. */
const MAX_ATTEMPTS_IN_FLIGHT = 256;

export function usersService(settings: UsersSettings, runtime: Runtime & { database: Fetch }) {
  const db = databaseOf(settings, runtime.database);
  const { USER_SERVICE_CLIENT_ID: clientId, USER_SERVICE_CLIENT_SECRET: clientSecret } = settings;
  const identity = keycloak(identityNeeds(settings, runtime, { clientId, clientSecret }));
  return users({
    ...shared(settings, runtime),
    db,
    identity,
    health: { db: databaseCheck(db), identityProvider: neighbourCheck(identity, runtime.now) },
    keyedHash: hmacSha256(settings.LOGIN_GUARD_KEY),
    digest: sha256,
    newId: () => crypto.randomUUID(),
    randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
    random: Math.random,
  });
}

export function authService(settings: AuthSettings, runtime: Runtime & { users: Fetch }) {
  const { now } = runtime;
  const { AUTH_SERVICE_CLIENT_ID: clientId, AUTH_SERVICE_CLIENT_SECRET: clientSecret } = settings;
  const identity = keycloak(identityNeeds(settings, runtime, { clientId, clientSecret }));
  const users = upstream({
    name: "user service",
    url: settings.USERS_URL,
    fetch: runtime.users,
    now,
    timeout: settings.SERVICE_TIMEOUT_MS,
    maxInFlight: MAX_ATTEMPTS_IN_FLIGHT,
  });
  // How the user service's own neighbours are, it says itself.
  const door = { check: (call: Call) => checkAnswers(users, call, "/actuator/health/liveness") };
  return auth({
    ...shared(settings, runtime),
    identity,
    userService: userService({ upstream: users, token: identity.serviceToken }),
    health: { identityProvider: neighbourCheck(identity, now), userService: neighbourCheck(door, now) },
    offersGetLogin: settings.LEGACY_GET_LOGIN,
  });
}

export function adminService(
  settings: AdminSettings,
  runtime: Runtime & { database: Fetch; secrets: Fetch; broker: Fetch; policies: Readonly<Record<string, string>> },
) {
  const { now, sharesPending, policies } = runtime;
  const db = databaseOf(settings, runtime.database);
  const { ADMIN_SERVICE_CLIENT_ID: clientId, ADMIN_SERVICE_CLIENT_SECRET: clientSecret } = settings;
  const identity = identityAdministration(identityNeeds(settings, runtime, { clientId, clientSecret }));
  const secrets = vault({
    url: settings.SECRETS_URL,
    namespace: settings.SECRETS_NAMESPACE,
    roleId: settings.ADMIN_SERVICE_ROLE_ID,
    secretId: settings.ADMIN_SERVICE_SECRET_ID,
    fetch: runtime.secrets,
    now,
    sharesPending,
  });
  const broker = kafkaRest({ url: settings.BROKER_URL, authorization: settings.BROKER_AUTHORIZATION, fetch: runtime.broker, now });
  return admin({
    ...shared(settings, runtime),
    db,
    identity,
    secrets,
    broker,
    policies: { ...bundledPolicies, ...policies },
    permissions: settings.PERMISSIONS,
    secretIdTtl: settings.SECRET_ID_TTL,
    newId: () => crypto.randomUUID(),
    health: {
      db: databaseCheck(db),
      identityProvider: neighbourCheck(identity, now),
      secretsStore: neighbourCheck(secrets, now),
      broker: neighbourCheck(broker, now),
    },
  });
}

/** What a runtime knows of a request besides itself; `fetch` of the gateway takes it as its environment. */
export type Arrival = {
  /** The address the request came from. */
  source: string | undefined;
  /** The request target as it came over the wire, where the runtime keeps it. */
  target?: string | undefined;
};

export function gatewayService(
  settings: GatewaySettings,
  runtime: Pick<Runtime, "log" | "now"> & { users: Fetch; auth: Fetch; admin: Fetch; network: Fetch; links?: Link[] },
) {
  const { log, now, users, auth, admin, network, links = [] } = runtime;
  const { USERS_URL, AUTH_URL, ADMIN_URL, UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token = "" } = settings;
  return gateway({
    log,
    now,
    services: { users: { url: USERS_URL, fetch: users }, auth: { url: AUTH_URL, fetch: auth }, admin: { url: ADMIN_URL, fetch: admin } },
    source: ({ env }: Context<{ Bindings: Arrival }>) => env.source,
    target: ({ env }: Context<{ Bindings: Arrival }>) => env.target,
    ...(settings.PUBLIC_URL && { origin: settings.PUBLIC_URL }),
    links,
    limits: { shared: settings.RATE_LIMIT_PER_MINUTE, local: settings.RATE_LIMIT_LOCAL_PER_MINUTE },
    ...(url && { redis: redis({ url, token, fetch: network, now }) }),
  });
}

type IdentitySettings = Pick<AuthSettings, "IDENTITY_URL" | "IDENTITY_REALM" | "TOKEN_TIMEOUT_MS">;

function shared({ IDENTITY_URL, IDENTITY_REALM }: IdentitySettings, { log, now, identity }: Runtime) {
  const issuer = `${IDENTITY_URL}/realms/${IDENTITY_REALM}`;
  const verify = bearerVerifier({ issuer, jwksUrl: `${issuer}/protocol/openid-connect/certs`, fetch: identity, now });
  return { log, now, verify, timeout: REQUEST_TIMEOUT_MS };
}

function identityNeeds(settings: IdentitySettings, runtime: Runtime, client: { clientId: string; clientSecret: string }): KeycloakNeeds {
  const { now, sharesPending, identity: fetch } = runtime;
  const { IDENTITY_URL: url, IDENTITY_REALM: realm, TOKEN_TIMEOUT_MS: tokenTimeout } = settings;
  return { ...client, url, realm, fetch, now, sharesPending, tokenTimeout };
}

type DatabaseSettings = Pick<UsersSettings, "DATABASE_URL" | "DATABASE_SQL_URL" | "DATABASE_TIMEOUT_MS">;

function databaseOf({ DATABASE_URL: url, DATABASE_SQL_URL: endpoint, DATABASE_TIMEOUT_MS: timeout }: DatabaseSettings, fetch: Fetch): Database {
  return database({ url, endpoint, fetch, timeout });
}

function databaseCheck(db: Database): HealthCheck {
  return async () => {
    await db.execute("SELECT 1");
    return { status: "UP", details: { database: "PostgreSQL" } };
  };
}

/** Whether the system that `check` asks is there. */
function neighbourCheck({ check }: { check: (call: Call) => Promise<void> }, now: () => number): HealthCheck {
  return async () => {
    await check(beginCall(new Headers(), { now: now(), limit: CHECK_TIMEOUT_MS }));
    return { status: "UP" };
  };
}
