import type { ConfigEntry, Topic } from "../cluster.ts";

/** Whose URL and name a resource's are built on. */
export type Place = { origin: string; cluster: string; controller: number };

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
    controller: related("brokers", String(place.controller)),
    acls: related("acls"),
    brokers: related("brokers"),
    broker_configs: related("broker-configs"),
    consumer_groups: related("consumer-groups"),
    topics: related("topics"),
    partition_reassignments: related("topics", "-", "partitions", "-", "reassignment"),
  };
}

export function topicData(place: Place, topic: Topic) {
  const at = ["topics", topic.name];
  return {
    kind: "KafkaTopic",
    metadata: metadata(place, ["topic", topic.name], at),
    cluster_id: place.cluster,
    topic_name: topic.name,
    is_internal: topic.isInternal,
    replication_factor: topic.replicationFactor,
    partitions_count: topic.leaders.length,
    partitions: { related: urlOf(place, ...at, "partitions") },
    configs: { related: urlOf(place, ...at, "configs") },
    partition_reassignments: { related: urlOf(place, ...at, "partitions", "-", "reassignment") },
    authorized_operations: topic.operations,
  };
}

export function partitionData(place: Place, { name, leaders }: Topic, partition: number) {
  const at = ["topics", name, "partitions", partition];
  const leader = leaders[partition] ?? -1;
  return {
    kind: "KafkaPartition",
    metadata: metadata(place, ["topic", name, "partition", partition], at),
    cluster_id: place.cluster,
    topic_name: name,
    partition_id: partition,
    leader: leader < 0 ? null : { related: urlOf(place, ...at, "replicas", leader) },
    replicas: { related: urlOf(place, ...at, "replicas") },
    reassignment: { related: urlOf(place, ...at, "reassignment") },
  };
}

export function configData(place: Place, topic: string, { name, value, isDefault, isReadOnly, isSensitive, source, synonyms }: ConfigEntry) {
  return {
    kind: "KafkaTopicConfig",
    metadata: metadata(place, ["topic", topic, "config", name], ["topics", topic, "configs", name]),
    cluster_id: place.cluster,
    topic_name: topic,
    name,
    value,
    is_default: isDefault,
    is_read_only: isReadOnly,
    is_sensitive: isSensitive,
    source,
    synonyms,
  };
}

function pairs(segments: (string | number)[]): string[] {
  return segments.flatMap((segment, index) => (index % 2 === 0 ? [`${segment}=${segments[index + 1]}`] : []));
}
