import type { Database } from "../../../database/client.ts";
import { problemIn } from "../../../http/problem.ts";
import { toBase64 } from "../../../passwords/base64.ts";
import type { Appended, RecordToAppend } from "../../rest/cluster.ts";
import { badRequest, notPresent, Refusal, tooLarge, unconfirmed } from "../../rest/refusal.ts";
import { bigintConfig, isAppendTime, isCompacted, numberConfig } from "../topics/configs.ts";
import type { StoredTopic } from "../topics/store.ts";
import { appendRecords } from "./store.ts";

/** Keeps those of `records` that the topic takes, all of them or none. */
export async function append({ db, now }: { db: Database; now: number }, topic: StoredTopic, records: RecordToAppend[]): Promise<(Appended | Refusal)[]> {
  const judged = records.map((record) => refusalOf(record, { topic, now }) ?? (isAppendTime(topic.configs) ? { ...record, timestamp: now } : record));
  const good = judged.filter((one): one is RecordToAppend => !(one instanceof Refusal));
  const offsets = good.length === 0 ? [] : await offsetsOf({ db, now }, topic, good);
  let next = 0;
  return judged.map((one) => {
    if (one instanceof Refusal) return one;
    const offset = offsets[next++];
    return offset === undefined ? notPresent(topic.name) : { offset, timestamp: one.timestamp };
  });
}

/** What the topic does not take, in Kafka's words. */
function refusalOf({ key, partition, size, timestamp }: RecordToAppend, { topic: { name, configs }, now }: { topic: StoredTopic; now: number }): Refusal | undefined {
  if (size > numberConfig(configs, "max.message.bytes")) return tooLarge();
  if (!key && isCompacted(configs)) return badRequest(`Compacted topic cannot accept message without key in topic partition ${name}-${partition}`);
  if (isAppendTime(configs)) return undefined;
  const first = BigInt(now) - bigintConfig(configs, "message.timestamp.before.max.ms");
  const last = BigInt(now) + bigintConfig(configs, "message.timestamp.after.max.ms");
  if (timestamp >= first && timestamp <= last) return undefined;
  return badRequest(`Timestamp ${timestamp} of message with offset 0 is out of range. The timestamp should be within [${first}, ${last}]`);
}

function offsetsOf({ db, now }: { db: Database; now: number }, topic: StoredTopic, records: RecordToAppend[]): Promise<number[]> {
  const input = records.map(({ key, value, headers, ...record }) => ({
    ...record,
    key: key && toBase64(key),
    value: value && toBase64(value),
    headers: headers.map(([name, bytes]): [string, string | null] => [name, bytes && toBase64(bytes)]),
  }));
  return appendRecords(db, { topic: topic.id, records: input, now }).catch((error: unknown) => {
    throw problemIn(error) ? unconfirmed() : error;
  });
}
