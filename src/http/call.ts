/** What one incoming request hands on to every outgoing one. */
export type Call = {
  requestId: string;
  /** 32 hex digits (W3C Trace Context, `trace-id`). */
  traceId: string;
  traceparent: string;
  /** Milliseconds since the epoch: nothing done for this request outlives it. */
  deadline: number;
};

/** Milliseconds the caller still waits, sent from service to service; it can only shorten a deadline. */
const DEADLINE_HEADER = "x-deadline-ms";

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})$/;
const REQUEST_ID = /^[A-Za-z0-9._-]{8,64}$/;

/** The call that the request with these headers begins; it may last `limit` milliseconds. */
export function beginCall(headers: Headers, { now, limit }: { now: number; limit: number }): Call {
  const [, trace, flags] = TRACEPARENT.exec(headers.get("traceparent") ?? "") ?? [];
  const traceId = trace ?? randomHex(16);
  const id = headers.get("x-request-id") ?? "";
  const handedOn = headers.get(DEADLINE_HEADER);
  const left = handedOn !== null && /^\d{1,6}$/.test(handedOn) ? Number(handedOn) : limit;
  return {
    requestId: REQUEST_ID.test(id) ? id : randomHex(16),
    traceId,
    traceparent: `00-${traceId}-${randomHex(8)}-${flags ?? "01"}`,
    deadline: now + Math.min(limit, left),
  };
}

/** The headers by which the next service joins the call. */
export function callHeaders(call: Call, remaining: number): Record<string, string> {
  return {
    "x-request-id": call.requestId,
    traceparent: call.traceparent,
    [DEADLINE_HEADER]: String(Math.max(0, Math.floor(remaining))),
  };
}

/** From a UUID: one native call, where bytes written out digit by digit cost a tenth of a proxied request. */
function randomHex(bytes: 8 | 16): string {
  return crypto.randomUUID().replaceAll("-", "").slice(-2 * bytes);
}
