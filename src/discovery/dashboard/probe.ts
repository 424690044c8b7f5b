import type { Call } from "../../http/call.ts";
import type { Fetch } from "../../http/fetch.ts";
import type { Sharing } from "../../http/held-token.ts";
import { type Outcome, upstream } from "../../http/upstream.ts";
import { type Health, readHealth } from "./probe-health.ts";

/** `key`: the same for the same instance; one URL may mean different services where a binding leads there. */
export type Target = { key: string; url: URL; fetch: Fetch };

/** What asking an instance for its health came to; `untold`: it is there, but keeps its health to itself. */
export type Probe = { kind: "health"; health: Health } | { kind: "untold"; reason: string } | { kind: "silent"; reason: string };

export type Prober = (target: Target, call: Call) => Promise<Probe | undefined>;

const PROBE_TIMEOUT_MS = 1000;
const KEPT_MS = 3000;
const MAX_KEPT = 1000;
const MAX_AT_ONCE = 16;
const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * Asks instances for their health: so many at once, each at most once in three seconds however many people look.
 * Undefined where the call had no second left when it was the target's turn.
 */
export function prober({ now, sharesPending }: Sharing): () => Prober {
  const kept = new Map<string, { at: number; probe: Probe }>();
  const pending = new Map<string, Promise<Probe | undefined>>();
  const together = pool(MAX_AT_ONCE);

  async function ask({ key, url, fetch }: Target, call: Call): Promise<Probe | undefined> {
    if (call.deadline - now() < PROBE_TIMEOUT_MS) return undefined;
    const { send } = upstream({ name: "instance", url: url.origin, fetch, now, timeout: PROBE_TIMEOUT_MS, maxAnswerBytes: MAX_ANSWER_BYTES });
    const probe = judge(await send(call, { method: "GET", path: `${url.pathname}${url.search}` }));
    keep(key, probe);
    return probe;
  }

  function keep(key: string, probe: Probe): void {
    kept.delete(key);
    kept.set(key, { at: now(), probe });
    for (const oldest of kept.keys()) {
      if (kept.size <= MAX_KEPT) break;
      kept.delete(oldest);
    }
  }

  function isFresh(at: number): boolean {
    const age = now() - at;
    return age >= 0 && age < KEPT_MS;
  }

  // Of a runtime whose requests may not wait for each other, each request has a queue of its own.
  return () => {
    const run = sharesPending ? together : pool(MAX_AT_ONCE);
    return async (target, call) => {
      const { key } = target;
      const known = kept.get(key);
      if (known && isFresh(known.at)) return known.probe;
      const begin = () => run(() => ask(target, call));
      if (!sharesPending) return begin();
      const underway = pending.get(key) ?? begin().finally(() => pending.delete(key));
      pending.set(key, underway);
      return underway;
    };
  };
}

function judge(outcome: Outcome): Probe {
  if (outcome.kind === "lost") return { kind: "silent", reason: REASONS[outcome.reason] };
  const health = readHealth(outcome.text);
  if (health) return { kind: "health", health };
  const { status } = outcome;
  // A service without Actuator answers 404 here, one that guards it 401 or 403: neither is ill.
  if ([401, 403, 404, 405].includes(status)) return { kind: "untold", reason: `Its health address answers ${status}` };
  return { kind: "silent", reason: status === 200 ? "It answers, but not with its health" : `Its health address answers ${status}` };
}

const REASONS = {
  timeout: "No answer within a second",
  unavailable: "It cannot be reached",
  unusable: "It gives no usable answer",
};

/** Runs at most `max` at once, the rest in their turn. */
function pool(max: number) {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async function run<T>(task: () => Promise<T>): Promise<T> {
    if (running < max) running += 1;
    else await new Promise<void>((resolve) => void waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
