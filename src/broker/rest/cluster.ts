import type { Refusal } from "./refusal.ts";
import type { NewTopicBody } from "./topics/schema.ts";

/** A topic as the interface shows it; whoever keeps it may know more of it. */
export type Topic = {
  name: string;
  isInternal: boolean;
  replicationFactor: number;
  /** The node that leads each partition, by partition; -1 where there is none. */
  leaders: number[];
  /** Names of Kafka's `AclOperation`; empty unless they were asked for. */
  operations: string[];
};

type ConfigSource = { name: string; value: string | null; source: string };

export type ConfigEntry = ConfigSource & {
  isDefault: boolean;
  isReadOnly: boolean;
  isSensitive: boolean;
  /** From what wins to what is there by default. */
  synonyms: ConfigSource[];
};

export type RecordToAppend = {
  partition: number;
  timestamp: number;
  /** Null where there is none, and where its data is null. */
  key: Uint8Array | null;
  value: Uint8Array | null;
  headers: [name: string, value: Uint8Array | null][];
  /** As it counts against `max.message.bytes`: all its bytes and what a batch of one adds. */
  size: number;
};

export type Appended = { offset: number; timestamp: number };

/** Keys, values and those of headers in base64. */
export type StoredRecord = { offset: number; timestamp: number; key: string | null; value: string | null; headers: [string, string | null][] };

/** The first offset there is, the first that cannot be read yet, and where to read on. */
export type Stretch = { earliest: number; latest: number; next: number; records: StoredRecord[] };

export type From = { partition: number; /** The earliest there is, without it. */ offset: number | undefined; max: number; maxBytes: number };

/** A null is there to be refused. */
export type ConfigChanges = { set: Record<string, string | null>; unset: string[]; isTrial: boolean };

/**
 * What the REST interface stands in front of: a log, embedded or a real Kafka. Everything throws a Refusal for what the
 * interface refuses and for a log that is away, and ends at `until` (milliseconds since the epoch) or a deadline of its own.
 */
export type Cluster<T extends Topic = Topic> = {
  /** Its id, and the node that leads it. */
  about: (until: number) => Promise<{ id: string; controller: number }>;
  /** All but Kafka's own, by name. */
  listTopics: (until: number, withOperations: boolean) => Promise<T[]>;
  /** `name` is one that a topic can have. */
  findTopic: (until: number, asked: { name: string; withOperations: boolean }) => Promise<T | undefined>;
  /** What was made, or would be where it is only to be tried; its name is one that a topic can have. */
  createTopic: (until: number, body: NewTopicBody) => Promise<Topic>;
  addPartitions: (until: number, to: { topic: T; partitions: number }) => Promise<void>;
  deleteTopic: (until: number, topic: T) => Promise<void>;
  configs: (until: number, topic: T) => Promise<ConfigEntry[]>;
  changeConfigs: (until: number, of: { topic: T; changes: ConfigChanges }) => Promise<void>;
  /** What became of each record, in their order; those of one partition keep theirs. */
  append: (until: number, to: { topic: T; records: RecordToAppend[] }) => Promise<(Appended | Refusal)[]>;
  /** The partition's first offset, and the first that cannot be read yet; undefined without the partition. */
  range: (until: number, of: { topic: T; partition: number }) => Promise<{ earliest: number; latest: number } | undefined>;
  /** At least one record where there are any, and else no more than `maxBytes`; undefined without the partition. */
  read: (until: number, from: From & { topic: T }) => Promise<Stretch | undefined>;
};
