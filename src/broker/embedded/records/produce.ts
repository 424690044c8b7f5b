import { problemIn } from "../../../http/problem.ts";
import type { Cluster } from "../cluster.ts";
import { notPresent, badRequest, recordFault, Refusal } from "../refusal.ts";
import { isAppendTime, numberConfig } from "../topics/configs.ts";
import type { Topic } from "../topics/store.ts";
import { toBase64 } from "./bytes.ts";
import { partitionOf } from "./partitioner.ts";
import type { RecordBody } from "./schema.ts";
import { refuseLarger, serialize, type Serialized } from "./serialization.ts";
import { appendRecords } from "./store.ts";

/** Where the records go: `topic` is undefined when there is none of that name. */
export type Target = { cluster: Cluster; clusterId: string; name: string; topic: Topic | undefined };

export type Report = { error_code: number; message: string } | ReturnType<typeof delivered>;

type Placed = { body: RecordBody; record: Serialized; partition: number; timestamp: number };

/** One report for each of `bodies`, in their order: what is wrong with one keeps no other from being delivered. */
export async function produce(target: Target, bodies: (RecordBody | Refusal)[]): Promise<Report[]> {
  const now = target.cluster.now();
  const placed = bodies.map((body) => (body instanceof Refusal ? body : attempt(() => place(target, body, now))));
  const good = placed.filter((one): one is Placed => !(one instanceof Refusal));
  const offsets = await append(target, good, now);
  let next = 0;
  return placed.map((one) => {
    if (one instanceof Refusal) return recordFault(one);
    if (offsets instanceof Refusal) return recordFault(offsets);
    return delivered(target, one, offsets[next++] ?? -1);
  });
}

function attempt<T>(work: () => T): T | Refusal {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function place({ cluster, name, topic }: Target, body: RecordBody, now: number): Placed {
  const asked = body.partition_id ?? undefined;
  if (asked !== undefined && asked < 0) throw new Refusal(40402, "Partition not found.");
  const record = serialize(body);
  if (!topic) throw notPresent(name);
  // Only Kafka itself writes to its own.
  if (topic.isInternal) throw badRequest("The request attempted to perform an operation on an invalid topic.");
  if (asked !== undefined && asked >= topic.partitions) throw notPresent(name, { partition: asked, count: topic.partitions });
  refuseLarger(record.size, numberConfig(topic.configs, "max.message.bytes"));
  const chosen = record.key ? partitionOf(record.key, topic.partitions) : Math.floor(cluster.random() * topic.partitions);
  const timestamp = isAppendTime(topic.configs) ? now : (record.timestamp ?? now);
  return { body, record, partition: asked ?? chosen, timestamp };
}

async function append({ cluster, name, topic }: Target, good: Placed[], now: number): Promise<number[] | Refusal> {
  if (!topic || good.length === 0) return [];
  const records = good.map(({ record, partition, timestamp }) => ({
    partition,
    timestamp,
    key: record.key && toBase64(record.key),
    value: record.value && toBase64(record.value),
    headers: record.headers,
    size: record.size,
  }));
  try {
    const offsets = await appendRecords(cluster.db, { topic: topic.id, records, now });
    return offsets.length > 0 ? offsets : notPresent(name);
  } catch (error) {
    if (problemIn(error)) return new Refusal(50003, "The broker is not available.");
    throw error;
  }
}

function delivered({ clusterId, name }: Target, { body, record, partition, timestamp }: Placed, offset: number) {
  return {
    error_code: 200,
    cluster_id: clusterId,
    topic_name: name,
    partition_id: partition,
    offset,
    timestamp: instant(timestamp),
    ...(body.key && { key: { type: body.key.type, size: record.key?.length ?? -1 } }),
    ...(body.value && { value: { type: body.value.type, size: record.value?.length ?? -1 } }),
  };
}

/** As Java writes an instant: without a fraction that is nothing. */
export function instant(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(".000Z", "Z");
}
