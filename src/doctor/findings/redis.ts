import type { Table } from "../finding.ts";
import { LEAST } from "../versions.ts";
import { reachFindings } from "./reach.ts";

/** Of Redis, by Upstash's REST interface or its own protocol. Without it, limits fall back to each instance's own. */
export const redisFindings = {
  ...reachFindings,
  credential: { check: "credential", status: "ok", sentence: "Accepts {setting}" },
  "credential-open": { check: "credential", status: "ok", sentence: "Asks for no credential" },
  "credential-refused": { check: "credential", status: "error", sentence: "Does not accept {setting}", remedy: "Correct {setting}: user and password of redis://user:password@host, or the token of the REST interface (not the read-only one)" },
  "not-redis": { check: "credential", status: "error", sentence: "What answers at {url} is no Redis", remedy: "Correct {setting}" },
  scripts: { check: "scripts", status: "ok", sentence: "May run scripts" },
  "scripts-refused": { check: "scripts", status: "error", sentence: "May not run scripts, by which calls are counted", remedy: "ACL SETUSER … +eval +incr +pttl +pexpire ~gatehouse:limit:*; for Upstash, use the token that may write" },
  version: { check: "version", status: "ok", sentence: "Redis {version}" },
  "version-old": { check: "version", status: "warning", sentence: `Redis {version} is older than what this is tested with (${LEAST.redis})`, remedy: `Upgrade it to ${LEAST.redis} or later` },
  role: { check: "role", status: "ok", sentence: "It can be written" },
  "role-replica": { check: "role", status: "error", sentence: "It is a replica, which cannot be written", remedy: "Set {setting} to the primary" },
  eviction: { check: "eviction", status: "ok", sentence: "Counters stay until they end ({policy})" },
  "eviction-early": { check: "eviction", status: "warning", sentence: "Counters are evicted when memory is short ({policy}): limits are wider then", remedy: "Give it a Redis of its own, or maxmemory-policy volatile-ttl" },
  "eviction-full": { check: "eviction", status: "warning", sentence: "{used} of its memory are used and nothing is evicted: when it is full, each instance limits on its own", remedy: "Raise maxmemory, or maxmemory-policy volatile-ttl" },
  latency: { check: "latency", status: "ok", sentence: "Answers in {milliseconds} ms" },
  "latency-high": { check: "latency", status: "warning", sentence: "Answers in {milliseconds} ms; what takes 100 ms is not waited for, and each instance limits on its own", remedy: "Use a Redis nearer to the gateway" },
} as const satisfies Table;
