/** Of each pair of systems the platform uses one, which the first setting names; the others are of no use without it. */
export const ALTERNATIVES = [
  { fault: "Cannot use two brokers", pair: [["BROKER_URL", "BROKER_AUTHORIZATION"], ["KAFKA_BROKERS", "KAFKA_TLS", "KAFKA_CA_FILE", "KAFKA_SASL_MECHANISM", "KAFKA_USERNAME", "KAFKA_PASSWORD"]] },
  { fault: "Cannot count in two places", pair: [["REDIS_URL", "REDIS_CA_FILE"], ["UPSTASH_REDIS_REST_URL", "UPSTASH_REDIS_REST_TOKEN"]] },
] as const;

type Alternative = (typeof ALTERNATIVES)[number];

/** What is said to whoever names both. */
export function bothNamed({ fault, pair: [[one], [other]] }: Alternative): string {
  return `${fault}: set ${one} or ${other}, not both`;
}
