import kafkajs from "kafkajs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { base64, fresh, openWire, reportsIn, string, textOf, type Wire } from "../wire/broker/wire.ts";
import { bridgeUnderTest, otherClient } from "./bridge.ts";

const bridge = bridgeUnderTest();
const other = otherClient();
const producer = other.producer({ allowAutoTopicCreation: false, createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
const admin = other.admin();
let wire: Wire;

beforeAll(async () => {
  wire = await openWire(bridge);
  await Promise.all([producer.connect(), admin.connect()]);
});
afterAll(async () => {
  await Promise.all([producer.disconnect(), admin.disconnect()]);
  bridge.close();
});

function times<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => work(index)));
}

function count(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}

async function everything(topic: string, partition = 0, max = 500): Promise<any[]> {
  const all: any[] = [];
  let path = `${wire.topics}/${topic}/partitions/${partition}/records?max=${max}`;
  for (;;) {
    const { body } = await wire.call(`GET ${path}`);
    if (body.data.length === 0) return all;
    all.push(...body.data);
    path = body.metadata.next.slice(body.metadata.next.indexOf("/v3"));
  }
}

const values = async (topic: string, partition = 0) => (await everything(topic, partition)).map(({ value }) => textOf(value));

it("gives fifty producers on one partition offsets without a gap or a double, and each its own order", async () => {
  const topic = await wire.newTopic();
  const reports = await times(50, (index) => wire.produce(topic, ...count(20).map((record) => ({ value: string(`${index}.${record}`) }))));
  expect(reports.flat().map(({ offset }) => offset).toSorted((a, b) => a - b)).toEqual(count(1000));
  const kept = await values(topic);
  for (const [index, some] of reports.entries()) expect(some.map(({ offset }) => kept[offset])).toEqual(count(20).map((record) => `${index}.${record}`));
});

it("keeps the order of each key over partitions, however many streams there are", async () => {
  const topic = await wire.newTopic(5);
  await times(12, async (index) => {
    const body = count(300).map((record) => JSON.stringify({ key: string(`${index}`), value: string(`${record}`) })).join("");
    const { text } = await wire.call(`POST ${wire.topics}/${topic}/records`, { body });
    expect(reportsIn(text).filter(({ error_code }) => error_code !== 200)).toEqual([]);
  });
  const all = (await times(5, (partition) => everything(topic, partition))).flat();
  expect(all).toHaveLength(3600);
  for (const index of count(12)) expect(all.filter(({ key }) => textOf(key) === `${index}`).map(({ value }) => Number(textOf(value)))).toEqual(count(300));
});

it("loses nothing that comes after what was refused, whatever partition it is of", async () => {
  const topic = await wire.newTopic(2, { configs: [{ name: "max.message.bytes", value: "1000" }] });
  const large = { partition_id: 1, value: string("x".repeat(2000)) };
  const small = (partition_id: number, value: string) => ({ partition_id, value: string(value) });
  for (const round of count(3)) {
    const reports = await wire.produce(topic, small(0, `${round}`), large, small(1, `${round}`), large);
    expect(reports.map(({ error_code }) => error_code)).toEqual([200, 413, 200, 413]);
  }
  expect([await values(topic, 0), await values(topic, 1)]).toEqual([["0", "1", "2"], ["0", "1", "2"]]);
});

it("takes more than one batch may have, in order", async () => {
  const topic = await wire.newTopic(1, { configs: [{ name: "max.message.bytes", value: "3000" }] });
  const sent = count(100).map((index) => `${index}:${"x".repeat(index * 10)}`);
  expect((await wire.produce(topic, ...sent.map((value) => ({ value: string(value) })))).map(({ offset }) => offset)).toEqual(count(100));
  expect(await values(topic)).toEqual(sent);
});

it.each(["gzip", "snappy", "lz4", "zstd"])("reads what the topic has compressed by %s", async (codec) => {
  const topic = await wire.newTopic(1, { configs: [{ name: "compression.type", value: codec }] });
  const sent = count(90).map((index) => [`${index}`.repeat(index * 20), crypto.randomUUID().repeat(index), JSON.stringify({ index, same: "again and again" })][index % 3] ?? "");
  await wire.produce(topic, ...sent.map((value) => ({ value: string(value), headers: [{ name: "h", value: base64("v") }] })));
  expect(await values(topic)).toEqual(sent);
});

it("reads what other clients have written, and from the middle of their batches", async () => {
  const topic = await wire.newTopic();
  await producer.send({ topic, compression: kafkajs.CompressionTypes.GZIP, messages: count(50).map((index) => ({ key: `k${index}`, value: `v${index}`, headers: { h: `${index}` } })) });
  expect((await everything(topic)).map(({ offset, key, value, headers }) => [offset, textOf(key), textOf(value), textOf({ data: headers[0].value })])).toEqual(
    count(50).map((index) => [index, `k${index}`, `v${index}`, `${index}`]),
  );
  const { body } = await wire.read(topic, 0, "?offset=33&max=4");
  expect([body.data.map(({ offset }: any) => offset), body.metadata.next]).toEqual([[33, 34, 35, 36], expect.stringContaining("offset=37")]);
});

it("reads on past a time that no date can tell, and past what is beyond its bounds", async () => {
  const topic = await wire.newTopic();
  await producer.send({ topic, messages: [{ value: "early", timestamp: "-9000000000000000" }] });
  await producer.send({ topic, compression: kafkajs.CompressionTypes.GZIP, messages: count(36).map(() => ({ value: Buffer.alloc(1024 * 1024) })) });
  await wire.produce(topic, { value: string("after") });
  const read = async (offset: number) => (await wire.read(topic, 0, `?offset=${offset}`)).body.data;
  expect([await read(0), await read(31), await read(32)]).toMatchObject([[{ offset: 0, timestamp: "-271821-04-20T00:00:00Z" }], [{ offset: 31 }], [{ offset: 37 }]]);
  expect(bridge.log.splice(0)).toMatchObject([{ level: "error", message: `Passed over what cannot be read (${topic}/0, offsets 32 to 36)` }]);
});

it("reads no record of a transaction that was given up, none that is not committed yet, and none of Kafka's own marks", async () => {
  const topic = await wire.newTopic();
  const transactional = other.producer({ transactionalId: fresh("tx-"), idempotent: true, maxInFlightRequests: 1, createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
  await transactional.connect();
  const transaction = async (name: string, end: "commit" | "abort") => {
    const begun = await transactional.transaction();
    await begun.send({ topic, messages: [{ value: `${name}1` }, { value: `${name}2` }] });
    if (name === "open") expect((await wire.read(topic, 0, "?offset=6")).body).toMatchObject({ latest_offset: 6, data: [] });
    await begun[end]();
  };
  await transaction("a", "commit");
  await transaction("b", "abort");
  await transaction("open", "commit");
  await wire.produce(topic, { value: string("plain") });
  expect((await everything(topic, 0, 2)).map(({ offset, value }) => [offset, textOf(value)])).toEqual([[0, "a1"], [1, "a2"], [6, "open1"], [7, "open2"], [9, "plain"]]);
  await transactional.disconnect();
});

it("begins where retention has left off", async () => {
  const topic = await wire.newTopic();
  await wire.produce(topic, ...count(10).map((index) => ({ value: string(`${index}`) })));
  // Else it does not know where the partition is.
  await admin.fetchTopicOffsets(topic);
  await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: "7" }] });
  expect((await wire.call(`GET ${wire.topics}/${topic}/partitions/0/offset`)).body).toMatchObject({ earliest_offset: 7, latest_offset: 10 });
  expect((await wire.read(topic)).body).toMatchObject({ earliest_offset: 7, latest_offset: 10 });
  expect(await values(topic)).toEqual(["7", "8", "9"]);
  expect((await wire.read(topic, 0, "?offset=6")).body.error_code).toBe(40002);
});

it("keeps nothing of a topic that is deleted while it is written to", async () => {
  const topic = await wire.newTopic();
  const work = times(30, () => wire.produce(topic, { value: string("v") }));
  expect((await wire.call(`DELETE ${wire.topics}/${topic}`)).status).toBe(204);
  const codes = (await work).flat().map(({ error_code }) => error_code);
  expect(codes.filter((code) => ![200, 40401, 50003].includes(code))).toEqual([]);
  expect((await wire.call(`POST ${wire.topics}`, { body: { topic_name: topic } })).status).toBe(201);
  expect(await wire.produce(topic, { value: string("v") })).toMatchObject([{ error_code: 200, offset: 0 }]);
  expect(await values(topic)).toEqual(["v"]);
});

it("creates one topic of twenty that are asked for at once", async () => {
  const name = fresh("t-");
  const answers = await times(20, () => wire.call(`POST ${wire.topics}`, { body: { topic_name: name } }));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  for (const { status, body } of answers.filter((answer) => answer.status !== 201)) expect([status, body.message]).toEqual([400, `Topic '${name}' already exists.`]);
});

it("answers each record before the stream has ended", async () => {
  const topic = await wire.newTopic();
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const { username, password } = bridge.credentials ?? { username: "", password: "" };
  const headers = { "content-type": "application/json", authorization: `Basic ${base64(`${username}:${password}`)}` };
  const response = await bridge.fetch(new Request(`${bridge.baseUrl}${wire.topics}/${topic}/records`, { method: "POST", headers, body: readable, duplex: "half" } as RequestInit));
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (const offset of [0, 1]) {
    void writer.write(new TextEncoder().encode(JSON.stringify({ value: string("v") })));
    expect(JSON.parse((await reader?.read())?.value ?? "")).toMatchObject({ error_code: 200, offset });
  }
  await writer.close();
  expect((await reader?.read())?.done).toBe(true);
});

it("says how it is to everybody, and what it holds to nobody without the credentials", async () => {
  for (const path of ["/health", "/actuator/health", "/actuator/health/kafka", "/actuator/health/liveness"]) {
    expect((await wire.send(`${bridge.baseUrl}${path}`)).body).toMatchObject({ status: "UP" });
  }
  expect((await wire.send(`${bridge.baseUrl}/health/nothing`)).status).toBe(404);
  expect((await wire.send(`${bridge.baseUrl}/v3/clusters`)).status).toBe(401);
  expect(bridge.log).toEqual([]);
});
