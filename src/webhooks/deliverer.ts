import { describe, type Log } from "../http/log.ts";
import { problemIn } from "../http/problem.ts";
import { within } from "../http/within.ts";
import { attempt, type AttemptNeeds, type Result, TIMEOUT_MS } from "./attempt.ts";
import type { DeliveryStore, Failed, Taken } from "./delivery-store.ts";
import { pauseAfter, wishIn } from "./schedule.ts";

export type DelivererNeeds = AttemptNeeds & {
  store: DeliveryStore;
  log: Log;
  service: string;
  /** Uniform in [0, 1). */
  random: () => number;
  newId: () => string;
  /** Whether an attempt may outlive the run that began it; not on Workers. */
  sharesPending: boolean;
};

/** So often it is looked whether more is due, while what is under way takes its time. */
const LOOK_EVERY_MS = 500;
/** Attempts under way at once; endpoints that fail, which may each take the whole of its time, have half of it at most. */
const AT_ONCE = 32;
const RUN_MS = 5000;
/** Longer than an attempt and its note last. */
const LEASE_MS = TIMEOUT_MS + 30_000;
/** An endpoint that has failed for so long, without a success, is disabled. */
const HOPELESS_MS = 5 * 24 * 3600_000;
/** How long an overloaded receiver is left alone that does not say how long. */
const REST_MS = 30_000;
/** No wish is met for longer than this by leaving everything of an endpoint: it may be about one event. */
const LONGEST_REST_MS = 3600_000;
const OVERLOADED: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Delivers what is due, until nothing is or the run's time is over. Any number may run, in any number of processes. */
export function deliverer(needs: DelivererNeeds) {
  const { store, now, random, newId, log, service } = needs;
  // Counted by when they end at the latest: where a request ends early, nothing tells that its attempts have.
  const underway = new Set<{ until: number; isFailing: boolean }>();

  async function run(): Promise<void> {
    const until = now() + RUN_MS;
    const mine = new Set<Promise<void>>();
    while (now() < until) {
      const begun = await begin(mine);
      if (begun === 0 && mine.size === 0) return;
      if (mine.size > 0) await firstOf(mine, LOOK_EVERY_MS);
    }
    if (!needs.sharesPending) await Promise.all(mine);
  }

  /** Begins what may be begun now, and answers how many. */
  async function begin(mine: Set<Promise<void>>): Promise<number> {
    for (const entry of underway) if (entry.until <= now()) underway.delete(entry);
    const limit = AT_ONCE - underway.size;
    if (limit <= 0) return 0;
    const failing = AT_ONCE / 2 - [...underway].filter(({ isFailing }) => isFailing).length;
    const lease = { holder: newId(), until: now() + LEASE_MS };
    const taken = await store.take({ lease, now: now(), limit, failing: Math.max(0, failing) });
    for (const one of taken) {
      const entry = { until: lease.until, isFailing: one.endpoint.isFailing };
      underway.add(entry);
      const delivery: Promise<void> = deliver(one, lease.holder).finally(() => {
        underway.delete(entry);
        mine.delete(delivery);
      });
      mine.add(delivery);
    }
    return taken.length;
  }

  /** Rejects never: what is not noted is sent again when its lease has ended. */
  async function deliver(taken: Taken, holder: string): Promise<void> {
    try {
      const result = await attempt(needs, taken);
      if (result.kind === "arrived") {
        const note = () => store.arrived(taken, now());
        return await note().catch(note);
      }
      const failed = { ...judge(result, taken), holder, now: now(), hopelessSince: now() - HOPELESS_MS };
      const disabledBy = await store.failed(taken, failed);
      if (disabledBy) log({ level: "warn", service, message: `Disabled the webhook "${taken.endpoint.id}": ${WHY[disabledBy]}` });
      if (result.kind === "unreadable-secret") log({ level: "error", service, message: `Cannot sign for the webhook "${taken.endpoint.id}": its secret was sealed with another key` });
    } catch (error) {
      const level = problemIn(error) ? "warn" : "error";
      log({ level, service, message: "Cannot note what came of a webhook's delivery", error: describe(error) });
    }
  }

  function judge({ kind, status, retryAfter }: Exclude<Result, { kind: "arrived" }>, { attempts }: Taken): Failed {
    const isOverloaded = status !== null && OVERLOADED.has(status);
    const wish = isOverloaded ? wishIn(retryAfter, now()) : undefined;
    const rest = isOverloaded ? Math.min(wish ?? REST_MS, LONGEST_REST_MS) : undefined;
    const pause = pauseAfter(attempts, random);
    return {
      kind,
      status,
      due: pause === undefined ? null : now() + Math.max(pause, wish ?? 0),
      restsUntil: rest === undefined ? null : now() + rest,
      isGone: status === 410,
    };
  }

  return { run };
}

/** Waits for the first of `promises` to end, for `limit` milliseconds at most. */
async function firstOf(promises: Iterable<Promise<void>>, limit: number): Promise<void> {
  await within(limit, Promise.race(promises)).catch(() => {});
}

const WHY = {
  receiver: "its receiver answered 410, it wants no more",
  failures: "it has failed for days, without one success",
};
