import type * as z from "zod";
import { readBounded } from "./bounded.ts";
import { type Call, callHeaders } from "./call.ts";
import type { Fetch } from "./fetch.ts";
import { type Ending, limit } from "./limit.ts";
import { Problem } from "./problem.ts";
import { TooLate } from "./within.ts";

export type UpstreamNeeds = {
  /** As people call it, such as `identity provider`: it stands in problems and logs. */
  name: string;
  /** Base URL without a trailing slash. */
  url: string;
  fetch: Fetch;
  now: () => number;
  /** Milliseconds one exchange may take; the deadline of the call shortens it. */
  timeout: number;
  /** Exchanges under way at once; one more is refused, not queued. */
  maxInFlight?: number;
  /** To how few that may come down while they are late: where one that is given up goes on at the system's cost, such as hashing a password. */
  leastInFlight?: number;
  maxAnswerBytes?: number;
};

export type Exchange = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  json?: unknown;
  /** JSON that is written out already, such as several values after each other. */
  text?: string;
  form?: Record<string, string>;
};

/** `lost`: nothing usable came back, so the exchange may or may not have had its effect. */
export type Outcome =
  | { kind: "answer"; status: number; headers: Headers; text: string }
  | { kind: "lost"; reason: "unavailable" | "timeout" | "unusable"; cause: unknown };

export type Answer = Extract<Outcome, { kind: "answer" }>;

export type Upstream = {
  name: string;
  send: (call: Call, exchange: Exchange) => Promise<Outcome>;
};

const DEFAULT_MAX_ANSWER_BYTES = 1024 * 1024;
/** The share of its time that an exchange has to have had for its being late to say anything of the system. */
const TELLING = 0.5;

/** Speaks to one outside system: a deadline, no redirects, a size cap, the call's trace. Judging is the caller's. */
export function upstream(needs: UpstreamNeeds): Upstream {
  const { name, url, fetch, now, timeout, maxInFlight = 32, leastInFlight = maxInFlight, maxAnswerBytes = DEFAULT_MAX_ANSWER_BYTES } = needs;
  const underway = limit({ max: maxInFlight, least: leastInFlight, now });
  const goesOn = leastInFlight < maxInFlight;

  async function send(call: Call, exchange: Exchange): Promise<Outcome> {
    const remaining = Math.min(timeout, call.deadline - now());
    if (remaining <= 0) return lost("timeout", new TooLate("The deadline of the call has passed"));
    // Who gives up early leaves behind what goes on as long as for others.
    const end = underway.begin(now() + (goesOn ? timeout : remaining));
    if (!end) return lost("unavailable", new Error("As many exchanges are under way as may be"));
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let ending: Ending | undefined = "lost";
    const late = new Promise<Outcome>((resolve) => {
      timer = setTimeout(() => resolve(lost("timeout", new TooLate(`No answer within ${remaining} ms`))), remaining);
    });
    try {
      const sent = request(url, exchange, { call, remaining, signal: abort.signal });
      const outcome = await Promise.race([converse(sent, { fetch, maxAnswerBytes }), late]);
      ending = endingOf(outcome);
      if (ending === "late" && goesOn && remaining < TELLING * timeout) ending = undefined;
      return outcome;
    } finally {
      if (ending) end(ending);
      clearTimeout(timer);
      abort.abort();
    }
  }

  return { name, send };
}

async function converse(request: Request, { fetch, maxAnswerBytes }: { fetch: Fetch; maxAnswerBytes: number }): Promise<Outcome> {
  try {
    const response = await fetch(request);
    // A followed redirect would hand our credentials to whoever it names.
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      return lost("unusable", new Error(`Redirected with ${response.status}`));
    }
    const bytes = await readBounded(response.body, maxAnswerBytes);
    if (!bytes) return lost("unusable", new Error(`More than ${maxAnswerBytes} bytes`));
    return { kind: "answer", status: response.status, headers: response.headers, text: new TextDecoder().decode(bytes) };
  } catch (cause) {
    return lost("unavailable", cause);
  }
}

function endingOf(outcome: Outcome): Ending {
  if (outcome.kind === "answer") return "answered";
  return outcome.reason === "timeout" ? "late" : "lost";
}

function request(url: string, exchange: Exchange, on: { call: Call; remaining: number; signal: AbortSignal }): Request {
  const { method, path, query, headers, json, text, form } = exchange;
  const search = query ? `?${new URLSearchParams(query)}` : "";
  const written = json === undefined ? text : JSON.stringify(json);
  const body = written ?? (form && new URLSearchParams(form).toString());
  const type = written === undefined ? form && "application/x-www-form-urlencoded" : "application/json";
  return new Request(`${url}${path}${search}`, {
    method,
    redirect: "manual",
    signal: on.signal,
    headers: {
      accept: "application/json",
      ...callHeaders(on.call, on.remaining),
      ...(type && { "content-type": type }),
      ...headers,
    },
    ...(body !== undefined && { body }),
  });
}

function lost(reason: Extract<Outcome, { kind: "lost" }>["reason"], cause: unknown): Outcome {
  return { kind: "lost", reason, cause };
}

/**
 * The problem an outcome is that its caller has no use for: 503 when the system was not there (or said so),
 * 504 when it was too slow, 502 for anything else. Its own text stays in the cause.
 */
export function upstreamProblem(name: string, outcome: Outcome): Problem {
  const retryAfter = 1;
  if (outcome.kind === "lost") {
    const { reason, cause } = outcome;
    if (reason === "timeout") return new Problem("UPSTREAM_TIMEOUT_504", `The ${name} did not answer in time`, { retryAfter, cause });
    if (reason === "unavailable") return new Problem("UPSTREAM_UNAVAILABLE_503", `The ${name} is not available`, { retryAfter, cause });
    return new Problem("UPSTREAM_BAD_ANSWER_502", `The ${name} gave an unusable answer`, { cause });
  }
  const cause = new Error(`The ${name} answered ${outcome.status}`);
  const isBusy = outcome.status === 429 || outcome.status === 503 || outcome.status === 504;
  return isBusy
    ? new Problem("UPSTREAM_UNAVAILABLE_503", `The ${name} is not available`, { retryAfter, cause })
    : new Problem("UPSTREAM_BAD_ANSWER_502", `The ${name} gave an unusable answer`, { cause });
}

/** Throws unless a GET of `path` answers 200: whether the system is there. */
export async function checkAnswers({ name, send }: Upstream, call: Call, path: string): Promise<void> {
  const outcome = await send(call, { method: "GET", path });
  if (outcome.kind !== "answer" || outcome.status !== 200) throw upstreamProblem(name, outcome);
}

/** The body of `answer` in the shape of `schema`; one of another shape is unusable. */
export function shaped<T>(name: string, answer: Answer, schema: z.ZodType<T>): T {
  const result = schema.safeParse(jsonOf(answer.text));
  if (result.success) return result.data;
  throw unusable(name, "Unexpected shape");
}

export function unusable(name: string, reason: string): Problem {
  return new Problem("UPSTREAM_BAD_ANSWER_502", `The ${name} gave an unusable answer`, { cause: new Error(reason) });
}

/** The JSON in `text`, or undefined: an answer that is not JSON is judged like one of the wrong shape. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
