import { describe, type Log } from "../../http/log.ts";
import { pause } from "../../http/pause.ts";
import type { From, Stretch, Topic } from "../rest/cluster.ts";
import { outOfRange } from "../rest/refusal.ts";
import type { KafkaClient } from "./client.ts";
import { demandAnswer, isRetriable, KAFKA, refusalOf } from "./judgement.ts";
import { EARLIEST, type Fetched, fetchRequest, LATEST, listOffsetRequest } from "./protocol/reading.ts";
import type { Request } from "./protocol/request.ts";
import type { Decompress } from "./records/compression.ts";
import { batchesIn } from "./records/decode.ts";
import { type Lost, taker } from "./records/taker.ts";
import { findTopic } from "./topics.ts";

type Place = { topic: Topic; partition: number };

const PAUSE_MS = 50;
/** For a leader to be found where there has just been none. */
const PATIENCE_MS = 1000;
/** As many places are remembered of which the log has been told: every reader comes by them. */
const MAX_TOLD = 1000;

/** Reads from the nodes that lead the partitions, without a consumer group: every call says for itself from where on. */
export function kafkaReader({ client, now, log, decompress }: { client: KafkaClient; now: () => number; log: Log; decompress: Decompress }) {
  const told = new Set<string>();

  function passOver({ topic, partition }: Place, { from, to, fault }: Lost): void {
    const where = `${topic.name}/${partition}, ${from === to ? `offset ${from}` : `offsets ${from} to ${to}`}`;
    if (told.has(where)) return;
    if (told.size >= MAX_TOLD) told.clear();
    told.add(where);
    log({ level: "error", service: "broker", message: `Passed over what cannot be read (${where})`, error: describe(fault) });
  }

  async function askLeader<Answer extends { code: number }>(until: number, { topic, partition }: Place, request: Request<Answer | undefined>): Promise<Answer> {
    const limit = Math.min(until, now() + PATIENCE_MS);
    for (let leader = topic.leaders[partition] ?? -1; ; ) {
      const answer = leader < 0 ? { code: KAFKA.LEADER_NOT_AVAILABLE } : demandAnswer(await client.look(request, { lane: "reading", until, node: leader }));
      if (!isRetriable(answer.code) || now() + PAUSE_MS >= limit) return demanded(answer as Answer);
      await pause(PAUSE_MS);
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
      const taking = taker({ from: offset ?? (await offsetAt(until, place, EARLIEST)), max, maxBytes }, { decompress, passOver: (lost) => passOver(place, lost) });
      for (;;) {
        const { next: from, left } = taking.state();
        const { earliest, latest, ...fetched } = await fetchFrom(until, place, { offset: from, maxBytes: left });
        for (const batch of batchesIn(fetched)) {
          await taking.take(batch);
          if (taking.state().isFull || now() >= until) break;
        }
        const { records, next, isFull } = taking.state();
        if (isFull || next === from || next >= latest || now() >= until) return { earliest, latest, records, next };
      }
    },
  };
}

function demanded<Answer extends { code: number }>(answer: Answer): Answer {
  if (answer.code === KAFKA.OFFSET_OUT_OF_RANGE) throw outOfRange();
  if (answer.code !== 0) throw refusalOf({ code: answer.code, message: null });
  return answer;
}
