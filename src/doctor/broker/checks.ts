import * as z from "zod";
import { recordReader } from "../../broker/reading.ts";
import { ClustersSchema, errorOf } from "../../broker/rest-answer.ts";
import { TOPICS } from "../../events/catalogue.ts";
import { beginCall } from "../../http/call.ts";
import { path } from "../../http/path.ts";
import { type Answer, jsonOf } from "../../http/upstream.ts";
import { type Ask, askOf, type Outside } from "../client.ts";
import { clockByDate } from "../clock.ts";
import { type Finding, type Findings, notChecked } from "../finding.ts";
import { answerOf, reached } from "../reach.ts";
import { consumerFindings, type EndOf, type Position } from "./consumers.ts";
import { found, SYSTEM } from "./found.ts";
import { type Topic, topicFindings } from "./topic.ts";

export type BrokerNeeds = Outside & {
  /** Base URL without `/v3`. */
  url: string;
  authorization: string | undefined;
  /** Whether a credential of the broker's is given; `authorization` may be the bridge's. */
  hasCredential: boolean;
  /** What has the URL: `BROKER_URL`, or `KAFKA_BROKERS` where `fetch` is the bridge. */
  setting: string;
  /** As people know it, where `url` is of no meaning to them. */
  shown?: string;
  /** As many as there are at least, where the interface does not tell. */
  leastBrokers?: number;
  /** Where the platform's consumers stand; undefined where nobody can be asked. */
  positions?: (() => Promise<Position[]>) | undefined;
};

const CollectionSchema = z.object({ data: z.array(z.unknown()) });
const TopicSchema = z.object({ partitions_count: z.number(), replication_factor: z.number(), authorized_operations: z.array(z.string()).default([]) });
const READING_MS = 5000;

/** What a Kafka is like, seen from the platform through a REST v3 interface; nothing is produced. */
export async function* brokerChecks({ url, authorization, hasCredential, setting, shown = url, leastBrokers, positions, ...outside }: BrokerNeeds): Findings {
  const ask = askOf({ name: "broker", url, headers: authorization === undefined ? {} : { authorization } }, outside);
  const place = { system: SYSTEM, setting, url: shown };
  const { answer: first, fault: away } = answerOf(place, await ask({ method: "GET", path: "/v3/clusters" }));
  if (away) {
    yield away;
    return away.sentence;
  }
  yield reached(place);
  const clock = clockByDate(SYSTEM, first);
  if (clock) yield clock;
  const credential = credentialFinding(first, { hasCredential, setting });
  yield credential;
  if (credential.status === "error") return credential.sentence;
  const cluster = first.status === 200 ? ClustersSchema.safeParse(jsonOf(first.text)).data?.data[0]?.cluster_id : undefined;
  if (cluster === undefined) {
    const fault = found("not-rest", { url: shown, status: first.status });
    yield fault;
    return fault.sentence;
  }
  const brokers = await brokersIn(ask, cluster);
  yield brokers === undefined ? found("cluster-unsized", { cluster }) : found("cluster", { cluster, brokers });

  const topics = await Promise.all(Object.entries(TOPICS).map(([name, { partitions }]) => topicOf(ask, { cluster, name, partitions })));
  const findings = topics.flatMap((topic) => topicFindings(topic, brokers ?? leastBrokers ?? 1));
  yield* findings;
  if (positions) yield* consumerFindings(positions, { topics, endOf: endOf({ url, authorization, ...outside }) });
  const readable = topics.find(({ data }) => data !== undefined);
  if (!readable) return findings[0]?.sentence;
  if (!findings.some(({ check }) => check === "replication")) yield found("replication");
  yield await readingFinding(readable.name, { url, authorization, setting, ...outside });
  return undefined;
}

function credentialFinding({ status }: Answer, { hasCredential, setting }: Pick<BrokerNeeds, "hasCredential" | "setting">): Finding {
  const name = setting === "BROKER_URL" ? "BROKER_AUTHORIZATION" : "KAFKA_USERNAME and KAFKA_PASSWORD";
  if (status !== 401 && status !== 403) return hasCredential ? found("credential", { setting: name }) : found("credential-open");
  return setting === "BROKER_URL" && !hasCredential ? found("credential-none") : found("credential-refused", { setting: name, status });
}

async function brokersIn(ask: Ask, cluster: string): Promise<number | undefined> {
  const outcome = await ask({ method: "GET", path: path`/v3/clusters/${cluster}/brokers` });
  return outcome.kind === "answer" && outcome.status === 200 ? CollectionSchema.safeParse(jsonOf(outcome.text)).data?.data.length : undefined;
}

async function topicOf(ask: Ask, { cluster, name, partitions }: { cluster: string; name: string; partitions: number }): Promise<Topic> {
  const query = { include_authorized_operations: "true" };
  const outcome = await ask({ method: "GET", path: path`/v3/clusters/${cluster}/topics/${name}`, query });
  return { name, wanted: partitions, ...(outcome.kind === "answer" && { status: outcome.status, code: errorOf(outcome)?.code, data: dataIn(outcome) }) };
}

function dataIn({ status, text }: Answer): Topic["data"] {
  return status === 200 ? TopicSchema.safeParse(jsonOf(text)).data : undefined;
}

function endOf(needs: Pick<BrokerNeeds, "url" | "authorization" | "fetch" | "now">): EndOf {
  const reader = recordReader(needs);
  const call = beginCall(new Headers(), { now: needs.now(), limit: READING_MS });
  return async (place) => (await reader.range(call, place)).latest;
}

/** By the platform's own reader, which asks for one record. */
async function readingFinding(topic: string, { url, authorization, setting, fetch, now }: Pick<BrokerNeeds, "url" | "authorization" | "setting" | "fetch" | "now">): Promise<Finding> {
  const reader = recordReader({ url, authorization, fetch, now });
  const call = beginCall(new Headers(), { now: now(), limit: READING_MS });
  try {
    const { outcome } = await reader.open(call, topic);
    if (outcome === "missing") return notChecked(SYSTEM, "reading", `There is no topic ${topic} any more`);
    return found(outcome === "open" ? "reading" : "reading-none");
  } catch {
    // What a Problem says of its cause is for the log of a service; the next line of help is the same for each.
    return found("reading-failed", { topic, setting });
  }
}
