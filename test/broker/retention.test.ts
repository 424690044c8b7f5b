import { afterAll, beforeAll, expect, it } from "vitest";
import { sweepBroker } from "../../src/broker/embedded/sweep.ts";
import { openWire, string, textOf, type Wire } from "../wire/broker/wire.ts";
import { embeddedUnderTest, type EmbeddedUnderTest } from "./embedded.ts";

let under: EmbeddedUnderTest;
let wire: Wire;

beforeAll(async () => {
  under = await embeddedUnderTest();
  wire = await openWire(under);
});
afterAll(() => under.close());

const MINUTE = 60_000;

function sweep(): Promise<number> {
  return sweepBroker({ db: under.database.db, now: under.now });
}

function topicWith(configs: Record<string, string | number>, partitions = 1): Promise<string> {
  return wire.newTopic(partitions, { configs: Object.entries(configs).map(([name, value]) => ({ name, value: String(value) })) });
}

async function send(topic: string, ...values: string[]): Promise<void> {
  const reports = await wire.produce(topic, ...values.map((value) => ({ partition_id: 0, value: string(value) })));
  expect(reports.map(({ error_code }) => error_code)).toEqual(values.map(() => 200));
}

async function left(topic: string): Promise<{ earliest: number; latest: number; values: string[] }> {
  const { body } = await wire.read(topic, 0, "?max=500");
  return { earliest: body.earliest_offset, latest: body.latest_offset, values: body.data.map((record: any) => textOf(record.value)) };
}

it("lets go of what is older than the topic keeps, and of nothing else", async () => {
  const topic = await topicWith({ "retention.ms": 10 * MINUTE });
  const kept = await topicWith({ "retention.ms": -1 });
  const compacted = await topicWith({ "retention.ms": 1, "cleanup.policy": "compact" });
  for (const each of [topic, kept]) await send(each, "a", "b");
  await wire.produce(compacted, { key: string("k"), value: string("a") }, { key: string("k"), value: string("b") });
  under.clock.shift += 6 * MINUTE;
  await send(topic, "c");
  expect(await sweep()).toBe(0);
  under.clock.shift += 5 * MINUTE;
  expect(await sweep()).toBe(2);
  expect(await left(topic)).toEqual({ earliest: 2, latest: 3, values: ["c"] });
  under.clock.shift += 30 * MINUTE;
  expect(await sweep()).toBe(1);
  expect(await left(topic)).toEqual({ earliest: 3, latest: 3, values: [] });
  await send(topic, "d");
  expect(await left(topic)).toEqual({ earliest: 3, latest: 4, values: ["d"] });
  expect([(await left(kept)).values, (await left(compacted)).values]).toEqual([["a", "b"], ["a", "b"]]);
  expect((await wire.read(topic, 0, "?offset=1")).body.error_code).toBe(40002);
});

it("goes by the record's own time, but never by one that is yet to come", async () => {
  const topic = await topicWith({ "retention.ms": 10 * MINUTE, "message.timestamp.after.max.ms": 1e9 });
  const at = (shift: number) => new Date(under.now() + shift).toISOString();
  await wire.produce(topic, { timestamp: at(-60 * MINUTE), value: string("old") }, { timestamp: at(9e8), value: string("future") }, { value: string("new") });
  expect(await sweep()).toBe(1);
  expect((await left(topic)).values).toEqual(["future", "new"]);
  under.clock.shift += 11 * MINUTE;
  await sweep();
  expect((await left(topic)).values).toEqual([]);
});

it("keeps no hole: what stands behind a younger record waits for it", async () => {
  const topic = await topicWith({ "retention.ms": 10 * MINUTE });
  await wire.produce(topic, { value: string("young") }, { timestamp: new Date(under.now() - 60 * MINUTE).toISOString(), value: string("old") });
  expect(await sweep()).toBe(0);
  expect((await left(topic)).values).toEqual(["young", "old"]);
  under.clock.shift += 11 * MINUTE;
  await sweep();
});

it("keeps at least so many bytes of each partition, and not a record more than it must", async () => {
  const topic = await topicWith({ "retention.bytes": 3000 }, 2);
  await send(topic, ...Array.from({ length: 10 }, (_, index) => `${index}`.repeat(930)));
  await wire.produce(topic, { partition_id: 1, value: string("x".repeat(930)) });
  expect(await sweep()).toBe(7);
  const { earliest, values } = await left(topic);
  expect([earliest, values.map((value) => value[0])]).toEqual([7, ["7", "8", "9"]]);
  expect((await wire.read(topic, 1)).body.data).toHaveLength(1);
  expect(await under.database.query(`select bytes from broker.partitions p join broker.topics t on t.id = p.topic where t.name = $1 order by partition`, [topic])).toEqual([
    { bytes: "3000" },
    { bytes: "1000" },
  ]);
});

it("removes what deleted topics leave, bounded at each call", async () => {
  const topic = await topicWith({});
  await under.database.query(
    `insert into broker.records (topic, partition, "offset", "timestamp", appended, headers, size)
    select id, 0, g, 0, 0, '[]', 70 from broker.topics, generate_series(0, 24999) g where name = $1`,
    [topic],
  );
  await wire.call(`DELETE ${wire.topics}/${topic}`);
  const counts: number[] = [];
  for (let call = 0; call < 3; call++) counts.push(await sweep());
  expect(counts[0]).toBe(20_000);
  expect(counts.slice(1)).toEqual([5001, 0]);
  expect(await under.database.query("select count(*) from broker.deleted_topics")).toEqual([{ count: "0" }]);
});

it("removes each record once, whoever sweeps, while others write", async () => {
  const topic = await topicWith({ "retention.ms": 10 * MINUTE });
  await send(topic, ...Array.from({ length: 100 }, (_, index) => `old-${index}`));
  under.clock.shift += 20 * MINUTE;
  const [counts] = await Promise.all([
    Promise.all(Array.from({ length: 8 }, sweep)),
    Promise.all(Array.from({ length: 20 }, (_, index) => send(topic, `new-${index}`))),
  ]);
  await sweep();
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(100);
  const { earliest, latest, values } = await left(topic);
  expect([earliest, latest, values.length]).toEqual([100, 120, 20]);
  expect(await under.database.query(`select bytes = (select sum(size) from broker.records r where r.topic = p.topic) as "isExact" from broker.partitions p join broker.topics t on t.id = p.topic where t.name = $1`, [topic])).toEqual([{ isExact: "t" }]);
});

it("leaves no hole and no wrong sum when sweepers whose clocks differ meet those who write", async () => {
  const topic = await topicWith({ "retention.ms": 10 * MINUTE });
  for (let round = 0; round < 6; round++) {
    await send(topic, ...Array.from({ length: 60 }, (_, index) => `${round}-${index}`));
    under.clock.shift += MINUTE;
    const sweepers = [9, 10, 11, 12, 13, 14].map((ahead) => sweepBroker({ db: under.database.db, now: () => under.now() + ahead * MINUTE }));
    await Promise.all([...sweepers, ...Array.from({ length: 20 }, (_, index) => send(topic, `${round}+${index}`))]);
    const { earliest, latest, values } = await left(topic);
    expect(values).toHaveLength(latest - earliest);
  }
  const [sum] = await under.database.query(
    `select p.bytes, coalesce(sum(r.size), 0) as kept, p.next_offset - p.first_offset - count(r.size) as missing, count(*) filter (where r."offset" < p.first_offset) as stray
    from broker.partitions p join broker.topics t on t.id = p.topic left join broker.records r on r.topic = p.topic and r.partition = p.partition
    where t.name = $1 group by p.bytes, p.next_offset, p.first_offset`,
    [topic],
  );
  expect(sum).toMatchObject({ bytes: sum?.["kept"], missing: "0", stray: "0" });
});
