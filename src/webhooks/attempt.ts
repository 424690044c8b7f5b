import { beginCall } from "../http/call.ts";
import { envelopeOf } from "../events/envelope.ts";
import type { Fetch } from "../http/fetch.ts";
import { type Exchange, type Outcome, upstream } from "../http/upstream.ts";
import { within } from "../http/within.ts";
import type { Sealing } from "../passwords/sealing.ts";
import { isAddress, isClosedAddress, type Openness, urlFault } from "./address.ts";
import type { FailureKind, Taken } from "./delivery-store.ts";
import { signatures } from "./signature.ts";

export type AttemptNeeds = {
  fetch: Fetch;
  /** The addresses of a host, where the runtime tells them. */
  resolve?: ((host: string) => Promise<string[]>) | undefined;
  openness: Openness;
  opening: Pick<Sealing, "open">;
  now: () => number;
  /** Milliseconds that a receiver has. */
  timeout?: number;
};

/** What came of an attempt; `retryAfter` is the receiver's header. */
export type Result = { kind: "arrived" } | { kind: FailureKind; status: number | null; retryAfter: string | null };

/** What a receiver has to answer: the least of what Standard Webhooks recommends. */
export const TIMEOUT_MS = 15_000;
const RESOLVE_MS = 3000;

/** Sends one event once: signed, to no address that is private, following nothing, reading nothing of the answer but its head. */
export async function attempt(needs: AttemptNeeds, { event, endpoint }: Taken): Promise<Result> {
  const { now, opening, timeout = TIMEOUT_MS } = needs;
  const secrets = await Promise.all(endpoint.secrets.map((sealed) => opening.open(sealed, endpoint.id))).catch(() => undefined);
  if (!secrets) return failure("unreadable-secret");
  const call = beginCall(new Headers(), { now: now(), limit: timeout });
  const fault = await addressFault(needs, endpoint.url);
  if (fault) return failure(fault);
  const receiver = upstream({ name: "receiver", url: endpoint.url, fetch: headOnly(needs.fetch), now, timeout });
  const body = JSON.stringify(envelopeOf(event));
  const timestamp = Math.floor(now() / 1000);
  return resultOf(await receiver.send(call, await exchange({ id: event.id, timestamp, body }, secrets)));
}

async function exchange(message: { id: string; timestamp: number; body: string }, secrets: string[]): Promise<Exchange> {
  return {
    method: "POST",
    path: "",
    text: message.body,
    headers: {
      accept: "*/*",
      "content-type": "application/cloudevents+json; charset=UTF-8",
      "user-agent": "Gatehouse-Webhooks",
      "webhook-id": message.id,
      "webhook-timestamp": String(message.timestamp),
      "webhook-signature": await signatures(secrets, message),
    },
  };
}

/** What is known of the address before it is connected to; between the two, a name may come to lead elsewhere. */
async function addressFault({ resolve, openness }: AttemptNeeds, url: string): Promise<FailureKind | undefined> {
  // The rules may have become stricter since the endpoint was made.
  if (urlFault(url, openness)) return "private-address";
  const { hostname } = new URL(url);
  if (!resolve || isAddress(hostname)) return undefined;
  const addresses = await within(RESOLVE_MS, resolve(hostname)).catch(() => []);
  if (addresses.length === 0) return "unreachable";
  return addresses.some((address) => isClosedAddress(address, openness)) ? "private-address" : undefined;
}

/** `fetch` without what is nobody's business outside, and without the body of the answer, however long it is. */
function headOnly(fetch: Fetch): Fetch {
  return async (request) => {
    for (const name of ["x-deadline-ms", "x-request-id", "traceparent"]) request.headers.delete(name);
    const { status, headers, body } = await fetch(request);
    body?.cancel().catch(() => {});
    return new Response(null, { status, headers });
  };
}

function resultOf(outcome: Outcome): Result {
  if (outcome.kind === "answer") {
    const { status, headers } = outcome;
    return status < 300 ? { kind: "arrived" } : { kind: "status", status, retryAfter: headers.get("retry-after") };
  }
  // What is unusable is a redirection: nothing else of the answer is looked at.
  if (outcome.reason === "unusable") return failure("redirect");
  return failure(outcome.reason === "timeout" ? "timeout" : "unreachable");
}

function failure(kind: FailureKind): Result {
  return { kind, status: null, retryAfter: null };
}
