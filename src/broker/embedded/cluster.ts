import type { Database } from "../../database/client.ts";
import { jsonLog, type Log } from "../../http/log.ts";
import { INTERNAL_TOPICS } from "../topic-name.ts";
import { findCluster, provideCluster } from "./cluster-store.ts";

export type BrokerNeeds = {
  db: Database;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** What callers must present (RFC 7617); without it, everybody may come in. */
  credentials?: { username: string; password: string } | undefined;
  /** From 0 to 1: spreads records that have no key. */
  random?: (() => number) | undefined;
  /** Hears of defects; without it, they go to the console. */
  log?: Log | undefined;
};

/** What the handlers of one embedded broker share. */
export type Cluster = {
  db: Database;
  now: () => number;
  random: () => number;
  log: Log;
  /** The cluster's id, made at the first start. */
  id: () => Promise<string>;
};

/** As many as Kafka gives each of its own. */
const INTERNAL_PARTITIONS = 50;

export function openCluster({ db, now, random = Math.random, log = jsonLog(console.error, now) }: BrokerNeeds): Cluster {
  let known: string | undefined;
  return {
    db,
    now,
    random,
    log,
    async id() {
      known ??= (await findCluster(db)) ?? (await makeCluster(db));
      return known;
    },
  };
}

async function makeCluster(db: Database): Promise<string> {
  await provideCluster(db, { id: newClusterId(), internalTopics: INTERNAL_TOPICS, partitions: INTERNAL_PARTITIONS });
  // Read back: another instance may have been first.
  const id = await findCluster(db);
  if (id === undefined) throw new Error("Cannot make the cluster: the database did not keep it");
  return id;
}

/** 128 random bits in 22 characters, as Kafka writes its ids. */
function newClusterId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").slice(0, 22);
}
