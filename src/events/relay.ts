import type { Database } from "../database/client.ts";
import { slots } from "../http/slots.ts";
import { TOPICS } from "./catalogue.ts";
import { relayStore } from "./relay-store.ts";
import { topicRelay, type TopicRelayNeeds } from "./relay-topic.ts";

export type RelayNeeds = Omit<TopicRelayNeeds, "store"> & { db: Database };

export type Relay = ReturnType<typeof relay>;

/** One run: long enough to be worth its beginning, short enough to wait for when the process ends. */
const RUN_MS = 5000;
/** What is under way at the end of a run ends within this. */
const END_MS = 20_000;
const KEPT_MS = 24 * 3600_000;
const TIDY_EVERY_MS = 60_000;
const TIDIED_AT_ONCE = 2000;

/**
 * Sends what the outbox holds to the broker: each event at least once, under the same id, and in order for each key, which
 * any number of relays keep together, however they end. `run` is to be called every second or so, and after what writes events.
 */
export function relay({ db, ...needs }: RelayNeeds) {
  const { now } = needs;
  const store = relayStore(db);
  const topics = Object.entries(TOPICS).map(([name, { partitions }]) => topicRelay({ name, partitions }, { ...needs, store }));
  const underway = slots({ max: 1, now });
  let tidyAt = 0;

  /** Removes what was sent a day ago: until then it can be looked at. */
  async function tidy(until: number): Promise<void> {
    if (now() < tidyAt) return;
    tidyAt = now() + TIDY_EVERY_MS;
    while ((await store.removeSent({ before: now() - KEPT_MS, limit: TIDIED_AT_ONCE })) === TIDIED_AT_ONCE && now() < until);
  }

  return {
    /** Does nothing while another run of the same relay is under way. Rejects when the database is not there. */
    async run(): Promise<void> {
      const until = now() + RUN_MS;
      const giveBack = underway.take(until + END_MS);
      if (!giveBack) return;
      try {
        const runs = await Promise.allSettled(topics.map(({ run }) => run(until)));
        for (const result of runs) if (result.status === "rejected") throw result.reason;
        await tidy(until);
      } finally {
        giveBack();
      }
    },
  };
}
