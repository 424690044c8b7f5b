import { join } from "node:path";
import { brokerAdmin } from "../src/administration/broker.ts";
import { keycloakAdmin, type KeycloakAdministrator } from "../src/administration/keycloak.ts";
import { realmRest } from "../src/administration/realm.ts";
import { vaultAdmin } from "../src/administration/vault.ts";
import { type Environment, SettingsError } from "../src/env.ts";
import { jsonLog } from "../src/http/log.ts";
import { clusterId } from "../src/moving/export/broker-store.ts";
import type { System, Targets } from "../src/moving/import/import.ts";
import { KEYS, type Manifest } from "../src/moving/kinds.ts";
import { lastMigration } from "../src/moving/rows-store.ts";
import { kafkaAdministrator, type ProvisionSettings } from "../src/provision/settings.ts";
import { installationIn, openInstallation } from "./data.ts";
import { openDatabase } from "./database.ts";
import { network } from "./isolate.ts";
import { openTrial } from "./moving-trial.ts";
import type { Closers } from "./process.ts";

const log = jsonLog((line) => console.error(line), Date.now);
const on = { fetch: network, now: Date.now };

type Systems = Partial<Omit<Targets, "database">>;

/** Those of the systems `wanted` that the settings name, as their administrators see them: of the others no credentials are asked. */
export async function systemsOf(settings: ProvisionSettings, { wanted, closers }: { wanted: readonly System[]; closers: Closers }): Promise<Systems> {
  const { SECRETS_ADMIN_TOKEN: token } = settings;
  const identity = wanted.includes("identity") ? settings.IDENTITY_URL : undefined;
  const secrets = wanted.includes("secrets") ? settings.SECRETS_URL : undefined;
  if (secrets && !token) throw new SettingsError("Cannot import secrets: set SECRETS_ADMIN_TOKEN");
  return {
    ...(identity && { identity: { rest: realmRest(keycloakAdmin({ ...on, url: identity, administrator: administratorIn(settings) }), settings.IDENTITY_REALM) } }),
    ...(secrets && token && { secrets: { admin: vaultAdmin({ ...on, url: secrets, namespace: settings.SECRETS_NAMESPACE, token }) } }),
    ...(wanted.includes("broker") && (await brokerOf(settings, closers))),
  };
}

function administratorIn(settings: ProvisionSettings): KeycloakAdministrator {
  const { IDENTITY_ADMIN_CLIENT_ID: clientId, IDENTITY_ADMIN_CLIENT_SECRET: clientSecret } = settings;
  const { IDENTITY_ADMIN_USERNAME: username, IDENTITY_ADMIN_PASSWORD: password } = settings;
  if (clientId && clientSecret) return { clientId, clientSecret };
  if (username && password) return { username, password };
  throw new SettingsError("Cannot import identities: set IDENTITY_ADMIN_USERNAME and IDENTITY_ADMIN_PASSWORD");
}

/** By its REST interface, or a Kafka by the bridge in this process. */
async function brokerOf(settings: ProvisionSettings, closers: Closers): Promise<Pick<Systems, "broker">> {
  const { BROKER_URL: url, BROKER_AUTHORIZATION: authorization, KAFKA_BROKERS: kafka } = settings;
  if (url) return { broker: { admin: brokerAdmin({ ...on, url, authorization }) } };
  if (!kafka) return {};
  const { ownBridge } = await import("./kafka.ts");
  const bridge = ownBridge({ ...settings, KAFKA_BROKERS: kafka, ...kafkaAdministrator(settings) }, { log, closers });
  return { broker: { admin: brokerAdmin({ ...on, ...bridge, shown: kafka }) } };
}

type Place = { settings: ProvisionSettings; told: Environment; manifest: Manifest; isDryRun: boolean; closers: Closers };

/** The database that the platform will start from; `otherKeys` are those that rows were sealed with and that it has not. */
export async function databaseOf({ settings, told, manifest, isDryRun, closers }: Place, keys: Record<string, string>) {
  const { GATEHOUSE_DATA: data, DATABASE_URL: url, BROKER_URL, KAFKA_BROKERS } = settings;
  const directory = join(data, "postgres");
  const installation = isDryRun ? installationIn(data) : openInstallation(data);
  const password = installation.DATABASE_PASSWORD ?? crypto.randomUUID();
  const { client: db, close } = await (isDryRun ? openTrial({ url, directory, log, closers }) : openDatabase({ url, directory, password, log }));
  try {
    if ((await lastMigration(db)) !== manifest.migration) throw new SettingsError("Cannot import rows: they were exported by another version of the platform");
    const isOtherBroker = BROKER_URL !== undefined || KAFKA_BROKERS !== undefined || (await clusterId(db)) !== manifest.cluster;
    const otherKeys = KEYS.filter((name) => keys[name] !== undefined && keys[name] !== (told[name] ?? installation[name]));
    return { target: { db, isOtherBroker }, otherKeys, close };
  } catch (error) {
    await close();
    throw error;
  }
}
