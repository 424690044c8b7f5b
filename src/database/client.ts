import { neon, neonConfig } from "@neondatabase/serverless";
import { drizzle, type NeonHttpDatabase } from "drizzle-orm/neon-http";
import { beginCall } from "../http/call.ts";
import type { Fetch } from "../http/fetch.ts";
import { jsonOf, type Outcome, type Upstream, upstream, upstreamProblem } from "../http/upstream.ts";
import { isAway } from "./failure.ts";

export type Database = NeonHttpDatabase;

export type DatabaseNeeds = {
  /** `postgres://…`; sent to the endpoint with each statement. */
  url: string;
  /** The `POST /sql` endpoint; without it, the one that Neon derives from the host of `url`. */
  endpoint?: string | undefined;
  fetch: Fetch;
  now: () => number;
  /** Milliseconds one statement may take; a batch may take twice as long. */
  timeout: number;
};

/** What the driver asks of a response. */
type Reply = { ok: boolean; status: number; json: () => Promise<unknown> };

type Out = Pick<DatabaseNeeds, "now" | "timeout" | "endpoint"> & { send: Upstream["send"] };

type Via = { out: Out; body: string; headers: Record<string, string> };

const NAME = "database";
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
/**
 * Twice the sign-ins that may come at once, each of which has one statement under way: 16 connections work those off
 * within the deadline on two busy cores, where the 32 of other systems would refuse most of the burst. What waits for a
 * connection longer is refused before the deadline.
 */
const MAX_IN_FLIGHT = 512;

// The driver takes its fetch from a global; each client hands its own in through the options of the call.
neonConfig.fetchFunction = (url: string, { out, ...init }: Via) => send(url, init, out);

/**
 * A drizzle database over SQL-over-HTTP: the same driver in front of Neon, PGlite and an ordinary Postgres.
 * What Postgres refuses is an error with its `code` and `constraint` in the chain of causes; a database that is
 * away, late or talks nonsense is a Problem in that chain.
 */
export function database({ url, endpoint, fetch, now, timeout }: DatabaseNeeds): Database {
  // The driver names the whole address with each statement, so there is no base.
  const { send } = upstream({ name: NAME, url: "", fetch, now, timeout: 2 * timeout, maxInFlight: MAX_IN_FLIGHT, maxAnswerBytes: MAX_ANSWER_BYTES });
  return drizzle(neon(url, { fetchOptions: { out: { endpoint, now, timeout, send } } }));
}

async function send(url: string, { body, headers }: Omit<Via, "out">, { endpoint, now, timeout, send }: Out): Promise<Reply> {
  // Of a batch the driver sends no header unless asked for an isolation level; its body always begins like this.
  const isBatch = body.startsWith('{"queries":');
  const call = beginCall(new Headers(), { now: now(), limit: isBatch ? 2 * timeout : timeout });
  return replyIn(await send(call, { method: "POST", path: endpoint ?? url, headers, text: body }), isBatch);
}

function replyIn(outcome: Outcome, isBatch: boolean): Reply {
  if (outcome.kind === "lost") throw upstreamProblem(NAME, outcome);
  const { status } = outcome;
  const body = jsonOf(outcome.text) as { results?: unknown; rows?: unknown; message?: unknown; code?: unknown } | undefined | null;
  const isResult = status === 200 && Array.isArray(isBatch ? body?.results : body?.rows);
  const isRefusal = status === 400 && typeof body?.message === "string";
  // On Workers a host that is not there is an answer too (520 to 530), made by who stands before it.
  if (status >= 500 || (isRefusal && isAway(body?.code))) {
    const cause = new Error(`The database answered ${status} ${body?.code ?? ""}`.trim());
    throw upstreamProblem(NAME, { kind: "lost", reason: "unavailable", cause });
  }
  if (isResult || isRefusal) return { ok: isResult, status, json: async () => body };
  throw upstreamProblem(NAME, outcome);
}
