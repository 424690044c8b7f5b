import { type Context, Hono } from "hono";
import type { StoredRecord, Topic } from "../cluster.ts";
import type { Rest } from "../needs.ts";
import { placeOf, type Timed, topicOf } from "../place.ts";
import { outOfRange, Refusal, unreadable } from "../refusal.ts";
import { metadata, type Place, urlOf } from "../topics/representation.ts";
import { instant } from "./produce.ts";

const MAX_RECORDS = 500;
const DEFAULT_RECORDS = 100;
/** Of an answer with more than one record: in base64 it stays below 1 MiB. */
const MAX_READ_BYTES = 512 * 1024;

/** Reading, below `/v3/clusters/:cluster/topics/:topic/partitions`. */
export function readingApi<T extends Topic>(rest: Rest<T>): Hono<Timed> {
  const { cluster } = rest;
  const app = new Hono<Timed>();

  app.get("/:partition{\\d{1,9}}/offset", async (c) => {
    const type = c.req.query("offset_type") ?? "earliest_and_latest";
    if (type !== "earliest_and_latest") throw unreadable(`offset_type:${type} is invalid`);
    const { place, topic, partition } = await partitionIn(c);
    const { earliest, latest } = found(await cluster.range(c.get("until"), { topic, partition }));
    return c.json({
      kind: "KafkaPartitionWithOffsets",
      metadata: metadata(place, ["topic", topic.name, "partition", partition, "offset_type", type], ["topics", topic.name, "partitions", partition, "offset"]),
      cluster_id: place.cluster,
      topic_name: topic.name,
      partition_id: partition,
      earliest_offset: earliest,
      latest_offset: latest,
    });
  });

  /**
   * Ours: the REST v3 interface has no consumer. `offset` is the first one wanted (the earliest there is, without it),
   * `max` how many at most; keys and values come as bytes, whatever type they were sent as. `metadata.next` reads on.
   */
  app.get("/:partition{\\d{1,9}}/records", async (c) => {
    const offset = whole(c, "offset");
    const max = whole(c, "max") ?? DEFAULT_RECORDS;
    if (max < 1 || max > MAX_RECORDS) throw unreadable(`max is from 1 to ${MAX_RECORDS}`);
    const { place, topic, partition } = await partitionIn(c);
    const from = { topic, partition, offset, max, maxBytes: MAX_READ_BYTES };
    const { earliest, latest, next, records } = found(await cluster.read(c.get("until"), from));
    const first = offset ?? earliest;
    if (first < earliest || first > latest) throw outOfRange();
    const self = urlOf(place, "topics", topic.name, "partitions", partition, "records");
    return c.json({
      kind: "KafkaRecordList",
      metadata: { self: `${self}?offset=${first}&max=${max}`, next: `${self}?offset=${next}&max=${max}` },
      earliest_offset: earliest,
      latest_offset: latest,
      data: records.map((record) => recordData(place, { topic: topic.name, partition }, record)),
    });
  });

  return app;

  async function partitionIn(c: Context<Timed>): Promise<{ place: Place; topic: T; partition: number }> {
    return { place: await placeOf(c, rest), topic: await topicOf(c, rest), partition: Number(c.req.param("partition")) };
  }
}

function found<Found>(at: Found | undefined): Found {
  if (at === undefined) throw new Refusal(40402, "Partition not found.");
  return at;
}

function whole(c: Context, name: string): number | undefined {
  const text = c.req.query(name);
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw unreadable(`${name} is a whole number`);
  return Number(text);
}

function recordData(place: Place, { topic, partition }: { topic: string; partition: number }, { offset, timestamp, headers, key, value }: StoredRecord) {
  return {
    kind: "KafkaRecord",
    cluster_id: place.cluster,
    topic_name: topic,
    partition_id: partition,
    offset,
    timestamp: instant(timestamp),
    headers: headers.map(([name, content]) => ({ name, value: content })),
    key: key === null ? null : { type: "BINARY", data: key },
    value: value === null ? null : { type: "BINARY", data: value },
  };
}
