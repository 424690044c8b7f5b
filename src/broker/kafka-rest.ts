import type { Call } from "../http/call.ts";
import type { Fetch } from "../http/fetch.ts";
import { path } from "../http/path.ts";
import { pause } from "../http/pause.ts";
import { type Exchange, type Outcome, shaped, upstream } from "../http/upstream.ts";
import { operationCodes } from "./acl-operation.ts";
import { type Delivery, type NewRecord, produce } from "./produce.ts";
import { BROKER, brokerProblem, ClustersSchema, errorOf, mayHaveHappened, type TopicData, TopicSchema, TopicsSchema } from "./rest-answer.ts";
import { INTERNAL_TOPICS, topicNameFault } from "./topic-name.ts";

export type KafkaRestNeeds = {
  /** Base URL with the prefix of the installation (`…:8082`, `…:8090/kafka`), without `/v3`. */
  url: string;
  /** The whole `Authorization` header. */
  authorization?: string | undefined;
  fetch: Fetch;
  now: () => number;
};

type Topic = {
  name: string;
  isInternal: boolean;
  partitions: number;
  /** Kafka's AclOperation byte codes; empty in a list, which does not ask for them. */
  authorizedOperations: number[];
};

/** Milliseconds the operation may take: it lowers the five seconds, never raises them. */
type Limit = { timeout?: number | undefined };

type NewTopic = { name: string; partitions: number; replicationFactor: number };

/** `refused`: Kafka's judgement of what was asked, in its own words; anything else that fails is a Problem. */
type TopicCreation = { outcome: "created" } | { outcome: "refused"; reason: string };

export type Broker = {
  listTopics: (call: Call, options: Limit & { includeInternal: boolean }) => Promise<Topic[]>;
  /** `missing` are the names that no topic has, those that none can have among them. */
  describeTopics: (call: Call, options: Limit & { names: string[] }) => Promise<{ found: Topic[]; missing: string[] }>;
  createTopic: (call: Call, topic: Limit & NewTopic) => Promise<TopicCreation>;
  /** What became of each record, in their order; throws when the broker is not there before any of them was sent. */
  produce: (call: Call, to: { topic: string; records: readonly NewRecord[] }) => Promise<Delivery[]>;
  /** Throws unless the broker answers. */
  check: (call: Call) => Promise<void>;
};

/** The list of topics comes in one piece, about a kilobyte for each. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 5000;
/** As many connections as a Worker may have open. */
const MAX_AT_ONCE = 6;
/** A topic just made is unknown to some brokers for a moment. */
const READ_BACK_AFTER_MS = [0, 100, 400];
const MAX_REASON = 500;

/** The client of Confluent's REST v3: its stand-alone proxy, Confluent Server and Cloud. */
export function kafkaRest({ url, authorization, fetch, now }: KafkaRestNeeds): Broker {
  const proxy = upstream({ name: BROKER, url, fetch, now, timeout: TIMEOUT_MS, maxAnswerBytes: MAX_ANSWER_BYTES });
  // Whoever asks how we are takes no place from who works.
  const checks = upstream({ name: BROKER, url, fetch, now, timeout: TIMEOUT_MS, maxInFlight: 8 });
  let cluster: string | undefined;

  function send(call: Call, exchange: Exchange, by = proxy): Promise<Outcome> {
    return by.send(call, { ...exchange, ...(authorization !== undefined && { headers: { authorization } }) });
  }

  async function findCluster(call: Call, by = proxy): Promise<string> {
    const outcome = await send(call, { method: "GET", path: "/v3/clusters" }, by);
    if (outcome.kind !== "answer" || outcome.status !== 200) throw brokerProblem(outcome);
    const [found] = shaped(BROKER, outcome, ClustersSchema).data;
    return (cluster = found?.cluster_id ?? "");
  }

  async function topics(call: Call): Promise<string> {
    return path`/v3/clusters/${cluster ?? (await findCluster(call))}/topics`;
  }

  function failed(outcome: Outcome) {
    // Another cluster may have come to stand behind the URL.
    if (outcome.kind === "answer" && outcome.status === 404) cluster = undefined;
    return brokerProblem(outcome);
  }

  async function getTopic(call: Call, name: string): Promise<TopicData | "missing" | "forbidden"> {
    const query = { include_authorized_operations: "true" };
    const outcome = await send(call, { method: "GET", path: `${await topics(call)}${path`/${name}`}`, query });
    if (outcome.kind === "answer" && outcome.status === 200) return shaped(BROKER, outcome, TopicSchema);
    const code = errorOf(outcome)?.code;
    if (code === 40403) return "missing";
    if (code === 40301) return "forbidden";
    throw failed(outcome);
  }

  /** Throws the Problem that `lost` is unless the topic can be seen. */
  async function readBack(call: Call, { name, partitions, replicationFactor }: NewTopic, lost: Outcome): Promise<TopicCreation> {
    for (const wait of READ_BACK_AFTER_MS) {
      if (wait > 0) await pause(wait);
      const topic = await getTopic(call, name).catch(() => "missing" as const);
      if (typeof topic === "string") continue;
      const isOurs = isAsAsked(partitions, topic.partitions_count) && isAsAsked(replicationFactor, topic.replication_factor);
      return isOurs ? { outcome: "created" } : { outcome: "refused", reason: `Topic '${name}' already exists.` };
    }
    throw failed(lost);
  }

  function limited(call: Call, timeout = TIMEOUT_MS): Call {
    return { ...call, deadline: Math.min(call.deadline, now() + Math.min(timeout, TIMEOUT_MS)) };
  }

  return {
    async listTopics(call, { includeInternal, timeout }) {
      const within = limited(call, timeout);
      const outcome = await send(within, { method: "GET", path: await topics(within) });
      if (outcome.kind !== "answer" || outcome.status !== 200) throw failed(outcome);
      const listed = shaped(BROKER, outcome, TopicsSchema).data;
      if (!includeInternal) return listed.filter((topic) => !topic.is_internal).map(listing);
      const unlisted = INTERNAL_TOPICS.filter((name) => !listed.some((topic) => topic.topic_name === name));
      const internal = await Promise.all(unlisted.map((name) => getTopic(within, name)));
      // One of Kafka's own that we may not see is to us like one that is not there, as in Kafka's own lists.
      return [...listed, ...internal.filter((topic) => typeof topic === "object")].map(listing);
    },

    async describeTopics(call, { names, timeout }) {
      const within = limited(call, timeout);
      const found: Topic[] = [];
      const missing: string[] = [];
      const waiting = [...new Set(names)];
      while (waiting.length > 0) {
        const some = waiting.splice(0, MAX_AT_ONCE);
        if (cluster === undefined && some.some(isPossible)) await findCluster(within);
        const answers = await Promise.all(some.map((name) => (isPossible(name) ? getTopic(within, name) : "missing")));
        for (const [index, topic] of answers.entries()) {
          if (typeof topic === "string") missing.push(some[index] ?? "");
          else found.push(described(topic));
        }
      }
      return { found, missing };
    },

    async createTopic(call, { timeout, ...topic }) {
      const { name, partitions, replicationFactor } = topic;
      const fault = topicNameFault(name);
      if (fault !== undefined) return { outcome: "refused", reason: fault };
      const within = limited(call, timeout);
      // Only so can a topic that is read back after a lost answer be known for the one that was asked for.
      if (typeof (await getTopic(within, name)) === "object") return { outcome: "refused", reason: `Topic '${name}' already exists.` };
      const json = { topic_name: name, partitions_count: partitions, replication_factor: replicationFactor };
      const outcome = await send(within, { method: "POST", path: await topics(within), json });
      if (outcome.kind === "answer" && outcome.status === 201) return { outcome: "created" };
      if (mayHaveHappened(outcome)) return readBack(limited(call, timeout), topic, outcome);
      const error = errorOf(outcome);
      if (error && isJudgement(error.code)) return { outcome: "refused", reason: reasonIn(error.message) };
      throw failed(outcome);
    },

    async produce(call, { topic, records }) {
      const within = limited(call);
      const target = `${await topics(within)}${path`/${topic}`}/records`;
      const deliveries = await produce({ send, path: target }, within, records);
      if (deliveries.some(({ code }) => code?.startsWith("404"))) cluster = undefined;
      return deliveries;
    },

    async check(call) {
      await findCluster(call, checks);
    },
  };
}

function isPossible(name: string): boolean {
  return topicNameFault(name) === undefined;
}

/** A number below 1 leaves the choice to the broker. */
function isAsAsked(asked: number, actual: number): boolean {
  return asked < 1 || asked === actual;
}

/** Of the request itself, or of what this service may create: not of its credentials, its rate or the path. */
function isJudgement(code: number): boolean {
  return code === 40301 || /^(400|422)(\d\d)?$/.test(String(code));
}

function reasonIn(message: string): string {
  return message.replace(/\p{Cc}+/gu, " ").trim().slice(0, MAX_REASON) || "The broker refused the topic";
}

function described(topic: TopicData): Topic {
  return { ...listing(topic), authorizedOperations: operationCodes(topic.authorized_operations ?? []) };
}

function listing({ topic_name, is_internal, partitions_count }: TopicData): Topic {
  return { name: topic_name, isInternal: is_internal, partitions: partitions_count, authorizedOperations: [] };
}
