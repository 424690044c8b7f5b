import { neon, neonConfig } from "@neondatabase/serverless";
import { drizzle, type NeonHttpDatabase } from "drizzle-orm/neon-http";
import { readBounded } from "../http/bounded.ts";
import type { Fetch } from "../http/fetch.ts";
import { jsonOf, type Outcome, upstreamProblem } from "../http/upstream.ts";
import { isAway } from "./failure.ts";

export type Database = NeonHttpDatabase;

export type DatabaseNeeds = {
  /** `postgres://…`; sent to the endpoint with each statement. */
  url: string;
  /** The `POST /sql` endpoint; without it, the one that Neon derives from the host of `url`. */
  endpoint?: string | undefined;
  fetch: Fetch;
  /** Milliseconds one statement may take; a batch may take twice as long. */
  timeout: number;
};

/** What the driver asks of a response. */
type Reply = { ok: boolean; status: number; json: () => Promise<unknown> };

type Via = { needs: DatabaseNeeds; body: string; headers: Record<string, string> };

const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

// The driver takes its fetch from a global; each client hands its own in through the options of the call.
neonConfig.fetchFunction = (url: string, { needs, ...init }: Via) => send(url, init, needs);

/**
 * A drizzle database over SQL-over-HTTP: the same driver in front of Neon, PGlite and an ordinary Postgres.
 * What Postgres refuses is an error with its `code` and `constraint` in the chain of causes; a database that is
 * away, late or talks nonsense is a Problem in that chain.
 */
export function database(needs: DatabaseNeeds): Database {
  return drizzle(neon(needs.url, { fetchOptions: { needs } }));
}

async function send(url: string, { body, headers }: Omit<Via, "needs">, { endpoint, fetch, timeout }: DatabaseNeeds): Promise<Reply> {
  // Of a batch the driver sends no header unless asked for an isolation level; its body always begins like this.
  const isBatch = body.startsWith('{"queries":');
  const limit = isBatch ? 2 * timeout : timeout;
  const abort = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<Outcome>((resolve) => {
    const cause = new Error(`No answer within ${limit} ms`);
    timer = setTimeout(() => resolve({ kind: "lost", reason: "timeout", cause }), limit);
  });
  try {
    // A followed redirect would hand the connection string to whoever it names.
    const request = new Request(endpoint ?? url, { method: "POST", headers, body, redirect: "manual", signal: abort.signal });
    return replyIn(await Promise.race([converse(request, fetch), late]), isBatch);
  } finally {
    clearTimeout(timer);
    abort.abort();
  }
}

async function converse(request: Request, fetch: Fetch): Promise<Outcome> {
  try {
    const { status, headers, body } = await fetch(request);
    const bytes = await readBounded(body, MAX_ANSWER_BYTES);
    if (!bytes) return { kind: "lost", reason: "unusable", cause: new Error(`More than ${MAX_ANSWER_BYTES} bytes`) };
    return { kind: "answer", status, headers, text: new TextDecoder().decode(bytes) };
  } catch (cause) {
    return { kind: "lost", reason: "unavailable", cause };
  }
}

function replyIn(outcome: Outcome, isBatch: boolean): Reply {
  if (outcome.kind === "lost") throw upstreamProblem("database", outcome);
  const { status } = outcome;
  const body = jsonOf(outcome.text) as { results?: unknown; rows?: unknown; message?: unknown; code?: unknown } | undefined | null;
  const isResult = status === 200 && Array.isArray(isBatch ? body?.results : body?.rows);
  const isRefusal = status === 400 && typeof body?.message === "string";
  // On Workers a host that is not there is an answer too (520 to 530), made by who stands before it.
  if (status >= 500 || (isRefusal && isAway(body?.code))) {
    const cause = new Error(`The database answered ${status} ${body?.code ?? ""}`.trim());
    throw upstreamProblem("database", { kind: "lost", reason: "unavailable", cause });
  }
  if (isResult || isRefusal) return { ok: isResult, status, json: async () => body };
  throw upstreamProblem("database", outcome);
}
