import type { Broker, KafkaRestNeeds } from "../broker/kafka-rest.ts";
import { type Database, database } from "../database/client.ts";
import { type Relay, relay } from "../events/relay.ts";
import { bearerVerifier } from "../http/bearer.ts";
import { beginCall, type Call } from "../http/call.ts";
import type { Fetch } from "../http/fetch.ts";
import type { HealthCheck } from "../http/health.ts";
import type { Log } from "../http/log.ts";
import type { KeycloakNeeds } from "../identity/keycloak.ts";
import type { AuthSettings, ConfigSettings, UsersSettings } from "../settings/services.ts";
import { REQUEST_TIMEOUT_MS, type Runtime } from "./runtime.ts";

const CHECK_TIMEOUT_MS = 1000;

type IdentitySettings = Pick<AuthSettings, "IDENTITY_URL" | "IDENTITY_REALM" | "TOKEN_TIMEOUT_MS">;

export function shared({ IDENTITY_URL, IDENTITY_REALM }: IdentitySettings, { log, now, sharesPending, identity, documentationScript }: Runtime) {
  const issuer = `${IDENTITY_URL}/realms/${IDENTITY_REALM}`;
  const verify = bearerVerifier({ issuer, jwksUrl: `${issuer}/protocol/openid-connect/certs`, fetch: identity, now });
  return { log, now, sharesPending, verify, documentationScript, timeout: REQUEST_TIMEOUT_MS };
}

export function identityNeeds(settings: IdentitySettings, runtime: Runtime, client: { clientId: string; clientSecret: string }): KeycloakNeeds {
  const { now, sharesPending, identity: fetch } = runtime;
  const { IDENTITY_URL: url, IDENTITY_REALM: realm, TOKEN_TIMEOUT_MS: tokenTimeout } = settings;
  return { ...client, url, realm, fetch, now, sharesPending, tokenTimeout };
}

type BrokerSettings = Pick<UsersSettings, "BROKER_URL" | "BROKER_AUTHORIZATION">;

export function brokerNeeds({ BROKER_URL: url, BROKER_AUTHORIZATION: authorization }: BrokerSettings, { broker: fetch, now }: { broker: Fetch; now: () => number }): KafkaRestNeeds {
  return { url, authorization, fetch, now };
}

type SecretsSettings = Pick<ConfigSettings, "SECRETS_URL" | "SECRETS_NAMESPACE">;

export function secretsNeeds(
  { SECRETS_URL: url, SECRETS_NAMESPACE: namespace }: SecretsSettings,
  { secrets: fetch, now, sharesPending }: Pick<Runtime, "now" | "sharesPending"> & { secrets: Fetch },
) {
  return { url, namespace, fetch, now, sharesPending };
}

type DatabaseSettings = Pick<UsersSettings, "DATABASE_URL" | "DATABASE_SQL_URL" | "DATABASE_TIMEOUT_MS">;

export function databaseOf({ DATABASE_URL: url, DATABASE_SQL_URL: endpoint, DATABASE_TIMEOUT_MS: timeout }: DatabaseSettings, { database: fetch, now }: { database: Fetch; now: () => number }): Database {
  return database({ url, endpoint, fetch, now, timeout });
}

export function databaseCheck(db: Database): HealthCheck {
  return async () => {
    await db.execute("SELECT 1");
    return { status: "UP", details: { database: "PostgreSQL" } };
  };
}

/** Whether the system that `check` asks is there. */
export function neighbourCheck({ check }: { check: (call: Call) => Promise<void> }, now: () => number): HealthCheck {
  return async () => {
    await check(beginCall(new Headers(), { now: now(), limit: CHECK_TIMEOUT_MS }));
    return { status: "UP" };
  };
}

/** Every service that writes events relays them, its own and those of others on the same database. */
export function relayOf(broker: Broker, { db, log, now }: { db: Database; log: Log; now: () => number }): Relay {
  return relay({ db, broker, log, now, random: Math.random, newId: () => crypto.randomUUID() });
}
