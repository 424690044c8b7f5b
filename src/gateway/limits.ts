import type { Context, MiddlewareHandler } from "hono";
import { rateLimiter } from "hono-rate-limiter";
import { describe, type Log } from "../http/log.ts";
import { Problem } from "../http/problem.ts";
import { type Counter, localCounter, type RedisEval, sharedCounter } from "./counters.ts";
import { sourceKey } from "./source.ts";

export type LimitNeeds = {
  now: () => number;
  log: Log;
  /** The address a request comes from, as the runtime or a trusted proxy tells it. */
  source: (c: Context) => string | undefined;
  /** Where all instances count together. */
  redis?: RedisEval;
  /** Calls a minute from one source: counted together, and by one instance alone. */
  limits?: { shared?: number; local?: number };
};

const WINDOW_MS = 60_000;
/** For so long after a failure Redis is not asked, so that its absence does not cost every caller the timeout. */
const REDIS_PAUSE_MS = 2000;
const LOG_PAUSE_MS = 60_000;

/** Limits how often one source may call, counted in Redis where there is one and, while it is away, here and stricter. */
export function limitPerSource(needs: LimitNeeds): MiddlewareHandler {
  const { now, redis, limits: { shared = 600, local = 300 } = {} } = needs;
  const alone = limiter(needs, { limit: local, count: localCounter({ now, windowMs: WINDOW_MS }) });
  if (!redis) return alone;

  const away = absence(needs);
  const counter = sharedCounter(redis, { now, windowMs: WINDOW_MS });
  const count: Counter = async (key) => {
    if (away.isOn()) throw new CountLost();
    try {
      return await counter(key);
    } catch (cause) {
      away.begin(cause);
      throw new CountLost();
    }
  };
  const together = limiter(needs, { limit: shared, count });
  return async (c, next) => {
    try {
      return await together(c, next);
    } catch (error) {
      if (error instanceof CountLost) return alone(c, next);
      throw error;
    }
  };
}

/** Whether the limiter has left headers in `c`, which only an answer made through `c` gets. */
export function isCounted(c: Context): boolean {
  return c.get("rateLimit") !== undefined;
}

class CountLost extends Error {}

function limiter({ source }: LimitNeeds, { limit, count }: { limit: number; count: Counter }): MiddlewareHandler {
  return rateLimiter({
    windowMs: WINDOW_MS,
    limit,
    standardHeaders: "draft-7",
    keyGenerator: (c) => sourceKey(source(c)),
    store: { increment: count, decrement: uncounted, resetKey: uncounted },
    handler: () => {
      throw new Problem("TOO_MANY_REQUESTS_429", `Send at most ${limit} requests a minute`);
    },
  });
}

/** The limiter would take calls back where it is told not to count failed ones, which it is not. */
function uncounted(): void {}

function absence({ now, log }: LimitNeeds) {
  let until = 0;
  let loggedAt = -Infinity;
  return {
    isOn: () => now() < until,
    begin(cause: unknown): void {
      until = now() + REDIS_PAUSE_MS;
      if (now() - loggedAt < LOG_PAUSE_MS) return;
      loggedAt = now();
      log({ level: "warn", service: "gateway", message: "Redis is not available: each instance limits on its own", error: describe(cause) });
    },
  };
}
