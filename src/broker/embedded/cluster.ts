import type { BasicCredential } from "../../http/basic.ts";
import type { Log } from "../../http/log.ts";
import { problemIn } from "../../http/problem.ts";
import type { Database } from "../../database/client.ts";
import { toBase64 } from "../../passwords/base64.ts";
import type { Cluster } from "../rest/cluster.ts";
import { inRefusals } from "../rest/in-refusals.ts";
import { away, badRequest, invalidTopic, type Refusal, unknownTopic } from "../rest/refusal.ts";
import { INTERNAL_TOPICS } from "../topic-name.ts";
import { findCluster, provideCluster } from "./cluster-store.ts";
import { append } from "./records/append.ts";
import { readRecords } from "./records/store.ts";
import { configEntries, configFault } from "./topics/configs.ts";
import { checkSize, createTopic, NODE } from "./topics/creation.ts";
import { addPartitions, changeConfigs, deleteTopic, findTopic, listTopics } from "./topics/store.ts";
import { shown, type EmbeddedTopic } from "./topics/topic.ts";

export type BrokerNeeds = {
  db: Database;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** What callers must present (RFC 7617); without it, everybody may come in. */
  credentials?: BasicCredential | undefined;
  /** Hears of defects; without it, they go to the console. */
  log?: Log | undefined;
};

/** As many as Kafka gives each of its own. */
const INTERNAL_PARTITIONS = 50;

/** A log of one node in our database, whose statements have deadlines of their own. */
export function openCluster({ db, now }: Pick<BrokerNeeds, "db" | "now">): Cluster<EmbeddedTopic> {
  let known: string | undefined;

  async function noIncrease(name: string, partitions: number): Promise<Refusal> {
    const topic = await findTopic(db, name);
    if (!topic) return unknownTopic();
    if (topic.partitions === partitions) return badRequest(`Topic already has ${partitions} partition(s).`);
    return badRequest(`The topic ${name} currently has ${topic.partitions} partition(s); ${partitions} would not be an increase.`);
  }

  const cluster: Cluster<EmbeddedTopic> = {
    async about() {
      known ??= (await findCluster(db)) ?? (await makeCluster(db));
      return { id: known, controller: NODE };
    },

    async listTopics(_, withOperations) {
      return (await listTopics(db)).map((topic) => shown(topic, withOperations));
    },

    async findTopic(_, { name, withOperations }) {
      const topic = await findTopic(db, name);
      return topic && shown(topic, withOperations);
    },

    async createTopic(_, body) {
      return shown(await createTopic(db, body), false);
    },

    async addPartitions(_, { topic: { name }, partitions }) {
      checkSize(partitions);
      if (!(await addPartitions(db, { name, partitions }))) throw await noIncrease(name, partitions);
    },

    async deleteTopic(_, { name, isInternal }) {
      // Kafka lets go even of its own; here they are made at the first start only.
      if (isInternal) throw invalidTopic();
      if (!(await deleteTopic(db, name))) throw unknownTopic();
    },

    async configs(_, { stored }) {
      return configEntries(stored.configs);
    },

    async changeConfigs(_, { topic, changes: { set, unset, isTrial } }) {
      const fault = Object.entries(set).map(([name, value]) => configFault(name, value)).find((found) => found !== undefined);
      if (fault !== undefined) throw badRequest(fault);
      if (!isTrial && !(await changeConfigs(db, topic.name, { set, unset }))) throw unknownTopic();
    },

    append: (_, { topic, records }) => append({ db, now: now() }, topic.stored, records),

    range: (_, { topic, partition }) => readRecords(db, { topic: topic.stored.id, partition, offset: 0, max: 0, maxBytes: 0 }),

    async read(_, { topic, ...from }) {
      const stretch = await readRecords(db, { topic: topic.stored.id, ...from });
      return stretch && { ...stretch, next: (stretch.records.at(-1)?.offset ?? (from.offset ?? stretch.earliest) - 1) + 1 };
    },
  };
  return inRefusals(cluster, (error) => (isAway(error) ? away() : error));
}

/** Whether the database did not answer. */
function isAway(error: unknown): boolean {
  return (problemIn(error)?.status ?? 0) >= 503;
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
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").slice(0, 22);
}
