import type { LogEntry } from "../../src/http/log.ts";
import { redis } from "../../src/gateway/redis.ts";
import { openRedis, type OpenRedis } from "../../workers/redis.ts";
import { gatewayBefore, recorder } from "../gateway/platform.ts";

type Counting = { source: string; limits: { shared: number; local: number }; timeout?: number };

/** A gateway that counts in the Redis at `url`; every call comes from `source`. */
export async function gatewayOn(url: string, { source, limits, timeout }: Counting) {
  const log: LogEntry[] = [];
  const opened: OpenRedis = await openRedis({ url, log: (entry) => void log.push(entry) });
  const auth = recorder();
  const { app } = gatewayBefore({
    auth,
    limits,
    source: () => source,
    redis: redis({ url: opened.url, token: opened.token, fetch: opened.fetch, now: Date.now, ...(timeout && { timeout }) }),
  });
  /** What the gateway answers to a sign-in, and by which limit. */
  const ask = async () => {
    const began = performance.now();
    const response = await app.request("/api/auth/authenticate", { method: "POST" });
    const [, limit, remaining] = /limit=(\d+), remaining=(\d+)/.exec(response.headers.get("ratelimit") ?? "") ?? [];
    return { status: response.status, limit: Number(limit), remaining: Number(remaining), took: performance.now() - began };
  };
  /** Sends Redis a command through the endpoint, past all that is under test. */
  const command = async (...words: string[]) => {
    const request = new Request(opened.url, { method: "POST", headers: { authorization: `Bearer ${opened.token}` }, body: JSON.stringify(words) });
    return (await opened.fetch(request)).json() as Promise<{ result?: unknown; error?: string }>;
  };
  return { ask, command, log, passed: auth.seen, close: opened.close };
}
