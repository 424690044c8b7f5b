import { createClient, ErrorReply } from "@redis/client";
import { askOf } from "../../src/doctor/client.ts";
import type { Findings } from "../../src/doctor/finding.ts";
import { RedisRefusal, redisChecks } from "../../src/doctor/redis/checks.ts";
import { jsonOf } from "../../src/http/upstream.ts";
import { within } from "../../src/http/within.ts";
import { network } from "../isolate.ts";
import { redisTls } from "../redis-tls.ts";

const TIMEOUT_MS = 5000;

/** A Redis by its own protocol. */
export async function* examineRedis({ url, authority }: { url: string; authority: string | undefined }): Findings {
  const redis = createClient({
    url,
    RESP: 2,
    socket: {
      ...redisTls(authority),
      // Ours ends first.
      connectTimeout: 2 * TIMEOUT_MS,
      reconnectStrategy: false,
    },
    maintNotifications: "disabled",
  });
  redis.on("error", () => {});
  const { username, password } = new URL(url);
  let connected: Promise<unknown> | undefined;
  const command = async (...words: string[]) => {
    try {
      // Its own deadlines leave out the greeting.
      await within(TIMEOUT_MS, (connected ??= redis.connect()));
      return await within(TIMEOUT_MS, redis.sendCommand(words));
    } catch (error) {
      throw error instanceof ErrorReply ? new RedisRefusal(error.message) : error;
    }
  };
  try {
    return yield* redisChecks({ url, setting: "REDIS_URL", credential: "user and password in REDIS_URL", hasCredential: username !== "" || password !== "", command, now: () => performance.now() });
  } finally {
    redis.destroy();
  }
}

/** A Redis by Upstash's REST interface. */
export async function* examineUpstash({ url, token }: { url: string; token: string }): Findings {
  const ask = askOf({ name: "Redis", url, headers: { authorization: `Bearer ${token}` } }, { fetch: network, now: Date.now });
  const command = async (...words: string[]) => {
    const outcome = await ask({ method: "POST", path: "/", json: words });
    if (outcome.kind === "lost") throw outcome.cause;
    const { result, error } = (jsonOf(outcome.text) ?? {}) as { result?: unknown; error?: unknown };
    if (outcome.status === 200 && result !== undefined) return result;
    if (outcome.status === 401 || outcome.status === 403 || typeof error === "string") throw new RedisRefusal(typeof error === "string" ? error : "WRONGPASS");
    return undefined;
  };
  return yield* redisChecks({ url, setting: "UPSTASH_REDIS_REST_URL", credential: "UPSTASH_REDIS_REST_TOKEN", hasCredential: true, command, now: () => performance.now() });
}
