import type { Environment } from "../../env.ts";
import { isLoopbackUrl } from "../../http/loopback.ts";
import type { Finding } from "../finding.ts";
import { found } from "./found.ts";

export type Openness = {
  told: Environment;
  host: string;
  /** Whether only this machine can reach the platform, as the platform itself takes it. */
  isLoopback: boolean;
  /** System → the setting that replaces it, of those that are embedded. */
  embedded: Readonly<Record<string, string>>;
};

const HTTP_URLS = ["IDENTITY_URL", "SECRETS_URL", "BROKER_URL", "USERS_URL", "AUTH_URL", "ADMIN_URL", "DISCOVERY_URL", "CONFIG_URL", "UPSTASH_REDIS_REST_URL", "DATABASE_SQL_URL"];

/** What is fit for one machine, and not for a network. */
export function opennessFindings({ told, host, isLoopback, embedded }: Openness): Finding[] {
  if (isLoopback) return [found("for-this-machine")];
  const { PUBLIC_URL: at } = told;
  const isUrl = at !== undefined && URL.canParse(at);
  const systems = Object.keys(embedded);
  return [
    found("for-others"),
    ...(at === undefined ? [found("no-public-url", { host })] : []),
    ...(isUrl && isLoopbackUrl(at) ? [found("public-url-local", { host })] : []),
    ...(isUrl && !isLoopbackUrl(at) && at.startsWith("http:") ? [found("public-url-plain")] : []),
    ...(told["METRICS_TOKEN"] === undefined ? [found("no-metrics-token")] : []),
    ...(systems.length > 0 ? [found("embedded-exposed", { systems: systems.join(", "), settings: Object.values(embedded).join(", ") })] : []),
  ];
}

/** Secrets on their way to other machines; how the database is reached, its server says itself. */
export function transportFindings(told: Environment): Finding[] {
  const plain = HTTP_URLS.flatMap((name) => (told[name] ?? "").split(",").flatMap((url) => plainly({ name, url: url.trim(), scheme: "https://" })));
  const redis = plainly({ name: "REDIS_URL", url: (told["REDIS_URL"] ?? "").replace(/^redis:/, "http:").replace(/^rediss:/, "https:"), scheme: "rediss://" });
  const all = [...plain, ...redis, ...kafka(told)];
  return all.length > 0 ? all : [found("transport")];
}

function plainly({ name, url, scheme }: { name: string; url: string; scheme: string }): Finding[] {
  if (!URL.canParse(url) || !url.startsWith("http:") || isLoopbackUrl(url)) return [];
  return [found("plain", { name, host: new URL(url).host, scheme })];
}

function kafka({ KAFKA_BROKERS: brokers = "", KAFKA_TLS: tls }: Environment): Finding[] {
  const far = brokers.split(",").find((place) => place !== "" && URL.canParse(`http://${place}`) && !isLoopbackUrl(`http://${place}`));
  return far === undefined || tls === "on" ? [] : [found("plain-kafka", { host: far })];
}
