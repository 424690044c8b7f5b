import type { Environment } from "../../env.ts";
import { ALTERNATIVES } from "../../settings/alternatives.ts";
import type { Finding } from "../finding.ts";
import { found } from "./found.ts";

/** Settings that are nothing without another. */
const TOGETHER: readonly (readonly [name: string, other: string])[] = [
  ["UPSTASH_REDIS_REST_URL", "UPSTASH_REDIS_REST_TOKEN"],
  ["UPSTASH_REDIS_REST_TOKEN", "UPSTASH_REDIS_REST_URL"],
  ["KAFKA_SASL_MECHANISM", "KAFKA_USERNAME"],
  ["KAFKA_USERNAME", "KAFKA_PASSWORD"],
  ["KAFKA_PASSWORD", "KAFKA_USERNAME"],
  ["KAFKA_USERNAME", "KAFKA_SASL_MECHANISM"],
];

type Pointless = {
  name: string;
  beside?: string;
  without?: string;
  why: string;
  instead: string;
  /** Whether an export of the embedded platform needs it. */
  opens?: boolean;
};

const POINTLESS: readonly Pointless[] = [
  { name: "SECRETS_KEY", beside: "SECRETS_URL", why: "it seals the embedded secrets store", instead: "keep it before an export of an embedded store that was at DATABASE_URL", opens: true },
  { name: "ADMIN_PASSWORD", beside: "IDENTITY_URL", why: "the platform makes the first administrator at the embedded identity provider only", instead: "give it to `npm run provision` alone, which makes one where nobody has the role ADMIN" },
  { name: "DATABASE_SQL_URL", without: "DATABASE_URL", why: "the embedded database has an endpoint of its own", instead: "set DATABASE_URL" },
  { name: "BROKER_AUTHORIZATION", without: "BROKER_URL", why: "the embedded broker and the bridge have credentials of their own", instead: "set BROKER_URL" },
  { name: "SECRETS_NAMESPACE", without: "SECRETS_URL", why: "the embedded secrets store has no namespaces", instead: "set SECRETS_URL" },
  ...["KAFKA_TLS", "KAFKA_CA_FILE", "KAFKA_SASL_MECHANISM", "KAFKA_USERNAME", "KAFKA_PASSWORD"].map((name) => ({
    name,
    without: "KAFKA_BROKERS",
    why: "KAFKA_BROKERS is not set",
    instead: "set KAFKA_BROKERS",
  })),
];

/** `hasEmbedded`: there is an embedded database, which may still have to be exported. */
export function combinationFindings(told: Environment, { hasEmbedded }: { hasEmbedded: boolean }): Finding[] {
  const has = (name: string | undefined) => name !== undefined && told[name] !== undefined;
  const incomplete = TOGETHER.filter(([name, other]) => has(name) && !has(other)).map(([name, other]) => found("incomplete", { name, other }));
  const idle = POINTLESS.filter(({ name, beside, without, opens }) => !(opens && hasEmbedded) && has(name) && (has(beside) || (without !== undefined && !has(without))));
  const conflicts = ALTERNATIVES.flatMap(({ pair: [[name], [other]] }) => (has(name) && has(other) ? [found("conflict", { name, other })] : []));
  return [...incomplete, ...conflicts, ...samePorts(told), ...idle.map(({ name, why, instead }) => found("pointless", { name, why, instead }))];
}

/** Zero is any port that is free. */
function samePorts(told: Environment): Finding[] {
  const ports = Object.entries(told).filter(([name, port]) => /^[A-Z]+_PORT$/.test(name) && Number(port) > 0);
  const byPort = Map.groupBy(ports, ([, port]) => port);
  return [...byPort].flatMap(([port = "", [first, ...rest]]) => rest.map(([name]) => found("same-port", { name, other: first![0], port })));
}
