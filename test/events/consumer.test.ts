import { afterAll, beforeAll, expect, it } from "vitest";
import type { Wire } from "../platform.ts";
import { dice, type Following, following, idsOf, isStatement, lying, runToEnd } from "./following.ts";

let on: Following;
beforeAll(async () => {
  on = await following();
});
afterAll(() => on.close());

const DAY = 24 * 3600_000;

it("has each effect once and in order per user, with eight runners at once", async () => {
  const topic = await on.newTopic(3);
  const events = await on.sendMany(topic, 2000);
  await runToEnd(Array.from({ length: 8 }, () => on.runner(topic)));
  await on.expectOnceInOrder(topic, events);
});

it("has each effect once and in order, with runners killed and answers lost at every step", async () => {
  const topic = await on.newTopic(3);
  const roll = dice(7);
  const lost = () => Promise.reject(new TypeError("fetch failed"));
  let unheard = 0;
  const faulty: Wire = async (request, pass) => {
    const fate = roll();
    const isWriting = await isStatement(request, "jsonb_to_recordset");
    // Killed before it asks or writes; killed, or its answer lost, after.
    if (fate < 0.1) return lost();
    const response = await pass(request);
    if (fate > 0.2) return response;
    if (isWriting && response.status === 200) unheard += 1;
    return lost();
  };
  const events: { id: string }[] = [];
  for (let round = 0; round < 40; round++) {
    const runners = Array.from({ length: 4 }, () => on.runner(topic, { broker: faulty, database: faulty }));
    const [added] = await Promise.all([on.sendMany(topic, 50), ...runners.map((runner) => runner.run())]);
    events.push(...added);
  }
  await runToEnd([on.runner(topic)]);
  expect(unheard).toBeGreaterThan(5);
  await on.expectOnceInOrder(topic, events);
});

it("has no second effect of records that the broker answers twice, in another order, or from before the offset asked for", async () => {
  const topic = await on.newTopic(2);
  const events = await on.sendMany(topic, 300);
  // With one that fails, the others are had one by one.
  await on.send(topic, [on.event(topic, "USR3", { data: { topic, number: "no number" } })]);
  events.push(...(await on.sendMany(topic, 300)));
  const roll = dice(11);
  const seen: unknown[] = [];
  const broker = lying((body) => {
    const data = [...body.data, ...body.data.filter(() => roll() < 0.5), ...seen.slice(-20)].filter((record) => record.partition_id === body.data[0]?.partition_id);
    seen.push(...body.data);
    return { ...body, data: data.toSorted(() => roll() - 0.5) };
  });
  const runners = [on.runner(topic, { broker }), on.runner(topic, { broker })];
  for (let round = 0; round < 8; round++) {
    await Promise.all(runners.map((runner) => runner.run()));
    on.clock.shift += 10_000;
  }
  await on.expectOnceInOrder(topic, events);
});

it("has one effect of an event that was relayed again, in the same read and much later", async () => {
  const topic = await on.newTopic(2);
  const [first, second] = [on.event(topic, "USR1"), on.event(topic, "USR1")];
  await on.send(topic, [first, first, second, first], 0);
  await runToEnd([on.runner(topic)]);
  on.clock.shift += 10 * DAY;
  await on.send(topic, [second, first], 0);
  // A topic with more partitions puts a user's later records elsewhere.
  await on.send(topic, [second, first], 1);
  await runToEnd([on.runner(topic)]);
  expect(await on.effects(topic)).toEqual([first.id, second.id]);
});

it("has no second effect when its positions are set back or lost", async () => {
  const topic = await on.newTopic(2);
  const events = await on.sendMany(topic, 500);
  const runner = on.runner(topic);
  await runToEnd([runner]);
  await on.query("UPDATE events.positions SET next_offset = 10 WHERE topic = $1", [topic]);
  events.push(...(await on.sendMany(topic, 20)));
  await runToEnd([runner]);
  await on.query("DELETE FROM events.positions WHERE topic = $1", [topic]);
  await runToEnd([runner, on.runner(topic)]);
  await on.expectOnceInOrder(topic, events);
});

it("does nothing when it wakes between reading and writing after others have gone on and the ids are forgotten", async () => {
  const topic = await on.newTopic();
  const events = await on.sendMany(topic, 30);
  let hasSlept = false;
  const database: Wire = async (request, pass) => {
    if (!hasSlept && (await isStatement(request, "jsonb_to_recordset"))) {
      hasSlept = true;
      await on.runner(topic).run();
      await on.query("DELETE FROM events.handled");
      events.push(...(await on.sendMany(topic, 5)));
    }
    return pass(request);
  };
  await runToEnd([on.runner(topic, { database })]);
  expect(hasSlept).toBe(true);
  await runToEnd([on.runner(topic)]);
  await on.expectOnceInOrder(topic, events);
});

it("forgets an event's id only after two weeks", async () => {
  const topic = await on.newTopic();
  const events = await on.sendMany(topic, 50);
  const runner = on.runner(topic);
  await runToEnd([runner]);
  const known = async () => Number((await on.query("SELECT count(*) FROM events.handled WHERE id = ANY($1::text[])", [`{${idsOf(events).join(",")}}`]))[0]?.["count"]);
  on.clock.shift += 13 * DAY;
  await runner.run();
  expect(await known()).toBe(50);
  on.clock.shift += 2 * DAY;
  await runner.run();
  expect(await known()).toBe(0);
});
