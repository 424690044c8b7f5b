import { afterAll, beforeAll, expect, it } from "vitest";
import { base64, fresh, openWire, reportsIn, string, textOf, type Wire } from "../wire/broker/wire.ts";
import { embeddedUnderTest, type EmbeddedUnderTest } from "./embedded.ts";

let under: EmbeddedUnderTest;
/** Three servers over one database. */
let wires: Wire[];

beforeAll(async () => {
  under = await embeddedUnderTest();
  wires = await Promise.all([under.fetch, under.another(), under.another()].map((fetch) => openWire({ ...under, fetch })));
});
afterAll(() => under.close());

function wire(index = 0): Wire {
  const found = wires[index % wires.length];
  if (!found) throw new Error("No server");
  return found;
}

function times<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => work(index)));
}

async function everything(topic: string, partition: number): Promise<any[]> {
  const all: any[] = [];
  for (let offset = 0; ; offset = all.length) {
    const { body } = await wire().read(topic, partition, `?offset=${offset}&max=500`);
    if (body.data.length === 0) return all;
    all.push(...body.data);
  }
}

it("makes one cluster, whichever server is first", async () => {
  const fresh = await embeddedUnderTest({ isOpen: true });
  try {
    const ids = await times(20, async () => (await (await fresh.another()(new Request("http://b.test/v3/clusters"))).json() as any).data[0].cluster_id);
    expect(new Set(ids).size).toBe(1);
  } finally {
    await fresh.close();
  }
}, 60_000);

it("gives fifty producers on one partition offsets without a gap or a double", async () => {
  const topic = await wire().newTopic();
  const reports = (await times(50, (index) => wire(index).produce(topic, { value: string(`${index}.0`) }, { value: string(`${index}.1`) }))).flat();
  expect(reports.map(({ offset }) => offset).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, index) => index));
  const kept = await everything(topic, 0);
  expect(kept.map(({ offset }) => offset)).toEqual(Array.from({ length: 100 }, (_, index) => index));
  const values = kept.map(({ value }) => textOf(value));
  expect(new Set(values).size).toBe(100);
  // What one producer sent keeps its order, and is where its report says.
  for (const index of Array.from({ length: 50 }).keys()) {
    const [first, second] = [0, 1].map((part) => reports[2 * index + part].offset);
    expect([values[first], values[second], first < second]).toEqual([`${index}.0`, `${index}.1`, true]);
  }
});

it("never lets a reader pass a record that is still to come", async () => {
  const topic = await wire().newTopic();
  const seen: number[] = [];
  const reader = (async () => {
    while (seen.length < 200) {
      const { body } = await wire(1).read(topic, 0, `?offset=${seen.length}&max=500`);
      expect(body.latest_offset).toBeGreaterThanOrEqual(seen.length + body.data.length);
      seen.push(...body.data.map(({ offset }: any) => offset));
    }
  })();
  await times(40, (index) => wire(index).produce(topic, ...Array.from({ length: 5 }, () => ({ value: string("v") }))));
  await reader;
  expect(seen).toEqual(Array.from({ length: 200 }, (_, index) => index));
}, 60_000);

it("takes batches over several partitions in any order without a deadlock", async () => {
  const topic = await wire().newTopic(4);
  const orders = [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]];
  const reports = (await times(45, (index) => wire(index).produce(topic, ...(orders[index % 3] ?? []).map((partition_id) => ({ partition_id, value: string("v") }))))).flat();
  expect(reports.filter(({ error_code }) => error_code !== 200)).toEqual([]);
  for (const partition of [0, 1, 2, 3]) {
    const offsets = reports.filter(({ partition_id }) => partition_id === partition).map(({ offset }) => offset);
    expect(offsets.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 45 }, (_, index) => index));
  }
});

it("creates one topic of fifty that are asked for at once", async () => {
  const name = fresh("t-");
  const answers = await times(50, (index) => wire(index).call(`POST ${wire().topics}`, { body: { topic_name: name, partitions_count: 1 + (index % 5) } }));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  const others = answers.filter(({ status }) => status !== 201);
  expect(others.map(({ status, body }) => [status, body])).toEqual(others.map(() => [400, { error_code: 40002, message: `Topic '${name}' already exists.` }]));
  const made = answers.find(({ status }) => status === 201)?.body.partitions_count;
  expect((await wire().call(`GET ${wire().topics}/${name}/partitions`)).body.data).toHaveLength(made);
  expect(await under.database.query(`select count(*) from broker.partitions p join broker.topics t on t.id = p.topic where t.name = $1`, [name])).toEqual([{ count: String(made) }]);
});

it("makes one of names that collide, whichever comes first", async () => {
  const stem = fresh("c");
  const names = ["a.b.c", "a_b.c", "a.b_c", "a_b_c"].map((end) => `${stem}.${end}`);
  const answers = await times(40, (index) => wire(index).call(`POST ${wire().topics}`, { body: { topic_name: names[index % 4] } }));
  const made = answers.filter(({ status }) => status === 201);
  expect(made).toHaveLength(1);
  const winner = made[0]?.body.topic_name;
  const messages = new Set(answers.filter(({ status }) => status !== 201).map(({ body }) => body.message));
  expect(messages).toEqual(new Set(names.map((name) => (name === winner ? `Topic '${name}' already exists.` : `Topic '${name}' collides with existing topic: ${winner}`))));
});

it("keeps nothing of a topic that is deleted while it is written to", async () => {
  const topic = await wire().newTopic();
  const work = times(30, (index) => wire(index).produce(topic, { value: string("v") }));
  expect((await wire().call(`DELETE ${wire().topics}/${topic}`)).status).toBe(204);
  const reports = (await work).flat();
  expect(reports.filter(({ error_code }) => error_code !== 200 && error_code !== 40401)).toEqual([]);
  const offsets = reports.flatMap(({ offset }) => offset ?? []);
  expect(offsets.toSorted((a, b) => a - b)).toEqual(offsets.map((_, index) => index));
  const made = await wire().call(`POST ${wire().topics}`, { body: { topic_name: topic } });
  expect(made.status).toBe(201);
  expect(await everything(topic, 0)).toEqual([]);
  expect(await wire().produce(topic, { value: string("v") })).toMatchObject([{ offset: 0 }]);
});

it("grows a topic once, however many ask for it", async () => {
  const topic = await wire().newTopic();
  const answers = await times(20, (index) => wire(index).call(`PATCH ${wire().topics}/${topic}`, { body: { partitions_count: 2 + (index % 4) } }));
  expect(answers.every(({ status }) => status === 200 || status === 400)).toBe(true);
  const { body } = await wire().call(`GET ${wire().topics}/${topic}`);
  expect(body.partitions_count).toBe(5);
  const placed = await wire().produce(topic, ...[0, 1, 2, 3, 4].map((partition_id) => ({ partition_id, headers: [{ name: "h", value: base64("v") }] })));
  expect(placed.map(({ error_code }) => error_code)).toEqual([200, 200, 200, 200, 200]);
});

it("loses no change of configurations made at the same time", async () => {
  const topic = await wire().newTopic();
  const changes = ["retention.ms", "retention.bytes", "max.message.bytes", "segment.ms", "flush.ms", "segment.jitter.ms"];
  const answers = await times(changes.length, (index) => wire(index).call(`POST ${wire().topics}/${topic}/configs:alter`, { body: { data: [{ name: changes[index], value: "77777777" }] } }));
  expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 204));
  const { body } = await wire().call(`GET ${wire().topics}/${topic}/configs`);
  expect(body.data.filter(({ value }: any) => value === "77777777").map(({ name }: any) => name).toSorted()).toEqual(changes.toSorted());
});

it("streams from many at once, each answered in its own order", async () => {
  const topic = await wire().newTopic(3);
  const answers = await times(10, (index) =>
    wire(index).call(`POST ${wire().topics}/${topic}/records`, { body: Array.from({ length: 120 }, (_, record) => JSON.stringify({ key: string(`${index}`), value: string(`${record}`) })).join("") }),
  );
  for (const { text } of answers) {
    const offsets = reportsIn(text).map(({ offset }) => offset);
    expect(offsets).toHaveLength(120);
    expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
  }
  const all = await Promise.all([0, 1, 2].map((partition) => everything(topic, partition)));
  expect(all.flat()).toHaveLength(1200);
  for (const records of all) expect(records.map(({ offset }) => offset)).toEqual(records.map((_, index) => index));
}, 60_000);
