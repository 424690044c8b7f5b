import { type Call, callHeaders } from "../http/call.ts";
import type { Fetch } from "../http/fetch.ts";
import { Problem } from "../http/problem.ts";
import { slots } from "../http/slots.ts";
import { upstreamProblem } from "../http/upstream.ts";
import { hideInPlace, sentHeaders } from "./headers.ts";
import { SERVICE_TERMS, type Terms } from "./terms.ts";

/** A service behind the gateway. */
export type Service = {
  fetch: Fetch;
  /** Base URL without a trailing slash. */
  url: string;
};

/** Hands `request` on to `url`; `headers` are sent besides those that the terms let through. */
export type Forward = (request: Request, on: { url: string; call: Call; headers?: Record<string, string> }) => Promise<Response>;

/** Status of the log line of a request whose client went away; nobody receives it (nginx's number). */
const CLIENT_CLOSED_REQUEST = 499;
const MAX_IN_FLIGHT = 512;

/** Hands requests on to one service and its answers back, streaming both, until the deadline of the call; streams of events for as long as they last. */
export function forwarder(name: string, { fetch, now, terms = SERVICE_TERMS }: { fetch: Fetch; now: () => number; terms?: Terms }): Forward {
  const underway = slots({ max: MAX_IN_FLIGHT, now });

  return async (request, { url, call, headers }) => {
    const remaining = call.deadline - now();
    const giveBack = underway.take(call.deadline);
    if (!giveBack) throw unavailable(name, new FullError(`${MAX_IN_FLIGHT} requests are under way`));
    const exchange = begin(name, { remaining, client: request.signal, onEnd: giveBack });
    try {
      const sent = { ...callHeaders(call, remaining), ...sentHeaders(request.headers, terms), ...headers };
      const answer = fetch(outgoing(url, { request, headers: sent, signal: exchange.signal }));
      const response = await Promise.race([answer, exchange.broken]);
      if (!terms.isUsable(response)) throw unusable(name, response);
      return passOn(response, { exchange, terms });
    } catch (cause) {
      exchange.end();
      if (request.signal.aborted) return new Response(null, { status: CLIENT_CLOSED_REQUEST });
      throw cause instanceof Problem ? cause : unavailable(name, cause);
    }
  };
}

class FullError extends Error {
  override readonly name = "FullError";
}

/** Whether `error` says that too much is under way here, and so nothing of who was to be asked. */
export function isFull(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof FullError;
}

type Exchange = {
  signal: AbortSignal;
  /** Rejects when the deadline passes or the client goes away. */
  broken: Promise<never>;
  /** From here on it may last: for what is no whole answer, but goes on. */
  unbound: () => void;
  end: () => void;
};

function begin(name: string, on: { remaining: number; client: AbortSignal; onEnd: () => void }): Exchange {
  const abort = new AbortController();
  const { promise: broken, reject } = Promise.withResolvers<never>();
  broken.catch(() => {});
  const fail = (reason: Error) => {
    reject(reason);
    abort.abort(reason);
  };
  const leave = () => fail(new Error("The client went away"));
  on.client.addEventListener("abort", leave, { once: true });
  const late = () => {
    const cause = new Error(`No whole answer within ${on.remaining} ms`);
    fail(upstreamProblem(name, { kind: "lost", reason: "timeout", cause }));
  };
  const timer = setTimeout(late, on.remaining);
  let isEnded = false;

  function end(): void {
    if (isEnded) return;
    isEnded = true;
    clearTimeout(timer);
    on.client.removeEventListener("abort", leave);
    on.onEnd();
  }

  function unbound(): void {
    clearTimeout(timer);
    on.onEnd();
  }

  return { signal: abort.signal, broken, unbound, end };
}

function outgoing(url: string, { request, ...init }: { request: Request; headers: Record<string, string>; signal: AbortSignal }): Request {
  const { method } = request;
  const body = method === "GET" || method === "HEAD" ? null : request.body;
  // Without `duplex` a stream is refused as a body; the platform's types do not know it yet.
  const stream = body && { body, duplex: "half" as const };
  return new Request(url, { method, redirect: "manual", ...init, ...stream });
}

function unusable(name: string, { status, headers, body }: Response): Problem {
  body?.cancel().catch(() => {});
  return upstreamProblem(name, { kind: "answer", status, headers, text: "" });
}

function passOn(response: Response, { exchange, terms }: { exchange: Exchange; terms: Terms }): Response {
  if (wasMadeHere(response)) {
    exchange.end();
    hideInPlace(response.headers, terms);
    return response;
  }
  const { status, body } = response;
  const headers = [...response.headers].filter(([name, value]) => terms.isShown(name, value));
  if (body === null) exchange.end();
  // Of a stream of events the deadline is for its head. How long it lasts, and how many there are, its service bounds.
  else if (headers.some(([name, value]) => name === "content-type" && value.startsWith("text/event-stream"))) exchange.unbound();
  return new Response(body && untilEnd(body, exchange), { status, headers });
}

/** The headers of an answer that came over a wire are immutable (Fetch Standard, `guard`). */
function wasMadeHere({ headers }: Response): boolean {
  try {
    headers.delete("connection");
    return true;
  } catch {
    return false;
  }
}

/** `body`, broken off when the exchange is, which ends with it. */
function untilEnd(body: ReadableStream<Uint8Array>, { broken, end }: Exchange): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await Promise.race([reader.read(), broken]);
        if (!done) return controller.enqueue(value);
        end();
        controller.close();
      } catch (error) {
        end();
        reader.cancel(error).catch(() => {});
        controller.error(error);
      }
    },
    cancel(reason) {
      end();
      return reader.cancel(reason);
    },
  });
}

function unavailable(name: string, cause: unknown): Problem {
  return upstreamProblem(name, { kind: "lost", reason: "unavailable", cause });
}
