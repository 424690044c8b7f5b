import { Redis } from "@upstash/redis";
import { beginCall } from "../http/call.ts";
import type { Fetch } from "../http/fetch.ts";
import { jsonOf, upstream, upstreamProblem } from "../http/upstream.ts";
import type { RedisEval } from "./counters.ts";

const TIMEOUT_MS = 100;

type RedisNeeds = { url: string; token: string; fetch: Fetch; now: () => number; timeout?: number };

/** Redis behind Upstash's REST interface. Throws when it has not answered in `timeout` milliseconds, 100 unless given; nothing is retried. */
export function redis({ url, token, fetch, now, timeout = TIMEOUT_MS }: RedisNeeds): RedisEval {
  const { name, send } = upstream({ name: "Redis", url, fetch, now, timeout, maxInFlight: 256 });
  const headers = { authorization: `Bearer ${token}` };

  return new Redis({
    async request<T>({ path = [], body }: { path?: string[]; body?: unknown }) {
      const call = beginCall(new Headers(), { now: now(), limit: timeout });
      const outcome = await send(call, { method: "POST", path: `/${path.join("/")}`, headers, json: body });
      if (outcome.kind === "answer" && outcome.status === 200) return jsonOf(outcome.text) as { result?: T };
      throw upstreamProblem(name, outcome);
    },
  });
}
