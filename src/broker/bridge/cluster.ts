import type { Log } from "../../http/log.ts";
import { pause } from "../../http/pause.ts";
import type { Cluster, Topic } from "../rest/cluster.ts";
import { inRefusals } from "../rest/in-refusals.ts";
import type { NewTopicBody } from "../rest/topics/schema.ts";
import type { KafkaClient } from "./client.ts";
import { demandDone } from "./judgement.ts";
import { kafkaProducer } from "./producing/producer.ts";
import { alterConfigsRequest, describeConfigsRequest } from "./protocol/configs.ts";
import type { Request } from "./protocol/request.ts";
import { createPartitionsRequest, createTopicRequest, deleteTopicRequest } from "./protocol/topics.ts";
import type { Decompress } from "./records/compression.ts";
import { kafkaReader } from "./reading.ts";
import { answerless, findTopic, topicIn } from "./topics.ts";

type KafkaNeeds = { client: KafkaClient; now: () => number; log: Log; decompress: Decompress };

/** Kafka answers what it could not do in time, and we hear of it. */
const MARGIN_MS = 250;
/** A change is known to all nodes a little later than it is made. */
const VISIBLE_WITHIN_MS = 1000;
const PAUSE_MS = 10;
/** More than any Kafka has; each takes its place here. */
const MAX_PARTITIONS = 200_000;

/** A real Kafka, by its own protocol. */
export function kafkaCluster({ client, now, log, decompress }: KafkaNeeds): Cluster {
  const append = kafkaProducer({ client, now, log });
  const reader = kafkaReader({ client, now, log, decompress });

  /** Asks the node that leads the cluster to change something, once. */
  async function change<Answer>(until: number, make: (timeout: number) => Request<Answer>): Promise<Answer> {
    const timeout = Math.max(1, until - now() - MARGIN_MS);
    const node = client.controller();
    return client.ask(make(timeout), { lane: "changing", until, ...(node !== undefined && { node }) });
  }

  async function seen(until: number, { name, isAsMeant }: { name: string; isAsMeant: (topic: Topic | undefined) => boolean }): Promise<Topic | undefined> {
    const limit = Math.min(until, now() + VISIBLE_WITHIN_MS);
    for (let wait = PAUSE_MS; ; wait *= 2) {
      const topic = await findTopic(client, limit, { name }).catch(() => "unseen" as const);
      if (topic === "unseen") return undefined;
      if (isAsMeant(topic) || now() + wait >= limit) return topic;
      await pause(wait);
    }
  }

  const cluster: Cluster = {
    async about(until) {
      const { clusterId, controller } = await client.metadata(until, { topics: [] });
      return { id: clusterId, controller };
    },

    async listTopics(until, withOperations) {
      const { topics } = await client.metadata(until, { topics: null, withOperations });
      return topics.filter(({ isInternal }) => !isInternal).map(topicIn).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },

    findTopic: (until, asked) => findTopic(client, until, asked),

    async createTopic(until, body) {
      const made = await change(until, (timeout) => createTopicRequest(newTopic(body, timeout)));
      demandDone(made);
      const { topic_name: name } = body;
      const isLed = (topic: Topic | undefined) => topic?.leaders.every((leader) => leader >= 0) === true;
      const found = body.validate_only === true ? undefined : await seen(until, { name, isAsMeant: isLed });
      const assigned = Object.values(body.replicas_assignments ?? {});
      // Who must not know a topic's configuration is not told what has become of it.
      const partitions = known(made?.partitions) ?? found?.leaders.length ?? (assigned.length || body.partitions_count) ?? 0;
      if (partitions > MAX_PARTITIONS) throw new Error(`Cannot show a topic of ${partitions} partitions`);
      const replicationFactor = known(made?.replicationFactor) ?? found?.replicationFactor ?? assigned[0]?.length ?? body.replication_factor ?? -1;
      return { name, isInternal: false, replicationFactor, leaders: Array.from<number>({ length: partitions }).fill(-1), operations: [] };
    },

    async addPartitions(until, { topic: { name }, partitions }) {
      demandDone(await change(until, (timeout) => createPartitionsRequest({ name, partitions, timeout })));
      await seen(until, { name, isAsMeant: (topic) => (topic?.leaders.length ?? 0) >= partitions });
    },

    async deleteTopic(until, { name }) {
      demandDone(await change(until, (timeout) => deleteTopicRequest({ name, timeout })));
      await seen(until, { name, isAsMeant: (topic) => topic === undefined });
    },

    async configs(until, { name }) {
      const found = await client.look(describeConfigsRequest(name), { lane: "asking", until });
      demandDone(found);
      return (found?.configs ?? []).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },

    async changeConfigs(until, { topic: { name }, changes }) {
      demandDone(await change(until, () => alterConfigsRequest({ topic: name, ...changes })));
    },

    append,
    range: reader.range,
    read: reader.read,
  };
  return inRefusals(cluster, answerless);
}

function known(number = -1): number | undefined {
  return number < 0 ? undefined : number;
}

function newTopic({ topic_name, partitions_count, replication_factor, replicas_assignments, configs, validate_only }: NewTopicBody, timeout: number) {
  const assignments = Object.entries(replicas_assignments ?? {}).map(([partition, nodes]) => ({ partition: Number(partition), nodes }));
  const isAssigned = assignments.length > 0;
  return {
    name: topic_name,
    partitions: isAssigned ? -1 : (partitions_count ?? -1),
    replicationFactor: isAssigned ? -1 : (replication_factor ?? -1),
    assignments,
    configs: (configs ?? []).map(({ name, value }) => ({ name, value: value ?? null })),
    isTrial: validate_only === true,
    timeout,
  };
}
