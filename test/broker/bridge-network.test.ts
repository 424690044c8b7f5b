import { expect, it, onTestFinished } from "vitest";
import { brokerBridge } from "../../src/broker/bridge.ts";
import { kafkaClient } from "../../src/broker/bridge/client.ts";
import { metadataRequest } from "../../src/broker/bridge/protocol/metadata.ts";
import type { LogEntry } from "../../src/http/log.ts";
import { openWire } from "../wire/broker/wire.ts";
import { CREATE_TOPICS, createdUntold, METADATA, metadata, scriptedKafka } from "./scripted-kafka.ts";

const PORTS = [1, 2];
const CREDENTIALS = { username: "broker", password: "of the tests" };
const never = () => new Promise<never>(() => {});
const after = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

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
  const kafka = scriptedKafka({ ports: PORTS, answer: () => after(delay).then(() => metadata(PORTS)) });
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
    answer: ({ api }) => (api === CREATE_TOPICS ? createdUntold("t") : metadata(PORTS, api === METADATA ? { t: 3 } : {})),
  });
  const wire = await openWire(bridgeTo(kafka));
  const { status, body } = await wire.call(`POST ${wire.topics}`, { body: { topic_name: "t", ...more } });
  expect([status, body.partitions_count, body.replication_factor]).toEqual([more["validate_only"] ? 200 : 201, partitions, replicas]);
});
