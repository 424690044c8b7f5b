import * as z from "zod";
import { adminSettings, authSettings, configSettings, gatewaySettings, processSettings, usersSettings } from "../env.ts";

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

/** Of each pair of systems the platform uses one, which the first setting names; the others are of no use without it. */
export const ALTERNATIVES = [
  { fault: "Cannot use two brokers", pair: [["BROKER_URL", "BROKER_AUTHORIZATION"], ["KAFKA_BROKERS", "KAFKA_TLS", "KAFKA_CA_FILE", "KAFKA_SASL_MECHANISM", "KAFKA_USERNAME", "KAFKA_PASSWORD"]] },
  { fault: "Cannot count in two places", pair: [["REDIS_URL", "REDIS_CA_FILE"], ["UPSTASH_REDIS_REST_URL", "UPSTASH_REDIS_REST_TOKEN"]] },
] as const;

export const provisionSettings = z.object({
  ...processSettings.pick({ GATEHOUSE_DATA: true, ADMIN_USERNAME: true, ADMIN_PASSWORD: true, POLICIES_DIR: true }).shape,
  ...places,
  ...credentials,
});

export type ProvisionSettings = z.infer<typeof provisionSettings>;
