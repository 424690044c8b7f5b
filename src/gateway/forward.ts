import type { Call } from "../http/call.ts";
import type { Fetch } from "../http/fetch.ts";
import { Problem } from "../http/problem.ts";
import { slots } from "../http/slots.ts";
import { upstreamProblem } from "../http/upstream.ts";
import { hideInPlace, isShown, requestHeaders } from "./headers.ts";

/** A service behind the gateway. */
export type Service = {
  fetch: Fetch;
  /** Base URL without a trailing slash. */
  url: string;
};

export type Forward = (request: Request, on: { target: string; call: Call }) => Promise<Response>;

/** Status of the log line of a request whose client went away; nobody receives it (nginx's number). */
const CLIENT_CLOSED_REQUEST = 499;
const MAX_IN_FLIGHT = 512;
const MEDIA_TYPES = /^(application\/json|application\/problem\+json|text\/plain)\s*(;|$)/i;

/** Hands requests on to one service and its answers back, streaming both, until the deadline of the call. */
export function forwarder(name: string, { service, now }: { service: Service; now: () => number }): Forward {
  const underway = slots({ max: MAX_IN_FLIGHT, now });

  return async (request, { target, call }) => {
    const remaining = call.deadline - now();
    const giveBack = underway.take(call.deadline);
    if (!giveBack) throw unavailable(name, new Error(`${MAX_IN_FLIGHT} requests are under way`));
    const exchange = begin(name, { remaining, client: request.signal, onEnd: giveBack });
    try {
      const headers = requestHeaders(request.headers, call, remaining);
      const answer = service.fetch(outgoing(`${service.url}${target}`, { request, headers, signal: exchange.signal }));
      const response = await Promise.race([answer, exchange.broken]);
      refuseUnusable(name, response);
      return passOn(response, exchange);
    } catch (cause) {
      exchange.end();
      if (request.signal.aborted) return new Response(null, { status: CLIENT_CLOSED_REQUEST });
      throw cause instanceof Problem ? cause : unavailable(name, cause);
    }
  };
}

type Exchange = {
  signal: AbortSignal;
  /** Rejects when the deadline passes or the client goes away. */
  broken: Promise<never>;
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

  return { signal: abort.signal, broken, end };
}

function outgoing(url: string, { request, ...init }: { request: Request; headers: Record<string, string>; signal: AbortSignal }): Request {
  const { method } = request;
  const body = method === "GET" || method === "HEAD" ? null : request.body;
  // Without `duplex` a stream is refused as a body; the platform's types do not know it yet.
  const stream = body && { body, duplex: "half" as const };
  return new Request(url, { method, redirect: "manual", ...init, ...stream });
}

/** A service answers with JSON, plain text or nothing. Anything else comes from something in between. */
function refuseUnusable(name: string, response: Response): void {
  const { status } = response;
  const type = response.headers.get("content-type");
  const isRedirect = status < 200 || (status >= 300 && status < 400);
  const isStrange = type !== null && !MEDIA_TYPES.test(type);
  const isRaw = status >= 500 && !type?.startsWith("application/problem+json");
  if (!isRedirect && !isStrange && !isRaw) return;
  response.body?.cancel().catch(() => {});
  throw upstreamProblem(name, { kind: "answer", status, headers: response.headers, text: "" });
}

function passOn(response: Response, exchange: Exchange): Response {
  if (wasMadeHere(response)) {
    exchange.end();
    hideInPlace(response.headers);
    return response;
  }
  const { status, body } = response;
  const headers = [...response.headers].filter(([name, value]) => isShown(name, value));
  if (body === null) exchange.end();
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
