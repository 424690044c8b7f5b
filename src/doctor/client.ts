import { beginCall } from "../http/call.ts";
import type { Fetch } from "../http/fetch.ts";
import { type Exchange, type Outcome, upstream } from "../http/upstream.ts";

/** The times are when it was asked, for its clock. */
export type Asked = Outcome & { began: number; ended: number };

export type Answered = Extract<Asked, { kind: "answer" }>;

/** Asks one system. */
export type Ask = (exchange: Exchange) => Promise<Asked>;

export type Outside = { fetch: Fetch; now: () => number };

/** Milliseconds: longer than the platform waits, so that slow can be told from away. */
const TIMEOUT_MS = 5000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** Speaks to the system at `url` without judging; `headers` go with every request. */
export function askOf({ name, url, headers = {} }: { name: string; url: string; headers?: Record<string, string> }, { fetch, now }: Outside): Ask {
  const server = upstream({ name, url, fetch, now, timeout: TIMEOUT_MS, maxAnswerBytes: MAX_ANSWER_BYTES });
  return async (exchange) => {
    const began = now();
    const call = beginCall(new Headers(), { now: began, limit: TIMEOUT_MS });
    const outcome = await server.send(call, { ...exchange, headers: { ...headers, ...exchange.headers } });
    return { ...outcome, began, ended: now() };
  };
}
