import * as z from "zod";
import { PermissionsSchema } from "../admin/permissions.ts";
import type { ServiceName } from "../env.ts";
import { DEFAULT_REALM } from "./realm.ts";
import { applications, configuration, count, json, key, milliseconds, onOff, postgresUrl, registry, secret, url, username } from "./values.ts";

/** Where tokens come from; every service verifies them for itself. */
const identity = {
  IDENTITY_URL: url,
  IDENTITY_REALM: z.string().regex(/^[A-Za-z0-9._-]{1,255}$/, "Use letters, digits, dots, dashes and underscores").default(DEFAULT_REALM),
  TOKEN_TIMEOUT_MS: milliseconds.default(2000),
};

const database = {
  DATABASE_URL: postgresUrl,
  DATABASE_SQL_URL: url.optional(),
  DATABASE_TIMEOUT_MS: milliseconds.default(1000),
};

/** Where events go to and come from. */
const broker = {
  BROKER_URL: url,
  BROKER_AUTHORIZATION: secret.optional(),
};

const secrets = {
  SECRETS_URL: url,
  SECRETS_NAMESPACE: z.string().min(1).optional(),
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
  ...secrets,
  ADMIN_SERVICE_ROLE_ID: secret,
  ADMIN_SERVICE_SECRET_ID: secret,
  SECRET_ID_TTL: z.string().regex(/^\d+[smh]$/, "Use a duration such as 720h").default("720h"),
  PERMISSIONS: z.string().default("{}").transform(json).pipe(PermissionsSchema),
  WEBHOOK_KEY: key,
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
  ...secrets,
  CONFIG_SERVER_ROLE_ID: secret,
  CONFIG_SERVER_SECRET_ID: secret,
  CONFIG_USERNAME: username.default("config"),
  CONFIG_PASSWORD: secret,
});

export const serviceSettings = {
  gateway: gatewaySettings,
  users: usersSettings,
  auth: authSettings,
  admin: adminSettings,
  discovery: discoverySettings,
  config: configSettings,
} satisfies Record<ServiceName, z.ZodObject>;

export type UsersSettings = z.infer<typeof usersSettings>;
export type AdminSettings = z.infer<typeof adminSettings>;
export type AuthSettings = z.infer<typeof authSettings>;
export type DiscoverySettings = z.infer<typeof discoverySettings>;
export type ConfigSettings = z.infer<typeof configSettings>;
export type GatewaySettings = z.infer<typeof gatewaySettings>;
