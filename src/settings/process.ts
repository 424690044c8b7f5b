import * as z from "zod";
import { SERVICES } from "../env.ts";
import { PASSWORD_LENGTH } from "../identity/password-length.ts";
import { usersSettings } from "./services.ts";
import { configuration, key, onOff, port, redisUrl, registry, secret, services, url, username } from "./values.ts";

const { minLength, maxLength } = PASSWORD_LENGTH;

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

const logFormat = z.enum(["json", "pretty", "auto"], { error: 'Use "json", "pretty" or "auto"' }).default("auto");

/** What the bridge is told that runs by itself. */
export const bridgeSettings = z.object({
  ...kafka,
  KAFKA_BROKERS: z.string({ error: "Is needed" }).pipe(kafka.KAFKA_BROKERS.unwrap()),
  HOST: z.string().min(1).default("127.0.0.1"),
  BROKER_PORT: port.default(8082),
  BROKER_USERNAME: username.default("gatehouse"),
  BROKER_PASSWORD: z.string({ error: "Is needed" }).min(12, "Use at least 12 characters"),
  LOG_FORMAT: logFormat,
});

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
  ADMIN_PASSWORD: z.string().min(minLength, `Use at least ${minLength} characters`).max(maxLength, `Use at most ${maxLength} characters`).optional(),
  LOG_FORMAT: logFormat,
  SECRETS_KEY: key.optional(),
  POLICIES_DIR: z.string().min(1).optional(),
  CONFIG_DIR: z.string().min(1).optional(),
  CONFIG_URL: configuration.optional(),
  DISCOVERY_URL: registry.optional(),
  DATABASE_URL: usersSettings.shape.DATABASE_URL.optional(),
  DATABASE_TIMEOUT_MS: usersSettings.shape.DATABASE_TIMEOUT_MS,
  /** To an ordinary Postgres, by this process. */
  DATABASE_MAX_CONNECTIONS: z.coerce.number({ error: "Use a number of connections" }).int().min(1).max(1000).default(16),
  IDENTITY_URL: url.optional(),
  SECRETS_URL: url.optional(),
  BROKER_URL: url.optional(),
  /** An ordinary Redis; `rediss:` with TLS. */
  REDIS_URL: redisUrl.optional(),
  /** PEM; without it, the authorities that the runtime trusts. */
  REDIS_CA_FILE: z.string().min(1).optional(),
  REDIS_REST_PORT: port.default(6480),
  UPSTASH_REDIS_REST_URL: url.optional(),
  ...kafka,
});

export type KafkaSettings = Pick<z.infer<typeof bridgeSettings>, keyof typeof kafka>;
