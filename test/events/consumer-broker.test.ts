import { afterAll, beforeAll, expect, it } from "vitest";
import { sweepBroker } from "../../src/broker/embedded/sweep.ts";
import type { Wire } from "../platform.ts";
import { type Following, following, idsOf, isReading, lying, MINUTE, runToEnd } from "./following.ts";

let on: Following;
beforeAll(async () => {
  on = await following();
});
afterAll(() => on.close());

it("goes on at the earliest record when what it wanted is gone, and says so", async () => {
  const topic = await on.newTopic(1, { "retention.ms": String(10 * MINUTE) });
  await on.sendMany(topic, 5);
  const runner = on.runner(topic);
  await runToEnd([runner]);
  const [{ since } = {}] = await on.query("SELECT since FROM events.positions WHERE topic = $1", [topic]);
  await on.sendMany(topic, 5);
  on.clock.shift += 20 * MINUTE;
  await sweepBroker({ db: on.database.db, now: on.now });
  const kept = await on.sendMany(topic, 3);
  await runToEnd([runner]);
  expect((await on.effects(topic)).slice(5)).toEqual(idsOf(kept));
  expect(on.log.at(-1)).toMatchObject({ level: "error", message: `Consumer "reader of ${topic}": Went on at the earliest record, 10 (${topic}/0): there is no offset 5 any more` });
  const [after] = await on.query("SELECT since FROM events.positions WHERE topic = $1", [topic]);
  expect(Date.parse(after?.["since"] ?? "")).toBeGreaterThan(Date.parse(since ?? ""));
});

it("reads a topic that was made anew from its beginning, after having looked for half a minute", async () => {
  const topic = await on.newTopic(2);
  const old = await on.sendMany(topic, 40);
  const runner = on.runner(topic);
  await runToEnd([runner]);
  await on.wire.call(`DELETE ${on.wire.topics}/${topic}`);
  expect((await runner.run()).state).toBe("away");
  await on.wire.call(`POST ${on.wire.topics}`, { body: { topic_name: topic, partitions_count: 1 } });
  const anew = await on.sendMany(topic, 4);
  on.clock.shift += MINUTE;
  expect((await runner.run()).state).toBe("waiting");
  expect(await runner.check()).toMatchObject({ status: "DOWN" });
  for (let pause = 0; pause < 5; pause++) {
    on.clock.shift += 10_000;
    await runner.run();
  }
  await runToEnd([runner]);
  await on.expectOnceInOrder(topic, [...old, ...anew]);
});

it("keeps its place while a broker claims for a moment to have less than before", async () => {
  const topic = await on.newTopic();
  const events = await on.sendMany(topic, 20);
  let lies = 0;
  const broker = lying((body) => (lies > 0 && lies-- ? { ...body, latest_offset: 3, data: body.data.slice(0, 0) } : null));
  const runner = on.runner(topic, { broker });
  await runToEnd([runner]);
  lies = 2;
  for (let round = 0; round < 6; round++) {
    await runner.run();
    on.clock.shift += 10_000;
  }
  expect(await on.position(topic)).toEqual({ next_offset: "20", tries: "0" });
  events.push(...(await on.sendMany(topic, 2)));
  await runToEnd([runner]);
  await on.expectOnceInOrder(topic, events);
});

const LIES: Record<string, (body: any) => unknown> = {
  "a record behind the end": (body) => ({ ...body, data: [...body.data, { ...body.data[0], offset: 1e9 }] }),
  "offsets that are no numbers": (body) => ({ ...body, data: body.data.map((record: any) => ({ ...record, offset: String(record.offset) })) }),
  "offsets below nothing": (body) => ({ ...body, latest_offset: -1 }),
  "an end before the beginning": (body) => ({ ...body, earliest_offset: 10, latest_offset: 5 }),
  "no list": (body) => ({ ...body, data: {} }),
  "HTML": () => "<html>",
};

it.each(Object.keys(LIES))("moves nowhere on an answer with %s", async (lie) => {
  const topic = await on.newTopic();
  const events = await on.sendMany(topic, 3);
  expect((await on.runner(topic, { broker: lying(LIES[lie]!) }).run()).state).toBe("away");
  expect(await on.position(topic)).toEqual({ next_offset: null, tries: "0" });
  await runToEnd([on.runner(topic)]);
  await on.expectOnceInOrder(topic, events);
});

it("does not spin on a broker that claims to have more and answers nothing", async () => {
  const topic = await on.newTopic();
  await on.sendMany(topic, 3);
  let reads = 0;
  const broker = lying((body) => {
    reads += 1;
    return { ...body, metadata: { ...body.metadata, next: body.metadata.self }, data: [] };
  });
  expect(await on.runner(topic, { broker }).run()).toEqual({ applied: 0, unreadable: 0, state: "waiting" });
  expect(reads).toBeLessThan(5);
});

it("goes on where the broker says, behind offsets that nobody can read", async () => {
  const topic = await on.newTopic();
  await on.sendMany(topic, 3);
  const broker = lying((body) => ({ ...body, data: body.data.slice(0, 1) }));
  const runner = on.runner(topic, { broker });
  await runToEnd([runner]);
  expect(await on.position(topic)).toEqual({ next_offset: "3", tries: "0" });
});

it("asks a broker that cannot be read once a minute, and says so", async () => {
  const topic = await on.newTopic();
  await on.sendMany(topic, 3);
  let asked = 0;
  const plain: Wire = (request, pass) => {
    asked += 1;
    return isReading(request) ? Response.json({ error_code: 404, message: "HTTP 404 Not Found" }, { status: 404 }) : pass(request);
  };
  const runner = on.runner(topic, { broker: plain });
  const before = on.log.length;
  for (let round = 0; round < 10; round++) expect(await runner.run()).toEqual({ applied: 0, unreadable: 0, state: "unsupported" });
  expect(asked).toBe(3);
  expect(on.log.slice(before)).toHaveLength(1);
  expect(await runner.check()).toEqual({ status: "UNKNOWN", details: { error: "The broker's REST interface has no reading" } });
  on.clock.shift += 2 * MINUTE;
  await runner.run();
  expect(asked).toBe(5);
});

it("waits for a topic that is not there yet, and for a broker that is away", async () => {
  const topic = on.aName();
  let isAway = false;
  const runner = on.runner(topic, { broker: (request, pass) => (isAway ? Promise.reject(new TypeError("fetch failed")) : pass(request)) });
  expect((await runner.run()).state).toBe("at-end");
  await on.wire.call(`POST ${on.wire.topics}`, { body: { topic_name: topic, partitions_count: 3 } });
  const events = await on.sendMany(topic, 5);
  isAway = true;
  expect((await runner.run()).state).toBe("away");
  expect((await runner.check()).status).toBe("DOWN");
  isAway = false;
  await runToEnd([runner]);
  await on.expectOnceInOrder(topic, events);
  expect((await runner.check()).status).toBe("UP");
});
