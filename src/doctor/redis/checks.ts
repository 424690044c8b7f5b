import { type Finding, type Findings, findingsOf, notChecked } from "../finding.ts";
import { redisFindings } from "../findings/redis.ts";
import { lostTo, reached } from "../reach.ts";
import { isOlder, LEAST } from "../versions.ts";

const SYSTEM = "redis";
const found = findingsOf(SYSTEM, redisFindings);

/** A refusal by Redis itself, in its own words (`NOPERM …`); any other failure of a command is the connection's. */
export class RedisRefusal extends Error {
  override readonly name = "RedisRefusal";
}

export type RedisNeeds = {
  url: string;
  /** What has the URL, and what has the credential. */
  setting: string;
  credential: string;
  /** Whether it is given. */
  hasCredential: boolean;
  command: (...words: string[]) => Promise<unknown>;
  now: () => number;
};

const SLOW_MS = 50;
const CALLS = 3;
/** The shape of the gateway's own, without a command in it. */
const SCRIPT = ["EVAL", "return { 1, tonumber(ARGV[1]) }", "1", "gatehouse:limit:doctor", "1"];
const ALMOST_FULL = 0.9;

/** What a Redis is like, seen from the gateway; its script touches no key. */
export async function* redisChecks({ url, setting, credential, hasCredential, command, now }: RedisNeeds): Findings {
  const place = { system: SYSTEM, setting, url };
  const first = await attempt(() => command("PING"));
  // Who may count and nothing else may not even ask this.
  const isBound = first.error instanceof RedisRefusal && first.error.message.startsWith("NOPERM");
  if (first.error !== undefined && !isBound) {
    if (!(first.error instanceof RedisRefusal)) {
      const fault = lostTo(place, first.error);
      yield fault;
      return fault.sentence;
    }
    yield reached(place);
    const isReplica = /^(READONLY|MASTERDOWN)/.test(first.error.message);
    const fault = isReplica ? found("role-replica", { setting }) : found("credential-refused", { setting: credential });
    yield fault;
    return fault.sentence;
  }
  if (!isBound && first.value !== "PONG") {
    const fault = found("not-redis", { url, setting });
    yield fault;
    return fault.sentence;
  }
  yield reached(place);
  yield hasCredential ? found("credential", { setting: credential }) : found("credential-open");
  yield await latency(command, now);
  const script = await attempt(() => command(...SCRIPT));
  yield found(script.error === undefined ? "scripts" : "scripts-refused");
  const info = await attempt(() => command("INFO"));
  yield* typeof info.value === "string" ? infoFindings(info.value, setting) : ["version", "role", "eviction"].map((check) => notChecked(SYSTEM, check, "It does not tell (INFO is refused)"));
  return undefined;
}

/** Of several, the quickest; a refusal takes the same way. */
async function latency(command: RedisNeeds["command"], now: () => number): Promise<Finding> {
  let milliseconds = Infinity;
  for (let call = 0; call < CALLS; call++) {
    const began = now();
    const { error } = await attempt(() => command(...SCRIPT));
    if (error !== undefined && !(error instanceof RedisRefusal)) throw error;
    milliseconds = Math.min(milliseconds, Math.round(now() - began));
  }
  return found(milliseconds > SLOW_MS ? "latency-high" : "latency", { milliseconds });
}

function infoFindings(text: string, setting: string): Finding[] {
  const info = new Map(text.split(/\r?\n/).map((line) => line.split(":", 2) as [string, string]));
  const version = info.get("redis_version");
  const policy = info.get("maxmemory_policy");
  return [
    ...(version === undefined ? [notChecked(SYSTEM, "version", "It does not tell its version")] : [found(isOlder(version, LEAST.redis) ? "version-old" : "version", { version })]),
    info.get("role") === "slave" ? found("role-replica", { setting }) : found("role"),
    ...(policy === undefined ? [notChecked(SYSTEM, "eviction", "It does not tell what it evicts")] : [eviction(policy, info)]),
  ];
}

function eviction(policy: string, info: Map<string, string>): Finding {
  const most = Number(info.get("maxmemory") ?? 0);
  const part = most > 0 ? Number(info.get("used_memory") ?? 0) / most : 0;
  if (most > 0 && policy.startsWith("allkeys-")) return found("eviction-early", { policy });
  if (policy === "noeviction" && part > ALMOST_FULL) return found("eviction-full", { used: `${Math.round(part * 100)} %` });
  return found("eviction", { policy });
}

async function attempt(work: () => Promise<unknown>): Promise<{ value?: unknown; error?: unknown }> {
  try {
    return { value: await work() };
  } catch (error) {
    return { error };
  }
}
