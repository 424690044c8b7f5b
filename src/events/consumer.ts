import type { RecordReader } from "../broker/reading.ts";
import type { Database } from "../database/client.ts";
import { beginCall, type Call } from "../http/call.ts";
import type { Health } from "../http/health.ts";
import { describe, type Log } from "../http/log.ts";
import { problemIn } from "../http/problem.ts";
import type { Handled } from "./consumer-deliveries.ts";
import { advance, type PartitionNeeds } from "./consumer-partition.ts";
import { consumerStore, type Effect } from "./consumer-store.ts";

export type ConsumerNeeds = {
  /** Runners of the same name share their positions: each event has one effect, whichever of them meets it. */
  name: string;
  topics: readonly string[];
  types: Handled;
  effect: Effect;
  db: Database;
  reader: RecordReader;
  now: () => number;
  log: Log;
  /** In whose log it tells. */
  service: string;
};

export type Run = {
  /** Events that had their effect now, of this runner. */
  applied: number;
  /** Records passed over because they are no events. */
  unreadable: number;
  /** `at-end`: every effect was had of what the broker had when the run began. */
  state: "at-end" | "waiting" | "away" | "unsupported";
};

export type Consumer = {
  /** Reads on from where the consumer stands, for `limit` milliseconds at most. */
  run: (limit?: number) => Promise<Run>;
  check: () => Promise<Health>;
};

const RUN_MS = 5000;
/** How long it is remembered what the broker is like: the number of partitions, and whether it can be read at all. */
const OPENED_MS = 60_000;
/** Ids are kept for longer than brokers keep records unless told otherwise (seven days). */
const KEPT_MS = 14 * 24 * 3600_000;
const PRUNE_EVERY_MS = 60_000;

type Opened = { found: Awaited<ReturnType<RecordReader["open"]>>; until: number };

/**
 * Has each event's effect once: effect, note of its id and move of the position are one statement, which does nothing where
 * the position no longer stands. What cannot be handled stops its partition, and is given up after some tries.
 */
export function consumer(needs: ConsumerNeeds): Consumer {
  const { name, topics, reader, now, log, service } = needs;
  const store = consumerStore(needs.db, needs);
  const opened = new Map<string, Opened>();
  let state: Run["state"] | undefined;
  let prunedAt = now();

  const tell: PartitionNeeds["tell"] = (level, message, error) =>
    log({ level, service, message: `Consumer "${name}": ${message}`, ...(error !== undefined && { error: describe(error) }) });
  const partition: PartitionNeeds = { ...needs, store, tell };

  async function open(call: Call, topic: string): Promise<Opened["found"]> {
    const known = opened.get(topic);
    if (known && known.until > now()) return known.found;
    const found = await reader.open(call, topic);
    // One that is missing may be made at any moment.
    if (found.outcome !== "missing") opened.set(topic, { found, until: now() + OPENED_MS });
    return found;
  }

  async function follow(call: Call, run: Run): Promise<void> {
    for (const topic of topics) {
      const found = await open(call, topic);
      if (found.outcome === "unsupported") run.state = found.outcome;
      if (found.outcome !== "open") continue;
      const { partitions } = found;
      const positions = await store.positions(topic, partitions);
      // One after another: of a few partitions each is soon read, and a Worker has six connections for everything.
      for (const position of positions.filter((at) => at.partition < partitions)) {
        const { applied, unreadable, state } = await advance(partition, call, position);
        run.applied += applied;
        run.unreadable += unreadable;
        if (state === "waiting") run.state = state;
      }
    }
  }

  function enter(next: Run["state"], error?: unknown): void {
    if (next === "away" && state !== next) tell("warn", "Cannot read on: the broker or the database is away", error);
    if (next === "unsupported" && state !== next) tell("warn", "Cannot read: the broker's REST interface has no reading");
    state = next;
  }

  return {
    async run(limit = RUN_MS) {
      const run: Run = { applied: 0, unreadable: 0, state: "at-end" };
      try {
        await follow(beginCall(new Headers(), { now: now(), limit }), run);
        enter(run.state);
        if (prunedAt <= now() - PRUNE_EVERY_MS) {
          prunedAt = now();
          await store.prune(now() - KEPT_MS);
        }
        return run;
      } catch (error) {
        if (!problemIn(error)) throw error;
        enter("away", error);
        return { ...run, state: "away" };
      }
    },

    async check() {
      if (state === "unsupported") return { status: "UNKNOWN", details: { error: "The broker's REST interface has no reading" } };
      const { stopped, givenUp, caughtUpAt, partitions } = await store.state();
      const details = { partitions, stopped, givenUp, ...(caughtUpAt !== null && { caughtUpAt: new Date(caughtUpAt).toISOString() }) };
      return { status: state === "away" || stopped > 0 ? "DOWN" : "UP", details };
    },
  };
}
