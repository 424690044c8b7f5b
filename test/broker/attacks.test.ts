import { afterAll, beforeAll, expect, it } from "vitest";
import { embeddedBroker } from "../../src/broker/embedded/app.ts";
import { murmur2, partitionOf } from "../../src/broker/rest/records/partitioner.ts";
import { operationCodes } from "../../src/broker/acl-operation.ts";
import { database } from "../../src/database/client.ts";
import { PLACED } from "../wire/broker/records.ts";
import { fresh, openWire, reportsIn, string, textOf, type Wire } from "../wire/broker/wire.ts";
import { embeddedUnderTest, type EmbeddedUnderTest } from "./embedded.ts";

let under: EmbeddedUnderTest;
let wire: Wire;

beforeAll(async () => {
  under = await embeddedUnderTest();
  wire = await openWire(under);
});
afterAll(() => under.close());

const MIB = 1024 * 1024;

function nested(depth: number): string {
  return `${"[".repeat(depth)}${"]".repeat(depth)}`;
}

function streamed(topic: string, parts: (string | Uint8Array | Error)[]): Promise<{ status: number; reports: any[] }> {
  const rest = [...parts];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const part = rest.shift();
      if (part === undefined) controller.close();
      else if (part instanceof Error) controller.error(part);
      else controller.enqueue(typeof part === "string" ? new TextEncoder().encode(part) : part);
    },
  });
  const { username, password } = under.credentials ?? { username: "", password: "" };
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  const init = { method: "POST", headers: { authorization, "content-type": "application/json" }, body, duplex: "half" };
  const request = new Request(`${under.baseUrl}${wire.topics}/${topic}/records`, init as RequestInit);
  return Promise.resolve(under.fetch(request)).then(async (response) => ({ status: response.status, reports: reportsIn(await response.text()) }));
}

const record = (value: string) => JSON.stringify({ partition_id: 0, value: string(value) });

async function values(topic: string): Promise<string[]> {
  return (await wire.read(topic, 0, "?max=500")).body.data.map(({ value }: any) => textOf(value));
}

it.each(PLACED)("hashes %j as Kafka's clients do", (key, hash) => {
  expect(murmur2(new TextEncoder().encode(key))).toBe(hash);
  // Also as part of a larger buffer, and of every length at its end.
  expect(murmur2(new TextEncoder().encode(`xyz${key}`).subarray(3))).toBe(hash);
  expect(partitionOf(new TextEncoder().encode(key), 50)).toBe((hash & 0x7fffffff) % 50);
});

it("hashes bytes beyond ASCII as unsigned", () => {
  // Kafka's UtilsTest has this one too.
  expect(murmur2(new Uint8Array([97, 98, 99]))).toBe(479470107);
  for (const length of [0, 1, 2, 3, 4, 5]) {
    const place = partitionOf(new Uint8Array(length).fill(0xff), 3);
    expect([0, 1, 2]).toContain(place);
  }
});

it("gives operations Kafka's byte codes, and 0 to what it does not know", () => {
  expect(operationCodes(["WRITE", "READ", "READ", "TWO_PHASE_COMMIT", "IDEMPOTENT_WRITE", "NEW_ONE"])).toEqual([0, 3, 4, 12, 15]);
});

it.each([["{", "}"], ["", ""], ["[", "]"], ['{"topic_name":"t","x":', "}"]])("refuses a body nested without end: %j", async (before, after) => {
  const body = `${before}${nested(400_000)}${after}`;
  for (const path of ["", "/t/records:batch", "/t/configs:alter"]) {
    const answer = await wire.call(`POST ${wire.topics}${path}`, { body });
    expect([answer.status, answer.body.error_code]).toEqual([400, 400]);
  }
  const topic = await wire.newTopic();
  const { text } = await wire.call(`POST ${wire.topics}/${topic}/records`, { body });
  expect(reportsIn(text).map(({ error_code }) => error_code)).toEqual([400]);
});

it("keeps a value nested as deep as may be, and none that is deeper", async () => {
  const topic = await wire.newTopic();
  const deeper = await wire.call(`POST ${wire.topics}/${topic}/records`, { body: `{"value":{"type":"JSON","data":${nested(999)}}}` });
  expect(reportsIn(deeper.text)).toEqual([{ error_code: 400, message: expect.stringContaining("nesting depth (1001)") }]);
  const data = nested(990);
  const { text } = await wire.call(`POST ${wire.topics}/${topic}/records`, { body: `{"value":{"type":"JSON","data":${data}}}` });
  expect(reportsIn(text).map(({ error_code }) => error_code)).toEqual([200]);
  expect(await values(topic)).toEqual([data]);
});

it("refuses a body of more than 1 MiB, and takes one of less", async () => {
  const topic = await wire.newTopic();
  const post = (path: string, body: string) => wire.call(`POST ${wire.topics}${path}`, { body });
  for (const path of ["", `/${topic}/records:batch`, `/${topic}/configs:alter`]) {
    const answer = await post(path, `{"topic_name":"${"x".repeat(MIB)}"}`);
    expect([answer.status, answer.body.error_code]).toEqual([413, 413]);
  }
  const large = "x".repeat(MIB - 100);
  expect(reportsIn((await post(`/${topic}/records`, record(large))).text).map(({ error_code }) => error_code)).toEqual([200]);
  expect(await values(topic)).toEqual([large]);
});

it("ends a stream at 1 MiB, and keeps what came before", async () => {
  const topic = await wire.newTopic();
  const part = record("x".repeat(300_000));
  const { status, reports } = await streamed(topic, [part, part, part, part, part]);
  expect(status).toBe(200);
  expect(reports.map(({ error_code }) => error_code)).toEqual([200, 200, 200, 413]);
  expect((await wire.read(topic)).body.latest_offset).toBe(3);
});

it("announced as too large, it is not even begun", async () => {
  const topic = await wire.newTopic();
  const { status, body } = await wire.call(`POST ${wire.topics}/${topic}/records`, { body: record("a"), headers: { "content-length": String(2 * MIB) } });
  expect([status, body.error_code, (await wire.read(topic)).body.latest_offset]).toEqual([413, 413, 0]);
});

it.each<[string, (string | Uint8Array | Error)[], string[], number]>([
  ["ends in the middle of a record", [record("a"), record("b").slice(0, -3)], ["a"], 400],
  ["ends in the middle of a string", [record("a"), '{"value":{"type":"STRING","data":"'], ["a"], 400],
  ["breaks off", [record("a"), record("b").slice(0, 5), new Error("gone")], ["a"], 400],
  ["turns into something else", [record("a"), "garbage", record("b")], ["a"], 400],
  ["is a list", [`[${record("a")}]`], [], 400],
  ["has commas in between", [`${record("a")},${record("b")}`], ["a"], 400],
  ["has one bracket too many", [`${record("a")}}`, record("b")], ["a"], 400],
  ["has brackets that do not match", [record("a"), '{"value":]', record("b")], ["a", "b"], 400],
  ["is not UTF-8", [record("a"), new Uint8Array([0x7b, 0x22, 0xff, 0xfe])], ["a"], 400],
  ["is not UTF-8 within a record that else is whole", [record("a"), '{"value":{"type":"STRING","data":"', new Uint8Array([0xff]), '"}}', record("b")], ["a"], 400],
  ["is cut within a character", [record("a"), new Uint8Array([0x7b, 0x22, 0xc3])], ["a"], 400],
])("delivers what is whole of a stream that %s", async (_, parts, expected, code) => {
  const topic = await wire.newTopic();
  const { status, reports } = await streamed(topic, parts);
  expect(status).toBe(200);
  expect(reports.filter(({ error_code }) => error_code === 200)).toHaveLength(expected.length);
  expect(reports.filter(({ error_code }) => error_code !== 200)).toEqual([{ error_code: code, message: expect.stringMatching(/^Bad Request: /) }]);
  expect(await values(topic)).toEqual(expected);
});

it("reads records wherever the pieces of the stream are cut", async () => {
  const topic = await wire.newTopic();
  const bytes = new TextEncoder().encode(`${record("ü\\\"}{")} \r\n${record("漢字")}${record("")}`);
  const { reports } = await streamed(topic, Array.from(bytes, (byte) => new Uint8Array([byte])));
  expect(reports.map(({ error_code }) => error_code)).toEqual([200, 200, 200]);
  expect(await values(topic)).toEqual(["ü\\\"}{", "漢字", ""]);
});

it("answers each record before the stream has ended", async () => {
  const topic = await wire.newTopic();
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const open = await embeddedUnderTestOpen();
  const response = await open.fetch(
    new Request(`${under.baseUrl}${wire.topics}/${topic}/records`, { method: "POST", headers: { "content-type": "application/json" }, body: readable, duplex: "half" } as RequestInit),
  );
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (const offset of [0, 1]) {
    void writer.write(new TextEncoder().encode(record("v")));
    expect(JSON.parse((await reader?.read())?.value ?? "")).toMatchObject({ error_code: 200, offset });
  }
  await writer.close();
  expect((await reader?.read())?.done).toBe(true);
});

async function embeddedUnderTestOpen() {
  const app = embeddedBroker({ db: under.database.db, now: under.now });
  return { fetch: (request: Request) => app.fetch(request) };
}

it.each(["__proto__", "constructor", "toString"])("takes %s for nothing but a name", async (name) => {
  expect((await wire.call(`POST ${wire.topics}`, { body: `{"topic_name":"t","${name}":{"validate_only":true}}` })).status).toBe(400);
  const made = await wire.call(`POST ${wire.topics}`, { body: { topic_name: fresh("t-"), configs: [{ name, value: "1" }] } });
  expect([made.status, made.body.message]).toEqual([400, `Unknown topic config name: ${name}`]);
  const topic = await wire.newTopic();
  await wire.call(`POST ${wire.topics}/${topic}/records`, { body: `{"value":{"type":"JSON","data":{"${name}":1}}}` });
  expect(await values(topic)).toEqual([`{"${name}":1}`]);
});

it("keeps a NUL and half a character out of the database, and the rest of the record in", async () => {
  const topic = await wire.newTopic();
  const reports = await wire.produce(topic, { headers: [{ name: "a\u0000", value: null }] }, { headers: [{ name: "a\ud800", value: null }], key: string("\ud800"), value: string("a\u0000b") });
  expect(reports.map(({ error_code }) => error_code)).toEqual([400, 200]);
  expect(await values(topic)).toEqual(["a\u0000b"]);
});

it("is away when its database is, and says nothing of it", async () => {
  const db = database({ url: under.database.url, endpoint: under.database.endpoint, fetch: () => Promise.reject(new TypeError("ECONNREFUSED 10.0.0.1")), now: Date.now, timeout: 100 });
  const app = embeddedBroker({ db, now: Date.now });
  for (const path of ["/v3/clusters", "/v3/clusters/x/topics", "/v3/clusters/x/topics/t"]) {
    const response = await app.request(path);
    expect([response.status, await response.json()]).toEqual([503, { error_code: 50302, message: "The broker is not available." }]);
  }
});

it("tells each record when the database goes away in the middle of a stream", async () => {
  const topic = await wire.newTopic();
  let statements = 0;
  const db = database({
    url: under.database.url,
    endpoint: under.database.endpoint,
    fetch: (request) => (++statements > 1 ? Promise.reject(new TypeError("gone")) : under.database.fetch(request)),
    now: Date.now,
    timeout: 1000,
  });
  const app = embeddedBroker({ db, now: Date.now });
  const response = await app.request(`${wire.topics}/${topic}/records`, { method: "POST", headers: { "content-type": "application/json" }, body: record("a") + record("b") });
  const gone = { error_code: 50003, message: "The broker did not say in time whether it has kept the record." };
  expect([response.status, reportsIn(await response.text())]).toEqual([200, [gone, gone]]);
});

it("logs a defect in the middle of a stream too", async () => {
  const topic = await wire.newTopic();
  const lines: unknown[] = [];
  let statements = 0;
  const { db } = under.database;
  const execute = (statement: Parameters<typeof db.execute>[0]) => (++statements > 1 ? Promise.reject(new Error("secret detail")) : db.execute(statement));
  const app = embeddedBroker({ db: { execute } as unknown as typeof db, now: Date.now, log: (entry) => lines.push(entry) });
  const response = await app.request(`${wire.topics}/${topic}/records`, { method: "POST", headers: { "content-type": "application/json" }, body: record("a") });
  expect(reportsIn(await response.text())).toEqual([{ error_code: 500, message: "Internal Server Error" }]);
  expect(lines).toEqual([expect.objectContaining({ level: "error", service: "broker" })]);
});

it("logs a defect, and answers no more than that it is one", async () => {
  const lines: unknown[] = [];
  const db = { execute: () => Promise.reject(new Error("secret detail")) } as unknown as EmbeddedUnderTest["database"]["db"];
  const response = await embeddedBroker({ db, now: Date.now, log: (entry) => lines.push(entry) }).request("/v3/clusters");
  expect([response.status, await response.json()]).toEqual([500, { error_code: 500, message: "Internal Server Error" }]);
  expect(lines).toEqual([expect.objectContaining({ level: "error", service: "broker", route: "/v3/clusters" })]);
});
