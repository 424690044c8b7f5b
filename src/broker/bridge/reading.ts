import type { From, StoredRecord, Stretch, Topic } from "../rest/cluster.ts";
import { outOfRange } from "../rest/refusal.ts";
import type { KafkaClient } from "./client.ts";
import { isRetriable, KAFKA, refusalOf } from "./judgement.ts";
import { EARLIEST, type Fetched, fetchRequest, LATEST, listOffsetRequest } from "./protocol/reading.ts";
import type { Request } from "./protocol/request.ts";
import type { Decompress } from "./records/compression.ts";
import { decodeBatches } from "./records/decode.ts";
import { findTopic } from "./topics.ts";

type Place = { topic: Topic; partition: number };

const PAUSE_MS = 50;
/** For a leader to be found where there has just been none. */
const PATIENCE_MS = 1000;

/** Reads from the nodes that lead the partitions, without a consumer group: every call says for itself from where on. */
export function kafkaReader({ client, now, decompress }: { client: KafkaClient; now: () => number; decompress: Decompress }) {
  async function askLeader<Answer extends { code: number }>(until: number, { topic, partition }: Place, request: Request<Answer | undefined>): Promise<Answer> {
    const limit = Math.min(until, now() + PATIENCE_MS);
    for (let leader = topic.leaders[partition] ?? -1; ; ) {
      const answer = leader < 0 ? { code: KAFKA.LEADER_NOT_AVAILABLE } : await client.look(request, { lane: "reading", until, node: leader });
      if (!answer) throw new Error("Kafka answered nothing of what it was asked for");
      if (!isRetriable(answer.code) || now() + PAUSE_MS >= limit) return demanded(answer as Answer);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      leader = (await findTopic(client, limit, topic))?.leaders[partition] ?? -1;
    }
  }

  async function offsetAt(until: number, place: Place, time: typeof EARLIEST | typeof LATEST): Promise<number> {
    const { topic, partition } = place;
    return (await askLeader(until, place, listOffsetRequest({ topic: topic.name, partition, time }))).offset;
  }

  function fetchFrom(until: number, place: Place, from: { offset: number; maxBytes: number }): Promise<Fetched> {
    const { topic, partition } = place;
    return askLeader(until, place, fetchRequest({ topic: topic.name, partition, ...from }));
  }

  return {
    async range(until: number, place: Place): Promise<{ earliest: number; latest: number } | undefined> {
      if (place.partition >= place.topic.leaders.length) return undefined;
      const [earliest, latest] = await Promise.all([offsetAt(until, place, EARLIEST), offsetAt(until, place, LATEST)]);
      return { earliest, latest };
    },

    async read(until: number, { topic, partition, offset, max, maxBytes }: From & { topic: Topic }): Promise<Stretch | undefined> {
      const place = { topic, partition };
      if (partition >= topic.leaders.length) return undefined;
      const records: StoredRecord[] = [];
      let next = offset ?? (await offsetAt(until, place, EARLIEST));
      let left = maxBytes;
      for (;;) {
        const { earliest, latest, ...fetched } = await fetchFrom(until, place, { offset: next, maxBytes: left });
        const found = await decodeBatches(fetched, { offset: next, decompress });
        const isMoving = found.next > next;
        next = found.next;
        for (const { record, size } of found.records) {
          if (records.length === max || (records.length > 0 && size > left)) return { earliest, latest, records, next: record.offset };
          left -= size;
          records.push(record);
        }
        if (!isMoving || next >= latest || records.length === max || left <= 0 || now() >= until) return { earliest, latest, records, next };
      }
    },
  };
}

function demanded<Answer extends { code: number }>(answer: Answer): Answer {
  if (answer.code === KAFKA.OFFSET_OUT_OF_RANGE) throw outOfRange();
  if (answer.code !== 0) throw refusalOf({ code: answer.code, message: null });
  return answer;
}
