import { join } from "node:path";
import { readSettingsFile, writeSettingsFile } from "../../workers/settings-file.ts";
import { runToEnd, type Settings, worker } from "../command.ts";
import { ownDatabase } from "../systems/postgres.ts";
import { KEYCLOAK, KEYCLOAK_ADMINISTRATOR, removeRealm } from "../systems/keycloak.ts";
import { emptyKafka } from "../systems/kafka.ts";
import { emptyVault, VAULT, VAULT_TOKEN } from "../systems/vault.ts";
import { administratorIn } from "./launch.ts";

export type Systems = {
  /** Whom the provisioning has made; a platform on embedded servers makes its own. */
  administrator: { username: string; password: string } | undefined;
  close: () => Promise<void>;
};

type Closers = (() => Promise<void>)[];

/** As the platform gives itself where its systems are on the same machine. */
const PATIENCE = { TOKEN_TIMEOUT_MS: "6000", DATABASE_TIMEOUT_MS: "5000", SERVICE_TIMEOUT_MS: "5000" };

/** Has our own command provide the real systems that the environment names, and keep in `data` what a platform starts from. */
export async function provideSystems(data: string): Promise<Systems> {
  const closers: Closers = [];
  const close = async () => {
    for (const end of closers.toReversed()) await end();
  };
  const settings = { ...identity(closers), ...(await secrets(closers)), ...(await broker(closers)), ...(await stores(closers)) };
  if (Object.keys(settings).length === 0) return { administrator: undefined, close };
  const { code, output } = await runToEnd(worker("provision", "--yes"), { GATEHOUSE_DATA: data, ...settings });
  if (code !== 0) throw new Error(`Cannot provide the systems: ${output}`);
  const path = join(data, "settings.env");
  writeSettingsFile(path, { ...(readSettingsFile(path) as Settings), ...PATIENCE });
  return { administrator: administratorIn(output), close };
}

function identity(closers: Closers): Settings {
  if (!KEYCLOAK) return {};
  const realm = `gatehouse-test-${crypto.randomUUID()}`;
  closers.push(() => removeRealm(realm));
  return { IDENTITY_URL: KEYCLOAK, IDENTITY_REALM: realm, IDENTITY_ADMIN_USERNAME: KEYCLOAK_ADMINISTRATOR.username, IDENTITY_ADMIN_PASSWORD: KEYCLOAK_ADMINISTRATOR.password };
}

async function secrets(closers: Closers): Promise<Settings> {
  if (!VAULT) return {};
  closers.push((await emptyVault()).close);
  return { SECRETS_URL: VAULT, SECRETS_ADMIN_TOKEN: VAULT_TOKEN };
}

async function broker(closers: Closers): Promise<Settings> {
  const { KAFKA_BROKERS: brokers, KAFKA_REST_URL: rest } = process.env;
  if (!brokers || !rest) return {};
  closers.push((await emptyKafka(rest)).close);
  return { KAFKA_BROKERS: brokers };
}

async function stores(closers: Closers): Promise<Settings> {
  const { TEST_DATABASE_URL: url, TEST_REDIS_URL: redis } = process.env;
  if (!url) return { ...(redis && { REDIS_URL: redis }) };
  const own = await ownDatabase(url);
  closers.push(own.drop);
  return { DATABASE_URL: own.url, ...(redis && { REDIS_URL: redis }) };
}
