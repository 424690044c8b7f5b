import type { ConfigEntry } from "../../rest/cluster.ts";

/** Why Kafka refuses a value, in its own words; undefined when it does not. */
type Check = (value: string) => string | undefined;

const LONG_MAX = 2n ** 63n - 1n;
const INT_MAX = 2n ** 31n - 1n;

/** The topic configurations of Kafka 4 that a broker of one node can honour or at least keep, with their defaults. */
const CONFIGS = new Map<string, { default: string; check: Check }>([
  ["cleanup.policy", { default: "delete", check: oneOrMoreOf("compact", "delete") }],
  ["compression.type", { default: "producer", check: oneOf("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer") }],
  ["delete.retention.ms", { default: "86400000", check: long(0n) }],
  ["file.delete.delay.ms", { default: "60000", check: long(0n) }],
  ["flush.messages", { default: String(LONG_MAX), check: long(1n) }],
  ["flush.ms", { default: String(LONG_MAX), check: long(0n) }],
  ["index.interval.bytes", { default: "4096", check: int(0n) }],
  ["max.compaction.lag.ms", { default: String(LONG_MAX), check: long(1n) }],
  ["max.message.bytes", { default: "1048588", check: int(0n) }],
  ["message.timestamp.after.max.ms", { default: "3600000", check: long(0n) }],
  ["message.timestamp.before.max.ms", { default: String(LONG_MAX), check: long(0n) }],
  ["message.timestamp.type", { default: "CreateTime", check: oneOf("CreateTime", "LogAppendTime") }],
  ["min.cleanable.dirty.ratio", { default: "0.5", check: ratio }],
  ["min.compaction.lag.ms", { default: "0", check: long(0n) }],
  ["min.insync.replicas", { default: "1", check: int(1n) }],
  ["preallocate", { default: "false", check: boolean }],
  ["retention.bytes", { default: "-1", check: long(-1n) }],
  ["retention.ms", { default: "604800000", check: long(-1n) }],
  ["segment.bytes", { default: "1073741824", check: int(1048576n) }],
  ["segment.index.bytes", { default: "10485760", check: int(4n) }],
  ["segment.jitter.ms", { default: "0", check: long(0n) }],
  ["segment.ms", { default: "604800000", check: long(1n) }],
  ["unclean.leader.election.enable", { default: "false", check: boolean }],
]);

/** Every configuration of a topic for which `set` was set. */
export function configEntries(set: Record<string, string>): ConfigEntry[] {
  return [...CONFIGS].map(([name, config]) => {
    const value = set[name];
    const byDefault = { name, value: config.default, source: "DEFAULT_CONFIG" };
    const winning = value === undefined ? byDefault : { name, value, source: "DYNAMIC_TOPIC_CONFIG" };
    return {
      ...winning,
      isDefault: value === undefined,
      isReadOnly: false,
      isSensitive: false,
      synonyms: value === undefined ? [byDefault] : [winning, byDefault],
    };
  });
}

export function configFault(name: string, value: string | null): string | undefined {
  const config = CONFIGS.get(name);
  if (!config) return `Unknown topic config name: ${name}`;
  if (value === null) return `Null value not supported for topic configs: ${name}`;
  const fault = config.check(value);
  return fault && `Invalid value ${value.slice(0, 100)} for configuration ${name}: ${fault}`;
}

export function numberConfig(set: Record<string, string>, name: string): number {
  return Number(set[name] ?? CONFIGS.get(name)?.default);
}

/** Of one that may be larger than a number can be. */
export function bigintConfig(set: Record<string, string>, name: string): bigint {
  return BigInt(set[name] ?? CONFIGS.get(name)?.default ?? 0);
}

export function isCompacted(set: Record<string, string>): boolean {
  return (set["cleanup.policy"] ?? "").includes("compact");
}

export function isAppendTime(set: Record<string, string>): boolean {
  return set["message.timestamp.type"] === "LogAppendTime";
}

function oneOf(...values: string[]): Check {
  return (value) => (values.includes(value) ? undefined : `String must be one of: ${values.join(", ")}`);
}

function oneOrMoreOf(...values: string[]): Check {
  return (value) => (value.split(",").every((one) => values.includes(one.trim())) ? undefined : `String must be one of: ${values.join(", ")}`);
}

function long(min: bigint): Check {
  return whole("LONG", min, LONG_MAX);
}

function int(min: bigint): Check {
  return whole("INT", min, INT_MAX);
}

function whole(type: string, min: bigint, max: bigint): Check {
  return (value) => {
    if (!/^[+-]?\d{1,19}$/.test(value) || BigInt(value.replace("+", "")) > max) return `Not a number of type ${type}`;
    return BigInt(value.replace("+", "")) < min ? `Value must be at least ${min}` : undefined;
  };
}

function ratio(value: string): string | undefined {
  if (!/^\d+(\.\d+)?$/.test(value)) return "Not a number of type DOUBLE";
  return Number(value) > 1 ? "Value must be no more than 1" : undefined;
}

function boolean(value: string): string | undefined {
  return /^(true|false)$/i.test(value) ? undefined : "Expected value to be either true or false";
}
