import { setTimeout as pause } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { brokerBridge } from "../../src/broker/bridge.ts";
import { kafkaClient } from "../../src/broker/bridge/client.ts";
import { metadataRequest } from "../../src/broker/bridge/protocol/metadata.ts";
import { encodeBatch } from "../../src/broker/bridge/records/encode.ts";
import type { RecordToAppend } from "../../src/broker/rest/cluster.ts";
import type { LogEntry } from "../../src/http/log.ts";
import { openWire } from "../wire/broker/wire.ts";
import { zippedBatch } from "./batches.ts";
import { CREATE_TOPICS, created, FETCH, fetched, METADATA, metadata, offsetOf, OFFSETS, scriptedKafka } from "./scripted-kafka.ts";

const PORTS = [1, 2];
const CREDENTIALS = { username: "broker", password: "of the tests" };
const never = () => new Promise<never>(() => {});

function bridgeTo(kafka: ReturnType<typeof scriptedKafka>) {
  const log: LogEntry[] = [];
  const bridge = brokerBridge({ network: kafka.network, credentials: CREDENTIALS, now: Date.now, log: (entry) => log.push(entry) });
  onTestFinished(bridge.close);
  return { ...bridge, log, baseUrl: "http://bridge.test", credentials: CREDENTIALS };
}

it("is up while one of two nodes swallows everything, and asks the other first from then on", async () => {
  const kafka = scriptedKafka({ ports: PORTS, connect: (port) => (port === 1 ? never() : Promise.resolve()), answer: () => metadata(PORTS) });
  const bridge = bridgeTo(kafka);
  const health = await bridge.fetch(new Request("http://bridge.test/health"));
  expect([health.status, bridge.log]).toEqual([200, []]);
  expect(kafka.dialled).toEqual([1, 2]);
});

it("turns to another node at once where the last one it dialled was slow", async () => {
  const kafka = scriptedKafka({ ports: PORTS, connect: (port) => (port === 1 ? never() : Promise.resolve()), answer: () => metadata(PORTS) });
  const client = kafkaClient({ network: kafka.network, now: Date.now, log: () => {} });
  onTestFinished(client.close);
  await client.look(metadataRequest({ topics: [] }), { lane: "asking", until: Date.now() + 1000 });
  await client.look(metadataRequest({ topics: [] }), { lane: "reading", until: Date.now() + 1000 });
  expect(kafka.dialled).toEqual([1, 2, 2]);
});

it("gives back the place of a caller who leaves before the answer is read", async () => {
  const bridge = bridgeTo(scriptedKafka({ ports: PORTS, answer: () => metadata(PORTS) }));
  const authorization = `Basic ${btoa(`${CREDENTIALS.username}:${CREDENTIALS.password}`)}`;
  const ask = () => bridge.fetch(new Request("http://bridge.test/v3/clusters", { headers: { authorization } }));
  for (let index = 0; index < 130; index++) {
    const { status, body } = await ask();
    expect(status).toBe(200);
    await body?.cancel();
  }
  expect((await ask()).status).toBe(200);
});

it("does not end for others the connection on which one caller had too little time", async () => {
  let delay = 0;
  const kafka = scriptedKafka({ ports: PORTS, answer: () => pause(delay).then(() => metadata(PORTS)) });
  const wire = await openWire(bridgeTo(kafka));
  delay = 400;
  const patient = wire.call("GET /v3/clusters");
  const hasty = await wire.call("GET /v3/clusters", { headers: { "x-deadline-ms": "100" } });
  expect([hasty.status, (await patient).status, kafka.dialled, kafka.sent.length]).toEqual([503, 200, [1], 3]);
});

it("ends a connection that has owed answers for a second, however little time each caller has", async () => {
  let isSilent = false;
  const kafka = scriptedKafka({ ports: PORTS, answer: () => (isSilent ? never() : metadata(PORTS)) });
  const wire = await openWire(bridgeTo(kafka));
  isSilent = true;
  for (let asked = 0; asked < 3; asked++) expect((await wire.call("GET /v3/clusters", { headers: { "x-deadline-ms": "350" } })).status).toBe(503);
  isSilent = false;
  expect((await wire.call("GET /v3/clusters")).status).toBe(200);
  expect(kafka.dialled).toHaveLength(2);
});

it("sends nothing when there is no time left, and says so", async () => {
  const kafka = scriptedKafka({ ports: PORTS, answer: () => metadata(PORTS) });
  const client = kafkaClient({ network: kafka.network, now: Date.now, log: () => {} });
  onTestFinished(client.close);
  await client.metadata(Date.now() + 1000, { topics: [] });
  await expect(client.ask(metadataRequest({ topics: [] }), { lane: "asking", until: Date.now() - 1 })).rejects.toMatchObject({ name: "Unanswered", mayBeDone: false });
  expect(kafka.sent).toHaveLength(1);
});

it.each<[string, Record<string, unknown>, number, number]>([
  ["as it is found", {}, 3, 2],
  ["as it was asked for where it is only tried", { partitions_count: 5, replication_factor: 1, validate_only: true }, 5, 1],
  ["as it was assigned", { replicas_assignments: { 0: [0, 1], 1: [1, 0] }, validate_only: true }, 2, 2],
])("shows a topic %s where Kafka does not tell", async (_, more, partitions, replicas) => {
  const kafka = scriptedKafka({
    ports: PORTS,
    answer: ({ api }) => (api === CREATE_TOPICS ? created("t") : metadata(PORTS, api === METADATA ? { t: 3 } : {})),
  });
  const wire = await openWire(bridgeTo(kafka));
  const { status, body } = await wire.call(`POST ${wire.topics}`, { body: { topic_name: "t", ...more } });
  expect([status, body.partitions_count, body.replication_factor]).toEqual([more["validate_only"] ? 200 : 201, partitions, replicas]);
});

it("refuses to show a topic of more partitions than there can be", async () => {
  const kafka = scriptedKafka({ ports: PORTS, answer: ({ api }) => (api === CREATE_TOPICS ? created("t", 2 ** 31 - 1) : metadata(PORTS, api === METADATA ? { t: 1 } : {})) });
  const bridge = bridgeTo(kafka);
  const wire = await openWire(bridge);
  expect((await wire.call(`POST ${wire.topics}`, { body: { topic_name: "t" } })).status).toBe(500);
  expect(bridge.log).toEqual([expect.objectContaining({ level: "error", error: expect.stringContaining("Cannot show a topic of 2147483647 partitions") })]);
});

it("gives no place to callers without the credential", async () => {
  const bridge = bridgeTo(scriptedKafka({ ports: PORTS, answer: () => metadata(PORTS) }));
  const strangers = Array.from({ length: 200 }, () => bridge.fetch(new Request("http://bridge.test/v3/clusters")));
  const wire = await openWire(bridge);
  expect((await wire.call("GET /v3/clusters")).status).toBe(200);
  expect(new Set((await Promise.all(strangers)).map(({ status }) => status))).toEqual(new Set([401]));
});

const record = (more: Partial<RecordToAppend> = {}): RecordToAppend => ({ partition: 0, timestamp: 1_700_000_000_000, key: null, value: new Uint8Array(3), headers: [], size: 80, ...more });

/** A Kafka with one partition that holds nothing but these batches. */
async function holding(batches: Uint8Array, latest: number) {
  const answers: Record<number, Uint8Array> = { [METADATA]: metadata(PORTS, { t: 1 }), [OFFSETS]: offsetOf("t", 0), [FETCH]: fetched("t", { batches, latest }) };
  const bridge = bridgeTo(scriptedKafka({ ports: PORTS, answer: ({ api }) => answers[api] ?? never() }));
  return { log: bridge.log, ...(await openWire(bridge)) };
}

it.each([
  [-9e15, "-271821-04-20T00:00:00Z"],
  [9e15, "+275760-09-13T00:00:00Z"],
])("reads a record of the time %d, which no date can tell, as of the nearest", async (timestamp, told) => {
  const wire = await holding(encodeBatch([record({ timestamp })], { producer: 1n, epoch: 0, sequence: 0 }), 1);
  const { status, body } = await wire.read("t");
  expect([status, body.data.map((one: any) => one.timestamp)]).toEqual([200, [told]]);
});

it("goes on behind records that cannot be read, and says once which they are", async () => {
  const large = record({ value: new Uint8Array(9 * 1024 * 1024), size: 9 * 1024 * 1024 + 100 });
  const wire = await holding(zippedBatch([record(), large, record()]), 3);
  for (let times = 0; times < 2; times++) {
    const { body } = await wire.read("t", 0, "?offset=1");
    expect([body.data.map(({ offset }: any) => offset), body.metadata.next]).toEqual([[2], expect.stringContaining("offset=3")]);
  }
  expect(wire.log).toEqual([{ level: "error", service: "broker", message: "Passed over what cannot be read (t/0, offset 1)", error: expect.stringContaining("Cannot hand on a record of") }]);
});

it("stays responsive, and ends in time, whatever its batches unpack to", async () => {
  const bomb = zippedBatch([record({ value: new Uint8Array(31 * 1024 * 1024), size: 31 * 1024 * 1024 + 100 })]);
  const batches = new Uint8Array(100 * bomb.length);
  for (let index = 0; index < 100; index++) {
    batches.set(bomb, index * bomb.length);
    new DataView(batches.buffer).setBigInt64(index * bomb.length, BigInt(index));
  }
  const wire = await holding(batches, 1000);
  const began = Date.now();
  let longest = 0;
  let last = Date.now();
  const beat = setInterval(() => {
    longest = Math.max(longest, Date.now() - last);
    last = Date.now();
  }, 10);
  const { status, body } = await wire.call(`GET ${wire.topics}/t/partitions/0/records`, { headers: { "x-deadline-ms": "1000" } });
  clearInterval(beat);
  expect([status, body.data, Number(/offset=(\d+)/.exec(body.metadata.next)?.[1]) > 0]).toEqual([200, [], true]);
  expect(Date.now() - began).toBeLessThan(4000);
  expect(longest).toBeLessThan(1000);
});
