import * as z from "zod";
import { SettingsError } from "../env.ts";
import { processSettings } from "../settings/process.ts";
import { adminSettings, authSettings, configSettings, gatewaySettings, usersSettings } from "../settings/services.ts";

const secret = z.string().min(1).optional();

/** An administrator's credentials, for the one run. */
const credentials = {
  IDENTITY_ADMIN_USERNAME: secret,
  IDENTITY_ADMIN_PASSWORD: secret,
  IDENTITY_ADMIN_CLIENT_ID: secret,
  IDENTITY_ADMIN_CLIENT_SECRET: secret,
  SECRETS_ADMIN_TOKEN: secret,
  KAFKA_ADMIN_USERNAME: secret,
  KAFKA_ADMIN_PASSWORD: secret,
};

export const CREDENTIALS = Object.keys(credentials);

/** Where systems are and how the platform reaches them: what it starts from afterwards. */
const places = {
  ...processSettings.pick({
    DATABASE_URL: true,
    IDENTITY_URL: true,
    SECRETS_URL: true,
    BROKER_URL: true,
    REDIS_URL: true,
    REDIS_CA_FILE: true,
    KAFKA_BROKERS: true,
    KAFKA_TLS: true,
    KAFKA_CA_FILE: true,
    KAFKA_SASL_MECHANISM: true,
    KAFKA_USERNAME: true,
    KAFKA_PASSWORD: true,
  }).shape,
  DATABASE_SQL_URL: authSettings.shape.DATABASE_SQL_URL,
  IDENTITY_REALM: authSettings.shape.IDENTITY_REALM,
  SECRETS_NAMESPACE: configSettings.shape.SECRETS_NAMESPACE,
  BROKER_AUTHORIZATION: authSettings.shape.BROKER_AUTHORIZATION,
  AUTH_SERVICE_CLIENT_ID: authSettings.shape.AUTH_SERVICE_CLIENT_ID,
  USER_SERVICE_CLIENT_ID: usersSettings.shape.USER_SERVICE_CLIENT_ID,
  ADMIN_SERVICE_CLIENT_ID: adminSettings.shape.ADMIN_SERVICE_CLIENT_ID,
  UPSTASH_REDIS_REST_URL: gatewaySettings.shape.UPSTASH_REDIS_REST_URL,
  UPSTASH_REDIS_REST_TOKEN: gatewaySettings.shape.UPSTASH_REDIS_REST_TOKEN,
};

export const PLACES = Object.keys(places);

/** Which of them name a system; one at least has to. */
export const SYSTEMS = ["IDENTITY_URL", "SECRETS_URL", "BROKER_URL", "KAFKA_BROKERS", "DATABASE_URL", "REDIS_URL", "UPSTASH_REDIS_REST_URL"] as const;

export const provisionSettings = z.object({
  ...processSettings.pick({ GATEHOUSE_DATA: true, ADMIN_USERNAME: true, ADMIN_PASSWORD: true, POLICIES_DIR: true }).shape,
  ...places,
  ...credentials,
});

export type ProvisionSettings = z.infer<typeof provisionSettings>;

/** Who administers Kafka, where that is somebody else than who works there. */
export function kafkaAdministrator({ KAFKA_ADMIN_USERNAME: username, KAFKA_ADMIN_PASSWORD: password }: ProvisionSettings) {
  if ((username === undefined) !== (password === undefined)) throw new SettingsError("Cannot use one of KAFKA_ADMIN_USERNAME and KAFKA_ADMIN_PASSWORD without the other");
  return username && password ? { KAFKA_USERNAME: username, KAFKA_PASSWORD: password } : {};
}
