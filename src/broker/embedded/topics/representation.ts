import type { ConfigEntry } from "./configs.ts";
import { NODE } from "./creation.ts";

/** Whose URL and name a resource's are built on. */
export type Place = { origin: string; cluster: string };

type Shown = { name: string; isInternal: boolean; partitions: number };

/** What an administrator of a Kafka without access control may do to any topic. */
const ALL_OPERATIONS = ["READ", "WRITE", "CREATE", "DELETE", "ALTER", "DESCRIBE", "DESCRIBE_CONFIGS", "ALTER_CONFIGS"];

export function urlOf({ origin, cluster }: Place, ...segments: (string | number)[]): string {
  return [`${origin}/v3/clusters/${cluster}`, ...segments].join("/");
}

/** `metadata` of one resource; `segments` alternate between a kind and its name, as in Confluent's resource names. */
export function metadata(place: Place, segments: (string | number)[], path: (string | number)[]) {
  return { self: urlOf(place, ...path), resource_name: ["crn:///kafka=" + place.cluster, ...pairs(segments)].join("/") };
}

export function collection(kind: string, self: string, data: unknown[]) {
  return { kind, metadata: { self, next: null }, data };
}

export function clusterData(place: Place) {
  const related = (...segments: string[]) => ({ related: urlOf(place, ...segments) });
  return {
    kind: "KafkaCluster",
    metadata: metadata(place, [], []),
    cluster_id: place.cluster,
    controller: related("brokers", String(NODE)),
    acls: related("acls"),
    brokers: related("brokers"),
    broker_configs: related("broker-configs"),
    consumer_groups: related("consumer-groups"),
    topics: related("topics"),
    partition_reassignments: related("topics", "-", "partitions", "-", "reassignment"),
  };
}

export function topicData(place: Place, topic: Shown, isAuthorizedAsked = false) {
  const at = ["topics", topic.name];
  return {
    kind: "KafkaTopic",
    metadata: metadata(place, ["topic", topic.name], at),
    cluster_id: place.cluster,
    topic_name: topic.name,
    is_internal: topic.isInternal,
    replication_factor: 1,
    partitions_count: topic.partitions,
    partitions: { related: urlOf(place, ...at, "partitions") },
    configs: { related: urlOf(place, ...at, "configs") },
    partition_reassignments: { related: urlOf(place, ...at, "partitions", "-", "reassignment") },
    authorized_operations: isAuthorizedAsked ? ALL_OPERATIONS : [],
  };
}

export function partitionData(place: Place, topic: string, partition: number) {
  const at = ["topics", topic, "partitions", partition];
  return {
    kind: "KafkaPartition",
    metadata: metadata(place, ["topic", topic, "partition", partition], at),
    cluster_id: place.cluster,
    topic_name: topic,
    partition_id: partition,
    leader: { related: urlOf(place, ...at, "replicas", NODE) },
    replicas: { related: urlOf(place, ...at, "replicas") },
    reassignment: { related: urlOf(place, ...at, "reassignment") },
  };
}

export function configData(place: Place, topic: string, { name, value, isDefault, defaultValue }: ConfigEntry) {
  const byDefault = { name, value: defaultValue, source: "DEFAULT_CONFIG" };
  return {
    kind: "KafkaTopicConfig",
    metadata: metadata(place, ["topic", topic, "config", name], ["topics", topic, "configs", name]),
    cluster_id: place.cluster,
    topic_name: topic,
    name,
    value,
    is_default: isDefault,
    is_read_only: false,
    is_sensitive: false,
    source: isDefault ? "DEFAULT_CONFIG" : "DYNAMIC_TOPIC_CONFIG",
    synonyms: isDefault ? [byDefault] : [{ name, value, source: "DYNAMIC_TOPIC_CONFIG" }, byDefault],
  };
}

function pairs(segments: (string | number)[]): string[] {
  return segments.flatMap((segment, index) => (index % 2 === 0 ? [`${segment}=${segments[index + 1]}`] : []));
}
