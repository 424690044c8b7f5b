import { afterAll, beforeAll, expect, it } from "vitest";
import type { Wire } from "../platform.ts";
import { type Following, following, idsOf, isStatement, lying, MINUTE, runToEnd } from "./following.ts";

let on: Following;
beforeAll(async () => {
  on = await following();
});
afterAll(() => on.close());

it("counts what is no event and passes over it, without a word of it in the log", async () => {
  const topic = await on.newTopic();
  const [good, last] = [on.event(topic, "USR1"), on.event(topic, "USR1")];
  const garbage = [
    null,
    "canary, no JSON",
    "[]",
    '"canary"',
    "{}",
    new Uint8Array([0xff, 0xfe, 0x63]),
    { ...on.event(topic, "USR1"), specversion: "0.3" },
    { ...on.event(topic, "USR1"), time: "canary" },
    { ...on.event(topic, "USR1"), id: "canary".repeat(100) },
    { ...on.event(topic, "USR1"), data: { topic, number: "canary\0" } },
    { ...on.event(topic, "USR1"), data: { topic, number: "canary\ud800" } },
    { ...on.event(topic, "USR1"), data: { canary: 1 } },
    `{"specversion":"1.0","id":"canary","__proto__":{"type":"user.updated"}}`,
    "[".repeat(100_000),
  ];
  const others = [{ ...on.event(topic, "USR1"), type: "user.locked" }, { ...on.event(topic, "USR1"), type: "constructor" }];
  await on.send(topic, [good, ...garbage, ...others, last]);
  const before = on.log.length;
  expect(await on.runner(topic).run()).toEqual({ applied: 2, unreadable: garbage.length, state: "at-end" });
  expect(await on.effects(topic)).toEqual([good.id, last.id]);
  const told = on.log.slice(before);
  expect(told).toEqual([
    { level: "warn", service: "tests", message: `Consumer "reader of ${topic}": Passed over ${garbage.length} records that are no events (${topic}/0, offsets 1 to ${garbage.length})` },
  ]);
});

it("passes over a record of 10 MiB after some tries, and has the effects before and after it", async () => {
  const topic = await on.newTopic();
  const events = await on.sendMany(topic, 9);
  const huge = Buffer.alloc(10 * 1024 * 1024, "x").toString("base64");
  const broker = lying((body) => ({ ...body, data: body.data.map((record: any) => (record.offset === 4 ? { ...record, value: { type: "BINARY", data: huge } } : record)) }));
  const runner = on.runner(topic, { broker });
  for (let round = 0; round < 12; round++) {
    await runner.run();
    on.clock.shift += 10_000;
  }
  expect(await on.effects(topic)).toEqual(idsOf(events.toSpliced(4, 1)));
  expect(await on.query(`SELECT "offset", event, error FROM events.given_up WHERE topic = $1`, [topic])).toEqual([
    { offset: "4", event: null, error: "Error: The record is too large to be read" },
  ]);
});

it("stops a partition at an effect that fails, tries again with pauses, then keeps it aside and goes on; others go on at once", async () => {
  const topic = await on.newTopic(2);
  const poison = on.event(topic, "USR1", { data: { topic, number: "no number" } });
  const [before, after, elsewhere] = [on.event(topic, "USR1"), on.event(topic, "USR1"), on.event(topic, "USR2")];
  await on.send(topic, [before, poison, after], 0);
  await on.send(topic, [elsewhere], 1);
  const runner = on.runner(topic);
  expect((await runner.run()).state).toBe("waiting");
  expect(await on.effects(topic)).toEqual([before.id, elsewhere.id]);
  expect(await runner.check()).toMatchObject({ status: "DOWN", details: { stopped: 1, givenUp: 0 } });
  // A second process, and one that comes too early, do not count as tries.
  await Promise.all([runner.run(), on.runner(topic).run(), on.runner(topic).run()]);
  expect(await on.position(topic)).toEqual({ next_offset: "1", tries: "1" });
  for (const pause of [1000, 2000, 4000, 8000]) {
    on.clock.shift += pause / 2;
    await runner.run();
    expect(await on.effects(topic)).toHaveLength(2);
    on.clock.shift += pause / 2;
    await Promise.all([runner.run(), on.runner(topic).run()]);
  }
  expect(await on.effects(topic)).toEqual([before.id, elsewhere.id, after.id]);
  const [aside] = await on.query(`SELECT "offset", event::json->>'id' AS id, error FROM events.given_up WHERE topic = $1`, [topic]);
  expect(aside).toEqual({ offset: "1", id: poison.id, error: expect.stringContaining("invalid input syntax for type integer") });
  expect(await runner.check()).toMatchObject({ status: "UP", details: { stopped: 0, givenUp: 1 } });
});

it("gives nothing up because the database is away", async () => {
  const topic = await on.newTopic();
  const events = await on.sendMany(topic, 10);
  let isAway = true;
  const database: Wire = async (request, pass) => (isAway && (await isStatement(request, "jsonb_to_recordset")) ? new Response("{}", { status: 503 }) : pass(request));
  const runner = on.runner(topic, { database });
  const before = on.log.length;
  for (let round = 0; round < 10; round++) {
    expect((await runner.run()).state).toBe("away");
    on.clock.shift += MINUTE;
  }
  // Told once, not at every turn.
  expect(on.log.slice(before)).toHaveLength(1);
  isAway = false;
  await runToEnd([runner]);
  await on.expectOnceInOrder(topic, events);
});
