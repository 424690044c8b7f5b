/** How often one source has called in its current window. */
export type Count = { totalHits: number; resetTime: Date };

/** Counts a call of `key`. Throws when it cannot. */
export type Counter = (key: string) => Count | Promise<Count>;

/** What is needed of a Redis client, which keeps its own deadline. */
export type RedisEval = { eval: (script: string, keys: string[], args: string[]) => Promise<unknown> };

const MAX_KEYS = 10_000;

/** Counts in this process. Of more than 10,000 sources in one window those seen first are forgotten. */
export function localCounter({ now, windowMs }: { now: () => number; windowMs: number }): Counter {
  // In the order in which windows began, which is the order in which they end.
  const windows = new Map<string, { totalHits: number; until: number }>();

  return (key) => {
    const at = now();
    let window = windows.get(key);
    if (!window || window.until <= at) {
      windows.delete(key);
      for (const [old, { until }] of windows) {
        if (until > at && windows.size < MAX_KEYS) break;
        windows.delete(old);
      }
      window = { totalHits: 0, until: at + windowMs };
      windows.set(key, window);
    }
    window.totalHits += 1;
    return { totalHits: window.totalHits, resetTime: new Date(window.until) };
  };
}

/** One round trip, and never a key without an end. */
const INCREMENT = `
local hits = redis.call("INCR", KEYS[1])
local left = redis.call("PTTL", KEYS[1])
if left < 0 then
  redis.call("PEXPIRE", KEYS[1], ARGV[1])
  left = tonumber(ARGV[1])
end
return { hits, left }`;

/** Counts for all instances together. */
export function sharedCounter(redis: RedisEval, { now, windowMs }: { now: () => number; windowMs: number }): Counter {
  return async (key) => {
    const answer = await redis.eval(INCREMENT, [`gatehouse:limit:${key}`], [String(windowMs)]);
    const [totalHits = NaN, left = NaN] = Array.isArray(answer) ? answer.map(Number) : [];
    if (!Number.isInteger(totalHits) || !Number.isInteger(left)) throw new Error("Redis gave an unusable answer");
    return { totalHits, resetTime: new Date(now() + left) };
  };
}
