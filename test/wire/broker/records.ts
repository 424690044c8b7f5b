import { expect, it } from "vitest";
import { base64, fresh, reportsIn, string, textOf, type Wire } from "./wire.ts";

export function recordsSuite(at: () => Wire): void {
  const records = (topic: string) => `POST ${at().topics}/${topic}/records`;

  it("keeps a record whole, and says where", async () => {
    const topic = await at().newTopic(2);
    const record = {
      partition_id: 1,
      headers: [{ name: "ce_id", value: base64("7") }, { name: "ce_id", value: base64("8") }, { name: "empty", value: null }],
      key: string("k"),
      value: { type: "JSON", data: { a: [1, "ü"] } },
      timestamp: "2021-02-05T19:14:42Z",
    };
    const [report] = await at().produce(topic, record);
    expect(report).toEqual({
      error_code: 200,
      cluster_id: at().cluster,
      topic_name: topic,
      partition_id: 1,
      offset: 0,
      timestamp: record.timestamp,
      key: { type: "STRING", size: 1 },
      value: { type: "JSON", size: 14 },
    });
    const { body } = await at().read(topic, 1);
    expect(body.data).toEqual([expect.objectContaining({ offset: 0, partition_id: 1, timestamp: record.timestamp, headers: record.headers })]);
    expect([textOf(body.data[0].key), textOf(body.data[0].value)]).toEqual(["k", '{"a":[1,"ü"]}']);
  });

  it.each<[string, unknown, string | null]>([
    ["STRING", "text ü", "text ü"],
    ["STRING", "", ""],
    ["STRING", null, null],
    ["BINARY", base64("bytes"), "bytes"],
    ["BINARY", "", ""],
    ["JSON", { b: 1, a: null }, '{"b":1,"a":null}'],
    ["JSON", "text", '"text"'],
    ["JSON", false, "false"],
    ["JSON", null, null],
  ])("serializes %s %j as Kafka's clients do", async (type, data, expected) => {
    const topic = await at().newTopic();
    const [report] = await at().produce(topic, { value: { type, data } });
    expect(report).toMatchObject({ error_code: 200, value: { type, size: expected === null ? -1 : Buffer.byteLength(expected) } });
    const { value } = (await at().read(topic)).body.data[0];
    expect(value === null ? null : textOf(value)).toBe(expected);
  });

  it("keeps numbers that no double holds", async () => {
    const topic = await at().newTopic();
    await at().call(records(topic), { body: '{"value":{"type":"JSON","data":[12345678901234567890,1.10,1e400]}}' });
    expect(textOf((await at().read(topic)).body.data[0].value)).toBe("[12345678901234567890,1.10,1e400]");
  });

  it("takes a record of nothing", async () => {
    const topic = await at().newTopic();
    expect(await at().produce(topic, {})).toMatchObject([{ error_code: 200, offset: 0 }]);
    expect((await at().read(topic)).body.data[0]).toMatchObject({ key: null, value: null, headers: [] });
  });

  it("puts keyed records where Kafka's own clients do", async () => {
    const topic = await at().newTopic(7);
    const placed = await at().produce(topic, ...PLACED.map(([key]) => ({ key: string(key), value: string("v") })));
    expect(placed.map(({ partition_id }) => partition_id)).toEqual(PLACED.map(([, hash]) => (hash & 0x7fffffff) % 7));
  });

  it("lets the producer choose the partition, also against the key", async () => {
    const topic = await at().newTopic(7);
    const placed = await at().produce(topic, ...[0, 1, 2, 3, 4, 5, 6].map((partition_id) => ({ partition_id, key: string("same") })));
    expect(placed.map(({ partition_id }) => partition_id)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it("spreads records without a key", async () => {
    const topic = await at().newTopic(3);
    const placed = await at().produce(topic, ...Array.from({ length: 60 }, () => ({ value: string("v") })));
    expect(new Set(placed.map(({ partition_id }) => partition_id))).toEqual(new Set([0, 1, 2]));
  });

  it.each(["\n", "", " ", "\r\n\t"])("answers a stream in order, with one report for each: separated by %j", async (separator) => {
    const topic = await at().newTopic();
    const sent = Array.from({ length: 250 }, (_, index) => JSON.stringify({ partition_id: 0, value: string(`}{"\\${index}`) }));
    const { status, text, headers } = await at().call(records(topic), { body: sent.join(separator) });
    expect([status, headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(reportsIn(text).map(({ offset }) => offset)).toEqual(sent.map((_, index) => index));
    const { body } = await at().read(topic, 0, "?max=500");
    expect(body.data.map((record: { value: { data: string } }) => textOf(record.value))).toEqual(sent.map((_, index) => `}{"\\${index}`));
  });

  it("delivers what is good of a stream, and tells what is not", async () => {
    const topic = await at().newTopic(2);
    const good = { partition_id: 0, value: string("v") };
    const reports = await at().produce(
      topic,
      good,
      { partition_id: 2, value: string("v") },
      { partition_id: -1, value: string("v") },
      { value: { data: "no type" } },
      { value: { type: "AVRO", data: "x" } },
      { value: { type: "BINARY", data: "!" } },
      { value: { type: "STRING", data: 1 } },
      { value: { type: "NOPE", data: 1 } },
      { value: { type: "STRING" } },
      { headers: [{ name: "h", value: "!" }] },
      { nope: 1 },
      { timestamp: "yesterday" },
      good,
    );
    expect(reports.map(({ error_code }) => error_code)).toEqual([200, 40401, 40402, 422, 422, 400, 400, 400, 400, 400, 400, 400, 200]);
    expect(reports[1].message).toBe(`Partition 2 of topic ${topic} with partition count 2 is not present in metadata after 60000 ms.`);
    expect(reports[3].message).toBe("Error: 42206 : Payload error. Schema Registry must be configured when using schemas.");
    expect([reports[0].offset, reports[12].offset]).toEqual([0, 1]);
  });

  it("says of a topic that is not there so for each record", async () => {
    const topic = fresh("no-");
    const missing = { error_code: 40401, message: `Topic ${topic} not present in metadata after 60000 ms.` };
    expect(await at().produce(topic, { value: string("a") }, { value: string("b") })).toEqual([missing, missing]);
  });

  it("refuses a record larger than its topic takes, and no other", async () => {
    const topic = await at().newTopic(1, { configs: [{ name: "max.message.bytes", value: "1000" }] });
    const reports = await at().produce(topic, { value: string("x".repeat(2000)) }, { value: string("x".repeat(500)) });
    expect(reports.map(({ error_code }) => error_code)).toEqual([413, 200]);
    expect(reports[0].message).toBe("The request included a message larger than the max message size the server will accept.");
  });

  it("refuses a time that is too far off, and no other record", async () => {
    const topic = await at().newTopic();
    const reports = await at().produce(topic, { value: string("a") }, { value: string("b"), timestamp: "2036-02-05T19:14:42Z" }, { value: string("c") });
    expect(reports.map(({ error_code }) => error_code)).toEqual([200, 40002, 200]);
    expect(reports[1].message).toMatch(/^Timestamp 2085851682000 of message with offset \d is out of range\. The timestamp should be within \[-\d+, \d+\]$/);
    expect((await at().read(topic)).body.data.map((record: any) => textOf(record.value))).toEqual(["a", "c"]);
    const lenient = await at().newTopic(1, { configs: [{ name: "message.timestamp.after.max.ms", value: "999999999999" }] });
    expect(await at().produce(lenient, { timestamp: "2036-02-05T19:14:42Z" })).toMatchObject([{ error_code: 200, timestamp: "2036-02-05T19:14:42Z" }]);
  });

  it("keeps headers as they came: in their order, with names that come again and names that are none of an object's", async () => {
    const topic = await at().newTopic();
    const headers = ["b", "2", "a", "1", "b", "__proto__", "", "ü"].map((name, index) => ({ name, value: index === 2 ? null : base64(`${index}`) }));
    await at().produce(topic, { headers });
    expect((await at().read(topic)).body.data[0].headers).toEqual(headers);
  });

  it("refuses a record without a key where the topic is compacted by it, and no other", async () => {
    const topic = await at().newTopic(1, { configs: [{ name: "cleanup.policy", value: "compact" }] });
    const reports = await at().produce(topic, { key: string("a"), value: string("1") }, { value: string("2") }, { key: string("b"), value: string("3") });
    expect(reports.map(({ error_code }) => error_code)).toEqual([200, 40002, 200]);
    expect(reports[1].message).toBe(`Compacted topic cannot accept message without key in topic partition ${topic}-0`);
    expect([reports[0].offset, reports[2].offset]).toEqual([0, 1]);
  });

  it("gives records the time of their arrival where the topic says so", async () => {
    const topic = await at().newTopic(1, { configs: [{ name: "message.timestamp.type", value: "LogAppendTime" }] });
    const [report] = await at().produce(topic, { value: string("v"), timestamp: "2001-01-01T00:00:00Z" });
    expect(Date.parse(report.timestamp)).toBeGreaterThan(Date.parse("2020-01-01T00:00:00Z"));
  });

  it("refuses no body at all", async () => {
    const answer = await at().call(records(await at().newTopic()), { body: "" });
    // Where the connection tells of no length, the answer has begun before the end is known.
    expect(String(answer.body.error_code)).toMatch(/^422/);
    expect(answer.text).toContain("Request body is empty. Data is required.");
  });
}

/** Kafka's own (UtilsTest): the murmur2 of each. */
export const PLACED: [string, number][] = [
  ["21", -973932308],
  ["foobar", -790332482],
  ["a-little-bit-long-string", -985981536],
  ["a-little-bit-longer-string", -1486304829],
  ["lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971],
  ["abc", 479470107],
];
