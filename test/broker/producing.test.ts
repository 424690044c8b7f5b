import { expect, it, onTestFinished } from "vitest";
import { kafkaClient } from "../../src/broker/bridge/client.ts";
import type { RawRequest } from "../../src/broker/bridge/network.ts";
import { kafkaProducer } from "../../src/broker/bridge/producing/producer.ts";
import type { Topic } from "../../src/broker/rest/cluster.ts";
import { metadata, PRODUCE, PRODUCER_ID, producerId, scriptedKafka, written } from "./scripted-kafka.ts";

const TIMED_OUT = 7;
const INVALID_PRODUCER_EPOCH = 47;
const LAST_EPOCH = 32_767;
const topic: Topic = { name: "t", isInternal: false, replicationFactor: 1, leaders: [0], operations: [] };

/** Who a batch is from, as it stands in a request to write one batch to `t`. */
function originOf({ body }: RawRequest) {
  const view = new DataView(body.buffer, body.byteOffset, body.length);
  return { producer: view.getBigInt64(27 + 43), epoch: view.getInt16(27 + 51), sequence: view.getInt32(27 + 53) };
}

/** A producer whose batches meet with `outcome`. */
async function producing(outcome: (request: RawRequest) => number) {
  let ids = 0n;
  const kafka = scriptedKafka({
    ports: [1],
    answer(request) {
      if (request.api === PRODUCE) return written("t", outcome(request));
      return request.api === PRODUCER_ID ? producerId(++ids) : metadata([1], { t: 1 });
    },
  });
  const client = kafkaClient({ network: kafka.network, now: Date.now, log: () => {} });
  onTestFinished(client.close);
  await client.metadata(Date.now() + 1000, { topics: ["t"] });
  const append = kafkaProducer({ client, now: Date.now, log: () => {} });
  const send = async (patience: number) => {
    const record = { partition: 0, timestamp: 0, key: null, value: null, headers: [], size: 80 };
    return (await append(Date.now() + patience, { topic, records: [record] }))[0];
  };
  const writes = () => kafka.sent.filter(({ api }) => api === PRODUCE);
  return { send, writes, last: () => originOf(kafka.sent.findLast(({ api }) => api === PRODUCE)!) };
}

it("goes on under another id when it has used up all epochs of one", { timeout: 60_000 }, async () => {
  let isSilent = true;
  const { send, last } = await producing(() => (isSilent ? TIMED_OUT : 0));
  // Nobody knows what became of each, so the next begins another epoch.
  do await send(45);
  while (last().epoch < LAST_EPOCH);
  expect(last()).toEqual({ producer: 1n, epoch: LAST_EPOCH, sequence: 0 });
  isSilent = false;
  expect(await send(1000)).toMatchObject({ offset: 0 });
  expect(last()).toEqual({ producer: 2n, epoch: 0, sequence: 0 });
});

it("does not ask without end a Kafka that refuses every number", async () => {
  const { send, writes } = await producing(() => INVALID_PRODUCER_EPOCH);
  expect(await send(500)).toMatchObject({ code: 50302 });
  expect(writes().length).toBeGreaterThan(1);
  expect(writes().length).toBeLessThanOrEqual(12);
});
