import * as z from "zod";
import { PermissionsSchema } from "./admin/permissions.ts";
import { isRoutable, RESERVED } from "./gateway/applications/names.ts";
import { isCredentialUrl } from "./http/credential-url.ts";

const url = z.url({ protocol: /^https?$/, error: "Use an http or https URL" }).transform((text) => text.replace(/\/+$/, ""));
const milliseconds = z.coerce.number({ error: "Use a number of milliseconds" }).int().min(1).max(600_000);
const port = z.coerce.number({ error: "Use a port number" }).int().min(0).max(65_535);
const onOff = z.enum(["on", "off"], { error: 'Use "on" or "off"' }).transform((text) => text === "on");
const secret = z.string({ error: "Is needed" }).min(1, "Is needed");
const username = z.string().regex(/^[\w.-]{1,64}$/, "Use letters, digits, dots, dashes and underscores");
/** One or several, with commas between them, with the credential in it. */
const registry = z.string().refine(isRegistry, 'Use http or https URLs such as "http://user:password@localhost:8761/eureka"');
const configuration = url.refine(isCredentialUrl, 'Use an http or https URL such as "http://user:password@localhost:8888"');
const count = z.coerce.number({ error: "Use a number" }).int().min(1).max(1_000_000);

/** Where tokens come from; every service verifies them for itself. */
const identity = {
  IDENTITY_URL: url,
  IDENTITY_REALM: z.string().regex(/^[A-Za-z0-9._-]{1,255}$/, "Use letters, digits, dots, dashes and underscores").default("platform"),
  TOKEN_TIMEOUT_MS: milliseconds.default(2000),
};

const database = {
  DATABASE_URL: z.string({ error: "Is needed" }).refine(isPostgresUrl, "Use a postgres:// URL with one host"),
  DATABASE_SQL_URL: url.optional(),
  DATABASE_TIMEOUT_MS: milliseconds.default(1000),
};

/** Where events go to and come from. */
const broker = {
  BROKER_URL: url,
  BROKER_AUTHORIZATION: secret.optional(),
};

/** Who sees more than a service shows everybody: whoever has the token, or all where only this machine can reach it. */
const insight = {
  METRICS_TOKEN: z.string().regex(/^[\w.~+/-]{16,256}$/, "Use 16 to 256 letters, digits and -._~+/").optional(),
  LOOPBACK: onOff.default(false),
};

export const usersSettings = z.object({
  ...insight,
  ...identity,
  ...database,
  ...broker,
  USER_SERVICE_CLIENT_ID: secret.default("user-service"),
  USER_SERVICE_CLIENT_SECRET: secret,
  LOGIN_GUARD_KEY: z.string({ error: "Is needed" }).min(32, "Use at least 32 characters"),
  DORMANT_AFTER_DAYS: z.coerce.number({ error: "Use a number of days" }).int().min(1).max(36_500).optional(),
});

export const authSettings = z.object({
  ...insight,
  ...identity,
  ...database,
  ...broker,
  AUTH_SERVICE_CLIENT_ID: secret.default("auth-service"),
  AUTH_SERVICE_CLIENT_SECRET: secret,
  USERS_URL: url.default("http://localhost:8086"),
  SERVICE_TIMEOUT_MS: milliseconds.default(1000),
  LEGACY_GET_LOGIN: onOff.default(true),
});

export const adminSettings = z.object({
  ...insight,
  ...identity,
  ...database,
  ...broker,
  ADMIN_SERVICE_CLIENT_ID: secret.default("admin-service"),
  ADMIN_SERVICE_CLIENT_SECRET: secret,
  SECRETS_URL: url,
  SECRETS_NAMESPACE: z.string().min(1).optional(),
  ADMIN_SERVICE_ROLE_ID: secret,
  ADMIN_SERVICE_SECRET_ID: secret,
  SECRET_ID_TTL: z.string().regex(/^\d+[smh]$/, "Use a duration such as 720h").default("720h"),
  PERMISSIONS: z.string().default("{}").transform(json).pipe(PermissionsSchema),
  WEBHOOK_KEY: z.string({ error: "Is needed" }).regex(/^[A-Za-z0-9_-]{43}$/, "Use 32 bytes in base64url"),
  WEBHOOK_ALLOW_PRIVATE: onOff.default(false),
});

export const gatewaySettings = z
  .object({
    ...insight,
    USERS_URL: url.default("http://localhost:8086"),
    AUTH_URL: url.default("http://localhost:8087"),
    ADMIN_URL: url.default("http://localhost:8089"),
    DISCOVERY_URL: registry.optional(),
    CONFIG_URL: configuration.optional(),
    ROUTED_APPLICATIONS: z.string().default("").transform(applications),
    PUBLIC_URL: url.optional(),
    RATE_LIMIT_PER_MINUTE: count.default(600),
    RATE_LIMIT_LOCAL_PER_MINUTE: count.default(300),
    UPSTASH_REDIS_REST_URL: url.optional(),
    UPSTASH_REDIS_REST_TOKEN: secret.optional(),
  })
  .refine(({ ROUTED_APPLICATIONS: routed, DISCOVERY_URL: registry }) => routed.length === 0 || registry !== undefined, {
    path: ["DISCOVERY_URL"],
    message: "Is needed to lead to ROUTED_APPLICATIONS",
  });

export const discoverySettings = z.object({
  ...insight,
  ...database,
  DISCOVERY_USERNAME: username.default("eureka"),
  DISCOVERY_PASSWORD: secret,
  DISCOVERY_SELF_PRESERVATION: onOff.default(true),
});

export const configSettings = z.object({
  ...insight,
  ...identity,
  SECRETS_URL: url,
  SECRETS_NAMESPACE: z.string().min(1).optional(),
  CONFIG_SERVER_ROLE_ID: secret,
  CONFIG_SERVER_SECRET_ID: secret,
  CONFIG_USERNAME: username.default("config"),
  CONFIG_PASSWORD: secret,
});

/** An ordinary Kafka, behind our bridge. */
const kafka = {
  KAFKA_BROKERS: z.string().regex(/^[\w.-]+:\d{1,5}(,[\w.-]+:\d{1,5})*$/, "Use host:port, several with commas").optional(),
  KAFKA_TLS: onOff.default(false),
  /** PEM; without it, the authorities that the runtime trusts. */
  KAFKA_CA_FILE: z.string().min(1).optional(),
  KAFKA_SASL_MECHANISM: z.enum(["plain", "scram-sha-256", "scram-sha-512"], { error: 'Use "plain", "scram-sha-256" or "scram-sha-512"' }).optional(),
  KAFKA_USERNAME: secret.optional(),
  KAFKA_PASSWORD: secret.optional(),
};

/** What the bridge is told that runs by itself. */
export const bridgeSettings = z.object({
  ...kafka,
  KAFKA_BROKERS: z.string({ error: "Is needed" }).pipe(kafka.KAFKA_BROKERS.unwrap()),
  HOST: z.string().min(1).default("127.0.0.1"),
  BROKER_PORT: port.default(8082),
  BROKER_USERNAME: username.default("gatehouse"),
  BROKER_PASSWORD: z.string({ error: "Is needed" }).min(12, "Use at least 12 characters"),
  LOG_FORMAT: z.enum(["json", "pretty", "auto"], { error: 'Use "json", "pretty" or "auto"' }).default("auto"),
});

/** The services, by the names that `SERVICES` has for them. */
export const SERVICES = ["gateway", "users", "auth", "admin", "discovery", "config"] as const;

export type ServiceName = (typeof SERVICES)[number];

/** What only a process that runs the whole platform needs: Node and Deno. */
export const processSettings = z.object({
  HOST: z.string().min(1).default("127.0.0.1"),
  INSTANCE_HOST: z.string().regex(/^([\w.-]{1,253}|(?=.*:.*:)[\dA-Fa-f:.]{2,45})$/, "Use a host name or an address").optional(),
  PUBLIC_URL: url.optional(),
  GATEWAY_PORT: port.default(8080),
  USERS_PORT: port.default(8086),
  AUTH_PORT: port.default(8087),
  ADMIN_PORT: port.default(8089),
  DISCOVERY_PORT: port.default(8761),
  CONFIG_PORT: port.default(8888),
  IDENTITY_PORT: port.default(8180),
  SECRETS_PORT: port.default(8200),
  BROKER_PORT: port.default(8082),
  DATABASE_PORT: port.default(5480),
  SERVICES: z.string().default(SERVICES.join(",")).transform(services),
  GATEHOUSE_DATA: z.string().min(1).default(".gatehouse"),
  ADMIN_USERNAME: z.string().regex(/^[a-z0-9._-]{3,255}$/, "Use 3 to 255 lower-case letters, digits, dots, dashes and underscores").default("admin"),
  ADMIN_PASSWORD: z.string().min(15, "Use at least 15 characters").max(128, "Use at most 128 characters").optional(),
  LOG_FORMAT: z.enum(["json", "pretty", "auto"], { error: 'Use "json", "pretty" or "auto"' }).default("auto"),
  SECRETS_KEY: z.string().regex(/^[A-Za-z0-9_-]{43}$/, "Use 32 bytes in base64url").optional(),
  POLICIES_DIR: z.string().min(1).optional(),
  CONFIG_DIR: z.string().min(1).optional(),
  CONFIG_URL: configuration.optional(),
  DISCOVERY_URL: registry.optional(),
  DATABASE_URL: database.DATABASE_URL.optional(),
  DATABASE_TIMEOUT_MS: database.DATABASE_TIMEOUT_MS,
  /** To an ordinary Postgres, by this process. */
  DATABASE_MAX_CONNECTIONS: z.coerce.number({ error: "Use a number of connections" }).int().min(1).max(1000).default(16),
  IDENTITY_URL: url.optional(),
  SECRETS_URL: url.optional(),
  BROKER_URL: url.optional(),
  /** An ordinary Redis; `rediss:` with TLS. */
  REDIS_URL: z.string().refine(isRedisUrl, "Use a redis:// or rediss:// URL, with the number of the database as its path").optional(),
  /** PEM; without it, the authorities that the runtime trusts. */
  REDIS_CA_FILE: z.string().min(1).optional(),
  REDIS_REST_PORT: port.default(6480),
  UPSTASH_REDIS_REST_URL: url.optional(),
  ...kafka,
});

export type KafkaSettings = Pick<z.infer<typeof bridgeSettings>, keyof typeof kafka>;
export type UsersSettings = z.infer<typeof usersSettings>;
export type AdminSettings = z.infer<typeof adminSettings>;
export type AuthSettings = z.infer<typeof authSettings>;
export type DiscoverySettings = z.infer<typeof discoverySettings>;
export type ConfigSettings = z.infer<typeof configSettings>;
export type GatewaySettings = z.infer<typeof gatewaySettings>;

function services(text: string, context: z.RefinementCtx): ServiceName[] {
  const names = text.split(",").map((name) => name.trim());
  const known = SERVICES.filter((name) => names.includes(name));
  if (known.length === names.length) return known;
  context.addIssue({ code: "custom", message: `Name some of ${SERVICES.join(", ")}, each once` });
  return z.NEVER;
}

/** Of several hosts, as libpq takes them, the clients would use none. */
function isPostgresUrl(text: string): boolean {
  if (!/^postgres(ql)?:\/\/./.test(text) || !URL.canParse(text)) return false;
  const { host, searchParams } = new URL(text);
  return !`${host}${searchParams.get("host") ?? ""}`.includes(",");
}

function isRedisUrl(text: string): boolean {
  return /^rediss?:\/\/./.test(text) && URL.canParse(text) && /^\/?\d*$/.test(new URL(text).pathname);
}

function isRegistry(text: string): boolean {
  return text.split(",").every((one) => url.safeParse(one.trim()).success && isCredentialUrl(one));
}

function applications(text: string, context: z.RefinementCtx): string[] {
  const names = text.split(",").map((name) => name.trim().toLowerCase()).filter((name) => name !== "");
  if (names.every(isRoutable)) return [...new Set(names)];
  context.addIssue({ code: "custom", message: `Name applications by letters, digits, dashes and underscores, none of ${[...RESERVED].join(", ")}` });
  return z.NEVER;
}

function json(text: string, context: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: "custom", message: 'Use JSON, such as {"kafka-ops":["ROLE_TOPICS"]}' });
    return z.NEVER;
  }
}

export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

/** Reads the settings of `schema`; throws a SettingsError that names every mistake, never a value. */
export function readSettings<T>(schema: z.ZodType<T>, env: Record<string, unknown>): T {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => typeof value === "string" && value !== ""));
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const mistakes = result.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  throw new SettingsError(`Cannot start with these settings:\n  ${mistakes.join("\n  ")}`);
}
