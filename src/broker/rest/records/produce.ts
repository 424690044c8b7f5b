import type { Appended, RecordToAppend, Topic } from "../cluster.ts";
import type { Rest } from "../needs.ts";
import { invalidTopic, notPresent, recordFault, Refusal } from "../refusal.ts";
import { partitionOf } from "./partitioner.ts";
import type { RecordBody } from "./schema.ts";
import { serialize } from "./serialization.ts";

export type Target<T extends Topic> = {
  rest: Rest<T>;
  clusterId: string;
  name: string;
  /** Undefined when there is none of that name. */
  topic: T | undefined;
  /** Of one call: records of a stream come as long as they come. */
  until: () => number;
};

/** Records as they were read, or why they could not be. */
export type Bodies = (RecordBody | Refusal)[];

export type Report = { error_code: number; message: string } | ReturnType<typeof delivered>;

type Placed = { body: RecordBody; record: RecordToAppend };

/** ECMAScript, "Time Values and Time Range". */
const MAX_DATE_MS = 8.64e15;

/** One report for each of `bodies`, in their order: what is wrong with one keeps no other from being delivered. */
export async function produce<T extends Topic>(target: Target<T>, bodies: Bodies): Promise<Report[]> {
  const now = target.rest.now();
  const placed = bodies.map((body) => (body instanceof Refusal ? body : attempt(() => place(target, body, now))));
  const appended = await append(target, placed.filter((one): one is Placed => !(one instanceof Refusal)));
  let next = 0;
  return placed.map((one) => {
    if (one instanceof Refusal) return recordFault(one);
    const outcome = appended[next++] ?? notPresent(target.name);
    return outcome instanceof Refusal ? recordFault(outcome) : delivered(target, one, outcome);
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

function place<T extends Topic>({ name, topic }: Target<T>, body: RecordBody, now: number): Placed {
  const asked = body.partition_id ?? undefined;
  if (asked !== undefined && asked < 0) throw new Refusal(40402, "Partition not found.");
  const record = serialize(body);
  if (!topic) throw notPresent(name);
  // Only Kafka itself writes to its own.
  if (topic.isInternal) throw invalidTopic();
  const count = topic.leaders.length;
  if (asked !== undefined && asked >= count) throw notPresent(name, { partition: asked, count });
  const chosen = record.key ? partitionOf(record.key, count) : Math.floor(Math.random() * count);
  return { body, record: { ...record, partition: asked ?? chosen, timestamp: record.timestamp ?? now } };
}

async function append<T extends Topic>({ rest, topic, until }: Target<T>, placed: Placed[]): Promise<(Appended | Refusal)[]> {
  if (!topic || placed.length === 0) return [];
  try {
    return await rest.cluster.append(until(), { topic, records: placed.map(({ record }) => record) });
  } catch (error) {
    if (error instanceof Refusal) return placed.map(() => error);
    throw error;
  }
}

function delivered<T extends Topic>({ clusterId, name }: Target<T>, { body, record }: Placed, { offset, timestamp }: Appended) {
  return {
    error_code: 200,
    cluster_id: clusterId,
    topic_name: name,
    partition_id: record.partition,
    offset,
    timestamp: instant(timestamp),
    ...(body.key && { key: { type: body.key.type, size: record.key?.length ?? -1 } }),
    ...(body.value && { value: { type: body.value.type, size: record.value?.length ?? -1 } }),
  };
}

/** As Java writes an instant, without a fraction that is nothing; Kafka keeps any number of milliseconds, a Date does not. */
export function instant(milliseconds: number): string {
  return new Date(Math.min(Math.max(milliseconds, -MAX_DATE_MS), MAX_DATE_MS)).toISOString().replace(".000Z", "Z");
}
