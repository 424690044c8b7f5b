import { existsSync } from "node:fs";
import { join } from "node:path";
import { bundledPolicies } from "../../src/admin/policies/bundled.ts";
import { brokerChecks } from "../../src/doctor/broker/checks.ts";
import { type Query, readNewestUsers, readPositions } from "../../src/doctor/database/store.ts";
import type { Examination } from "../../src/doctor/examine.ts";
import { type Findings, findingsOf } from "../../src/doctor/finding.ts";
import { identityChecks } from "../../src/doctor/identity/checks.ts";
import type { OwnClient } from "../../src/doctor/identity/client.ts";
import type { AppRole } from "../../src/doctor/secrets/approle.ts";
import { secretsChecks } from "../../src/doctor/secrets/checks.ts";
import { servicesChecks } from "../../src/doctor/services/checks.ts";
import { settingsChecks } from "../../src/doctor/settings/checks.ts";
import { serviceMistakes } from "../../src/doctor/settings/mistakes.ts";
import { SYSTEMS, type SystemName } from "../../src/doctor/systems.ts";
import type { Environment } from "../../src/env.ts";
import { realmOf } from "../../src/settings/realm.ts";
import { APPLICATIONS } from "../applications.ts";
import { readConfigurations, settingsOf } from "../configurations.ts";
import { network } from "../isolate.ts";
import { embeddedIn, INSTEAD, type System, systemsOf } from "../needs.ts";
import { servicePlaces } from "./services.ts";
import type { ReadSettings } from "./settings.ts";

const outside = { fetch: network, now: Date.now };

/** What there is to examine: the systems that the settings name, and those that the platform embeds. */
export async function examinationsOf(read: ReadSettings): Promise<Examination[]> {
  const { given, told, set, policies } = read;
  const systems = systemsOf(given);
  const configurations = await readConfigurations(given.SERVICES, { ...read.made, ...set }, network);
  const configured = Object.assign({}, ...configurations.map(({ settings }) => settings)) as Environment;
  const env: Environment = { ...read.made, ...configured, ...set };
  const { DATABASE_URL: database, IDENTITY_URL: identity, SECRETS_URL: secrets, REDIS_URL: redis, UPSTASH_REDIS_REST_URL: upstash } = given;
  const found: Partial<Record<SystemName, Findings>> = {
    settings: settingsFindings(read, configurations),
    ...(systems.database && { database: database ? await databaseOf(database, { read, env }) : embedded("database") }),
    ...(systems.identity && {
      identity: identity ? identityChecks({ ...outside, url: identity, realm: realmOf(env), clients: clientsOf(read, env), newestUsers: reading(readNewestUsers, { read, env }) }) : embedded("identity"),
    }),
    ...(systems.secrets && {
      secrets: secrets
        ? secretsChecks({ ...outside, url: secrets, namespace: env["SECRETS_NAMESPACE"], approles: approlesOf(read, env), policies: policyNames(policies) })
        : embedded("secrets"),
    }),
    ...(systems.broker && { broker: await brokerOf(read, env) }),
    ...(given.SERVICES.includes("gateway") && (redis ?? upstash) && { redis: await redisOf(read, env) }),
    services: servicesChecks({
      ...outside,
      places: servicePlaces(given, env),
      registry: env["DISCOVERY_URL"] ? { url: env["DISCOVERY_URL"], isOwn: told["DISCOVERY_URL"] === undefined } : undefined,
      configuration: env["CONFIG_URL"] ? { url: env["CONFIG_URL"], isOwn: told["CONFIG_URL"] === undefined, of: configurations } : undefined,
      publicUrl: given.PUBLIC_URL,
    }),
  };
  return Object.entries(SYSTEMS).flatMap(([system, { table }]) => {
    const findings = found[system as SystemName];
    return findings ? [{ system, table, findings }] : [];
  });
}

// Drivers take longest to load, and hold up everything else meanwhile: only those of systems that are there, and before any deadline runs.

/** Of the database's own, for checks of others; the embedded one is not opened: it may have its platform. */
function reading<T>(rows: (query: Query) => Promise<T>, { read, env }: { read: ReadSettings; env: Environment }): (() => Promise<T>) | undefined {
  const { DATABASE_URL: url } = read.given;
  return url ? async () => (await import("./database.ts")).readFrom({ url, endpoint: env["DATABASE_SQL_URL"] }, rows) : undefined;
}

async function databaseOf(url: string, { read, env }: { read: ReadSettings; env: Environment }): Promise<Findings> {
  const { examineDatabase } = await import("./database.ts");
  const { DATABASE_MAX_CONNECTIONS: pool, SERVICES: services } = read.given;
  return examineDatabase({ url, endpoint: env["DATABASE_SQL_URL"], pool, webhookKey: services.includes("admin") ? env["WEBHOOK_KEY"] : undefined });
}

async function brokerOf(read: ReadSettings, env: Environment): Promise<Findings> {
  const { given } = read;
  const { BROKER_URL: url, KAFKA_BROKERS: kafka } = given;
  const positions = reading(readPositions, { read, env });
  const authorization = env["BROKER_AUTHORIZATION"];
  if (url) return brokerChecks({ ...outside, url, authorization, hasCredential: authorization !== undefined, setting: "BROKER_URL", positions });
  if (!kafka) return embedded("broker");
  const { examineKafka } = await import("./kafka.ts");
  return examineKafka({ ...given, KAFKA_BROKERS: kafka }, { positions });
}

async function redisOf({ given }: ReadSettings, env: Environment): Promise<Findings> {
  const { examineRedis, examineUpstash } = await import("./redis.ts");
  const { REDIS_URL: url, REDIS_CA_FILE: authority, UPSTASH_REDIS_REST_URL: rest = "" } = given;
  return url ? examineRedis({ url, authority }) : examineUpstash({ url: rest, token: env["UPSTASH_REDIS_REST_TOKEN"] ?? "" });
}

async function* embedded(system: System): Findings {
  yield findingsOf(system, SYSTEMS[system].table)("embedded");
  return undefined;
}

function settingsFindings(read: ReadSettings, configurations: Awaited<ReturnType<typeof readConfigurations>>): Findings {
  const { own, file, filed, strays, told, given, kept, made, set, mistakes, files } = read;
  const ofServices = serviceMistakes((service) => settingsOf(service, { made, set, configurations }), given.SERVICES).filter((mistake) => !mistakes.some(({ name }) => name === mistake.name));
  return settingsChecks({
    told,
    host: given.HOST,
    isLoopback: set["LOOPBACK"] === "on",
    embedded: Object.fromEntries(embeddedIn(systemsOf(given)).map((system) => [`the ${SYSTEMS[system].title.toLowerCase()}`, INSTEAD[system]])),
    mistakes: [...mistakes, ...ofServices],
    isFileUnreadable: filed === undefined,
    strays,
    names: { environment: Object.keys(own), inFile: Object.keys(filed ?? {}), file },
    files,
    installation: kept,
    hasEmbedded: existsSync(join(given.GATEHOUSE_DATA, "postgres", "data")),
  });
}

/** Those whose secret is known; that one is missing is a finding of the settings. */
function clientsOf({ given }: ReadSettings, env: Environment): OwnClient[] {
  const services = [["auth", "AUTH"], ["users", "USER"], ["admin", "ADMIN"]] as const;
  return services.flatMap(([service, name]) => {
    const setting = `${name}_SERVICE_CLIENT_SECRET`;
    const secret = env[setting];
    return given.SERVICES.includes(service) && secret ? [{ service, id: env[`${name}_SERVICE_CLIENT_ID`] ?? APPLICATIONS[service], secret, setting }] : [];
  });
}

function approlesOf({ given }: ReadSettings, env: Environment): AppRole[] {
  const services = [["admin", "ADMIN_SERVICE"], ["config", "CONFIG_SERVER"]] as const;
  return services.flatMap(([service, name]) => {
    const settings = { roleId: `${name}_ROLE_ID`, secretId: `${name}_SECRET_ID` };
    const [roleId, secretId] = [env[settings.roleId], env[settings.secretId]];
    return given.SERVICES.includes(service) && roleId && secretId ? [{ service, name: APPLICATIONS[service], role: APPLICATIONS[service], roleId, secretId, settings }] : [];
  });
}

function policyNames(folder: Record<string, string>): string[] {
  return Object.keys({ ...bundledPolicies, ...folder }).map((service) => `${service}-policy`);
}
