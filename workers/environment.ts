import type { Environment } from "../src/env.ts";
import { basicAuthorization, type BasicCredential } from "../src/http/basic.ts";
import { isLoopbackUrl } from "../src/http/loopback.ts";
import type * as z from "zod";
import type { processSettings } from "../src/settings/process.ts";
import type { Installation } from "./data.ts";
import type { OpenDatabase } from "./database.ts";
import type { OpenRedis } from "./redis.ts";

export type Given = z.infer<typeof processSettings>;

type Needs = {
  /** By the environment and the settings file. */
  told: Environment;
  given: Given;
  installation: Installation;
  /** Of the embedded broker, or of the bridge. */
  broker: BasicCredential;
  database: OpenDatabase | undefined;
  /** An ordinary Redis, where there is one. */
  redis?: OpenRedis | undefined;
};

/** What the services' settings are when nobody says otherwise (`made`), and what wins over everything (`set`). */
export function environment({ told, given, installation, broker, database, redis }: Needs): { made: Environment; set: Environment } {
  const set: Environment = {
    ...told,
    LOOPBACK: isForThisMachine(given) ? "on" : "off",
    ...(database && { DATABASE_URL: database.url, DATABASE_SQL_URL: database.endpoint }),
    ...(redis && { UPSTASH_REDIS_REST_URL: redis.url, UPSTASH_REDIS_REST_TOKEN: redis.token }),
    // What is told is left over from another broker: ours takes nobody but us.
    ...(!given.BROKER_URL && { BROKER_AUTHORIZATION: basicAuthorization(broker) }),
  };
  const discovery = { username: set["DISCOVERY_USERNAME"] ?? "eureka", password: set["DISCOVERY_PASSWORD"] ?? installation.DISCOVERY_PASSWORD };
  const config = { username: set["CONFIG_USERNAME"] ?? "config", password: set["CONFIG_PASSWORD"] ?? installation.CONFIG_PASSWORD };
  const made: Environment = {
    ...madeFor(installation, given),
    IDENTITY_URL: `http://localhost:${given.IDENTITY_PORT}`,
    SECRETS_URL: `http://localhost:${given.SECRETS_PORT}`,
    BROKER_URL: `http://localhost:${given.BROKER_PORT}`,
    ...(given.SERVICES.includes("discovery") && { DISCOVERY_URL: `http://${userinfo(discovery)}@localhost:${given.DISCOVERY_PORT}/eureka` }),
    ...(given.SERVICES.includes("config") && { CONFIG_URL: `http://${userinfo(config)}@localhost:${given.CONFIG_PORT}` }),
    // Embedded servers share this machine's cores with everything else, and hashing a password takes a while on any.
    ...(!given.IDENTITY_URL && { TOKEN_TIMEOUT_MS: "6000" }),
    ...(!given.DATABASE_URL && { DATABASE_TIMEOUT_MS: "5000", SERVICE_TIMEOUT_MS: "5000" }),
  };
  return { made, set };
}

/** What the first start made is for the embedded servers: a real one's own credentials have to be given. */
function madeFor(made: Installation, { IDENTITY_URL, SECRETS_URL }: Given): Environment {
  const { AUTH_SERVICE_CLIENT_SECRET, USER_SERVICE_CLIENT_SECRET, ADMIN_SERVICE_CLIENT_SECRET } = made;
  const { LOGIN_GUARD_KEY, DISCOVERY_PASSWORD, CONFIG_PASSWORD, WEBHOOK_KEY } = made;
  const { ADMIN_SERVICE_ROLE_ID, ADMIN_SERVICE_SECRET_ID, CONFIG_SERVER_ROLE_ID, CONFIG_SERVER_SECRET_ID, SECRETS_KEY } = made;
  return {
    LOGIN_GUARD_KEY,
    DISCOVERY_PASSWORD,
    CONFIG_PASSWORD,
    WEBHOOK_KEY,
    ...(!IDENTITY_URL && { AUTH_SERVICE_CLIENT_SECRET, USER_SERVICE_CLIENT_SECRET, ADMIN_SERVICE_CLIENT_SECRET }),
    ...(!SECRETS_URL && { ADMIN_SERVICE_ROLE_ID, ADMIN_SERVICE_SECRET_ID, CONFIG_SERVER_ROLE_ID, CONFIG_SERVER_SECRET_ID, SECRETS_KEY }),
  };
}

function userinfo({ username, password }: BasicCredential): string {
  return `${encodeURIComponent(username)}:${encodeURIComponent(password)}`;
}

/** What others know by a name is behind a proxy on this machine, and whoever comes through that comes from this machine. */
function isForThisMachine({ HOST, INSTANCE_HOST, PUBLIC_URL }: Given): boolean {
  return isLoopback(HOST) && isLoopback(INSTANCE_HOST ?? HOST) && (PUBLIC_URL === undefined || isLoopbackUrl(PUBLIC_URL));
}

/** Whether only this machine reaches what listens at `host`. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Whether what listens at `host` listens at every address of this machine. */
export function isEverywhere(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}
