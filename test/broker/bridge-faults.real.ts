import { afterEach, beforeEach, expect, it } from "vitest";
import { CredentialsRefused, type KafkaConnection, type KafkaNetwork, type RawRequest } from "../../src/broker/bridge/network.ts";
import { openWire, string, textOf, type Wire } from "../wire/broker/wire.ts";
import { bridgeOver, type BridgeUnderTest } from "./bridge.ts";

const PRODUCE = 0;
const FETCH = 1;
const METADATA = 3;
const CREATE_TOPICS = 19;

let bridge: BridgeUnderTest;
let wire: Wire;
/** What becomes of a request on its way to Kafka. */
let onSend: (request: RawRequest, through: () => Promise<Uint8Array>, connection: KafkaConnection) => Promise<Uint8Array>;
let onConnect: (through: () => Promise<KafkaConnection>) => Promise<KafkaConnection>;
let connected: KafkaConnection[];

beforeEach(async () => {
  onSend = (_, through) => through();
  onConnect = (through) => through();
  connected = [];
  bridge = bridgeOver(spoiled);
  wire = await openWire(bridge);
});
afterEach(() => bridge.close());

function spoiled({ brokers, connect }: KafkaNetwork): KafkaNetwork {
  return {
    brokers,
    connect: (to) =>
      onConnect(async () => {
        const connection = await connect(to);
        connected.push(connection);
        return { ...connection, send: (request) => onSend(request, () => connection.send(request), connection) };
      }),
  };
}

const never = () => new Promise<never>(() => {});
const send = (topic: string, ...values: string[]) => wire.produce(topic, ...values.map((value) => ({ value: string(value) })));
const read = async (topic: string) => (await wire.read(topic, 0, "?max=500")).body.data.map(({ value }: any) => textOf(value));
const codes = (reports: any[]) => reports.map(({ error_code }) => error_code);

/** Of the requests of one API the first `times`. */
function first(api: number, times: number, then: typeof onSend): typeof onSend {
  let left = times;
  return (request, through, connection) => (request.api === api && left-- > 0 ? then(request, through, connection) : through());
}

it.each<[string, typeof onSend]>([
  ["did not get there", (_, __, connection) => (connection.close(), Promise.reject(new Error("reset")))],
  ["got there, and the connection broke before the answer", (_, through, connection) => through().then(() => (connection.close(), Promise.reject(new Error("reset"))))],
])("keeps a record once that %s", async (_, fault) => {
  const topic = await wire.newTopic();
  expect(codes(await send(topic, "a"))).toEqual([200]);
  onSend = first(PRODUCE, 3, fault);
  const reports = await send(topic, "b", "c");
  expect(reports.map(({ error_code, offset }) => [error_code, offset])).toEqual([[200, 1], [200, 2]]);
  expect(codes(await send(topic, "d"))).toEqual([200]);
  expect(await read(topic)).toEqual(["a", "b", "c", "d"]);
});

it("keeps what waits behind a batch that has to be sent again, each record once and where its report says", async () => {
  const topic = await wire.newTopic();
  onSend = first(PRODUCE, 2, (_, through, connection) => through().then(() => (connection.close(), Promise.reject(new Error("reset")))));
  const reports = await Promise.all(Array.from({ length: 10 }, (_, index) => send(topic, `${index}`)));
  expect(codes(reports.flat())).toEqual(Array.from({ length: 10 }, () => 200));
  // Which of them came first is nobody's promise, but each is where its report says, once.
  const offsets = reports.map(([{ offset }]) => offset);
  expect(offsets.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 10 }, (_, index) => index));
  expect(await read(topic)).toEqual(Array.from({ length: 10 }, (_, offset) => `${offsets.indexOf(offset)}`));
});

it.each([true, false])("says that it does not know when Kafka is silent, and takes what comes next for what it is: kept %s", async (isKept) => {
  const topic = await wire.newTopic();
  await send(topic, "a");
  const began = Date.now();
  onSend = (request, through) => (request.api === PRODUCE ? (isKept ? through().then(never) : never()) : through());
  const body = { value: string("b") };
  const { text } = await wire.call(`POST ${wire.topics}/${topic}/records`, { body, headers: { "x-deadline-ms": "700" } });
  expect(JSON.parse(text)).toEqual({ error_code: 50003, message: "The broker did not say in time whether it has kept the record." });
  expect(Date.now() - began).toBeLessThan(3000);
  onSend = (_, through) => through();
  // As many as those it does not know of, so that nothing but their number tells them apart.
  expect(codes(await send(topic, "c"))).toEqual([200]);
  expect(codes(await send(topic, "d"))).toEqual([200]);
  expect(await read(topic)).toEqual(isKept ? ["a", "b", "c", "d"] : ["a", "c", "d"]);
});

it("fences what was given up: Kafka does not keep it when it arrives after what came next", async () => {
  const topic = await wire.newTopic();
  await send(topic, "a");
  let overtaken: RawRequest | undefined;
  onSend = (request, through) => {
    if (request.api !== PRODUCE) return through();
    overtaken = request;
    return never();
  };
  await wire.call(`POST ${wire.topics}/${topic}/records`, { body: { value: string("b") }, headers: { "x-deadline-ms": "500" } });
  onSend = (_, through) => through();
  expect(codes(await send(topic, "c"))).toEqual([200]);
  await connected.at(-1)?.send(overtaken ?? { api: 0, version: 0, body: new Uint8Array() });
  expect(await read(topic)).toEqual(["a", "c"]);
});

it("is away at once while Kafka is, says so once, and is back as soon as it is", async () => {
  const topic = await wire.newTopic();
  onConnect = () => Promise.reject(new Error("ECONNREFUSED"));
  for (const connection of connected) connection.close();
  const began = Date.now();
  const away = { error_code: 50302, message: "The broker is not available." };
  for (const line of ["GET /v3/clusters", `GET ${wire.topics}`, `GET ${wire.topics}/${topic}/partitions/0/records`, `DELETE ${wire.topics}/${topic}`]) {
    const { status, body, headers } = await wire.call(line);
    expect([status, body, headers.get("retry-after")]).toEqual([503, away, "1"]);
  }
  expect((await wire.call(`POST ${wire.topics}/${topic}/records`, { body: { value: string("x") } })).body).toEqual(away);
  const health = await wire.send(`${bridge.baseUrl}/health`);
  expect([health.status, health.body.status, (await wire.send(`${bridge.baseUrl}/health/liveness`)).status]).toEqual([503, "DOWN", 200]);
  expect(Date.now() - began).toBeLessThan(2000);
  expect(bridge.log).toEqual([expect.objectContaining({ level: "warn", message: "Cannot reach Kafka", error: expect.stringContaining("ECONNREFUSED") })]);
  onConnect = (through) => through();
  await expect.poll(async () => codes(await send(topic, "y"))).toEqual([200]);
  expect(await read(topic)).toEqual(["y"]);
  expect(bridge.log[1]).toMatchObject({ level: "info", message: "Kafka can be reached again" });
});

it("waits no longer than its caller for a Kafka that swallows everything", async () => {
  const topic = await wire.newTopic();
  onConnect = never;
  onSend = never;
  const began = Date.now();
  for (const path of ["", `/${topic}`, `/${topic}/partitions/0/records`]) {
    const { status, body } = await wire.call(`GET ${wire.topics}${path}`, { headers: { "x-deadline-ms": "300" } });
    expect([status, body.error_code]).toEqual([503, 50302]);
  }
  expect(Date.now() - began).toBeLessThan(2000);
});

it("asks again by itself where a connection had died unnoticed", async () => {
  const topic = await wire.newTopic();
  await send(topic, "a");
  onSend = first(METADATA, 1, () => Promise.reject(new Error("reset")));
  expect((await wire.call(`GET ${wire.topics}/${topic}`)).status).toBe(200);
  onSend = first(FETCH, 1, () => Promise.reject(new Error("reset")));
  expect(await read(topic)).toEqual(["a"]);
});

it("never repeats a creation, and says that it may have happened", async () => {
  let creations = 0;
  onSend = async (request, through) => {
    if (request.api !== CREATE_TOPICS) return through();
    creations += 1;
    await through();
    throw new Error("reset");
  };
  const name = `t-${crypto.randomUUID()}`;
  const { status, body } = await wire.call(`POST ${wire.topics}`, { body: { topic_name: name } });
  expect([status, body.error_code, creations]).toEqual([500, 50003, 1]);
  expect((await wire.call(`GET ${wire.topics}/${name}`)).status).toBe(200);
});

it("tells that Kafka does not want it", async () => {
  onConnect = () => Promise.reject(new CredentialsRefused("Kafka does not accept the credentials"));
  for (const connection of connected) connection.close();
  const { status, body } = await wire.call("GET /v3/clusters");
  expect([status, body.error_code]).toEqual([401, 40101]);
  expect(bridge.log).toEqual([expect.objectContaining({ level: "warn", error: expect.stringContaining("CredentialsRefused") })]);
});

it("takes a bounded number of requests at once", async () => {
  const topic = await wire.newTopic();
  onSend = (request, through) => (request.api === METADATA ? never() : through());
  const answers = await Promise.all(Array.from({ length: 140 }, () => wire.call(`GET ${wire.topics}/${topic}`, { headers: { "x-deadline-ms": "400" } })));
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(12);
  onSend = (_, through) => through();
  expect((await wire.call(`GET ${wire.topics}/${topic}`)).status).toBe(200);
});
