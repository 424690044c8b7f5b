import { bundledPolicies } from "../../src/admin/policies/bundled.ts";
import type { KeycloakAdministrator } from "../../src/administration/keycloak.ts";
import { type Environment, SettingsError } from "../../src/env.ts";
import type { Call } from "../../src/http/call.ts";
import { planBroker } from "../../src/provision/broker.ts";
import { planIdentity } from "../../src/provision/identity/plan.ts";
import { type Plan, plan, type Planning, together } from "../../src/provision/plan.ts";
import { planSecrets } from "../../src/provision/secrets/plan.ts";
import type { ProvisionSettings } from "../../src/provision/settings.ts";
import { newPassword } from "../data.ts";
import { network } from "../isolate.ts";
import { readPolicies } from "../policies.ts";
import type { Closers } from "../process.ts";
import { ask, isTerminal } from "./ask.ts";
import { checkUpstash } from "./upstash.ts";

type On = Planning & {
  /** What the environment alone says: there the operator insists. */
  own: Environment;
  closers: Closers;
};

/** What every system that the settings name lacks. */
export async function planSystems(call: Call, settings: ProvisionSettings, on: On): Promise<Plan> {
  const reach = { ...on, fetch: network, now: Date.now };
  const { DATABASE_URL: database, REDIS_URL: redis, UPSTASH_REDIS_REST_URL: upstash, IDENTITY_URL: identity, SECRETS_URL: secrets, BROKER_URL: broker } = settings;
  const plans: Plan[] = [];
  // Drivers take longer to load than everything else: each only where it is needed.
  if (redis) await (await import("./redis.ts")).checkRedis({ url: redis, authority: settings.REDIS_CA_FILE });
  if (upstash) await checkUpstash(call, { url: upstash, token: settings.UPSTASH_REDIS_REST_TOKEN });
  if (database) plans.push(await (await import("./database.ts")).planDatabase(database));
  // What only the file names is as it was left, for all that a run without its administrator's credentials knows.
  const isMeant = (name: "IDENTITY" | "SECRETS", hasCredentials: boolean) => hasCredentials || on.own[`${name}_URL`] !== undefined || isTerminal();
  const isIdentity = isMeant("IDENTITY", [settings.IDENTITY_ADMIN_PASSWORD, settings.IDENTITY_ADMIN_CLIENT_SECRET].some(Boolean));
  const isSecrets = isMeant("SECRETS", settings.SECRETS_ADMIN_TOKEN !== undefined);
  if (identity && isIdentity) plans.push(await planIdentity(call, await identityOf(settings, identity, on), { ...reach, newPassword }));
  else if (identity) plans.push(plan({ notes: [`The identity provider "${identity}" was not looked at: no administrator's credentials were given`] }));
  if (secrets && isSecrets) plans.push(await planSecrets(call, await secretsOf(settings, secrets, on.own), reach));
  else if (secrets) plans.push(plan({ notes: [`The secrets store "${secrets}" was not looked at: no administrator's token was given`] }));
  if (broker) plans.push(await planBroker(call, { url: broker, authorization: settings.BROKER_AUTHORIZATION }, reach));
  else if (settings.KAFKA_BROKERS) plans.push(await (await import("./kafka.ts")).planKafka(call, settings, on));
  return together(...plans);
}

async function identityOf(settings: ProvisionSettings, url: string, { own, kept }: Pick<On, "own" | "kept">) {
  const client = (name: "AUTH" | "USER" | "ADMIN") => {
    const setting = `${name}_SERVICE_CLIENT_SECRET`;
    return { clientId: settings[`${name}_SERVICE_CLIENT_ID`], setting, given: own[setting] };
  };
  return {
    url,
    realm: settings.IDENTITY_REALM,
    clients: { "auth-service": client("AUTH"), "user-service": client("USER"), "admin-service": client("ADMIN") },
    firstAdministrator: { username: settings.ADMIN_USERNAME, isNamed: (own["ADMIN_USERNAME"] ?? kept.get("ADMIN_USERNAME")) !== undefined, password: settings.ADMIN_PASSWORD },
    administrator: await identityAdministrator(settings, url),
  };
}

async function identityAdministrator(settings: ProvisionSettings, url: string): Promise<KeycloakAdministrator> {
  const { IDENTITY_ADMIN_CLIENT_ID: clientId, IDENTITY_ADMIN_CLIENT_SECRET: clientSecret } = settings;
  if (clientId && clientSecret) return { clientId, clientSecret };
  const username = await credential(settings.IDENTITY_ADMIN_USERNAME, { setting: "IDENTITY_ADMIN_USERNAME", question: `Administrator of the identity provider "${url}"`, isSecret: false });
  const password = await credential(settings.IDENTITY_ADMIN_PASSWORD, { setting: "IDENTITY_ADMIN_PASSWORD", question: `Password of "${username}"`, isSecret: true });
  return { username, password };
}

async function secretsOf(settings: ProvisionSettings, url: string, own: Environment) {
  const role = (name: "ADMIN_SERVICE" | "CONFIG_SERVER") => {
    const [roleId, secretId] = [`${name}_ROLE_ID`, `${name}_SECRET_ID`] as const;
    return { roleId: { setting: roleId, given: own[roleId] }, secretId: { setting: secretId, given: own[secretId] } };
  };
  return {
    url,
    namespace: settings.SECRETS_NAMESPACE,
    services: Object.keys({ ...bundledPolicies, ...readPolicies(settings.POLICIES_DIR) }),
    approles: { "admin-service": role("ADMIN_SERVICE"), "config-server": role("CONFIG_SERVER") },
    token: await credential(settings.SECRETS_ADMIN_TOKEN, { setting: "SECRETS_ADMIN_TOKEN", question: `Administrator's token of the secrets store "${url}"`, isSecret: true }),
  };
}

async function credential(given: string | undefined, { setting, question, isSecret }: { setting: string; question: string; isSecret: boolean }): Promise<string> {
  const answer = given ?? (isTerminal() ? await ask(`${question}: `, { isSecret }) : "");
  if (answer === "") throw new SettingsError(`Cannot provision without ${setting}: set it in the environment, or run this on a terminal to be asked`);
  return answer;
}
