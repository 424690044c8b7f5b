import { Redis } from "@upstash/redis";
import { beginCall } from "../http/call.ts";
import type { Fetch } from "../http/fetch.ts";
import { jsonOf, upstream, upstreamProblem } from "../http/upstream.ts";
import type { RedisEval } from "./counters.ts";

const TIMEOUT_MS = 100;

/** Redis behind Upstash's REST interface. Throws when it has not answered in 100 ms; nothing is retried. */
export function redis({ url, token, fetch, now }: { url: string; token: string; fetch: Fetch; now: () => number }): RedisEval {
  const { name, send } = upstream({ name: "Redis", url, fetch, now, timeout: TIMEOUT_MS, maxInFlight: 256 });
  const headers = { authorization: `Bearer ${token}` };

  return new Redis({
    async request<T>({ path = [], body }: { path?: string[]; body?: unknown }) {
      const call = beginCall(new Headers(), { now: now(), limit: TIMEOUT_MS });
      const outcome = await send(call, { method: "POST", path: `/${path.join("/")}`, headers, json: body });
      if (outcome.kind === "answer" && outcome.status === 200) return jsonOf(outcome.text) as { result?: T };
      throw upstreamProblem(name, outcome);
    },
  });
}
