import { afterAll, beforeAll, expect, it } from "vitest";
import { sweepBroker } from "../../src/broker/embedded/sweep.ts";
import type { Wire } from "../platform.ts";
import { dice, type Following, following, runToEnd } from "./following.ts";

let on: Following;
beforeAll(async () => {
  on = await following();
});
afterAll(() => on.close());

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const isReading = ({ url }: Request) => url.includes("/records?");
const isStatement = async (request: Request, words: string) => (await request.clone().text()).includes(words);

/** Changes the records' answers of a broker; `null` leaves one as it is. */
function lying(change: (body: any, request: Request) => unknown): Wire {
  return async (request, pass) => {
    const response = await pass(request);
    if (!isReading(request) || response.status !== 200) return response;
    const body: unknown = await response.json();
    return Response.json(change(body, request) ?? body);
  };
}

async function sent(topic: string, count: number, subjects = 25) {
  const events = Array.from({ length: count }, (_, index) => on.event(topic, `USR${index % subjects}`));
  await on.send(topic, events);
  return events;
}

const idsOf = (events: { id: string }[]) => events.map(({ id }) => id);

async function expectOnceInOrder(topic: string, events: { id: string }[]): Promise<void> {
  const had = await on.effects(topic);
  expect(had).toHaveLength(events.length);
  expect(new Set(had)).toEqual(new Set(idsOf(events)));
  for (const numbers of Object.values(await on.numbersBySubject(topic))) expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
}

it("has each effect once and in order per user, with eight runners at once", async () => {
  const topic = await on.newTopic(3);
  const events = await sent(topic, 2000);
  await runToEnd(Array.from({ length: 8 }, () => on.runner(topic)));
  await expectOnceInOrder(topic, events);
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
    const [added] = await Promise.all([sent(topic, 50), ...runners.map((runner) => runner.run())]);
    events.push(...added);
  }
  await runToEnd([on.runner(topic)]);
  expect(unheard).toBeGreaterThan(5);
  await expectOnceInOrder(topic, events);
});

it("has no second effect of records that the broker answers twice, in another order, or from before the offset asked for", async () => {
  const topic = await on.newTopic(2);
  const events = await sent(topic, 300);
  // With one that fails, the others are had one by one.
  await on.send(topic, [on.event(topic, "USR3", { data: { topic, number: "no number" } })]);
  events.push(...(await sent(topic, 300)));
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
  await expectOnceInOrder(topic, events);
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

it("has no second effect when its positions are set back or lost", async () => {
  const topic = await on.newTopic(2);
  const events = await sent(topic, 500);
  const runner = on.runner(topic);
  await runToEnd([runner]);
  await on.query("UPDATE events.positions SET next_offset = 10 WHERE topic = $1", [topic]);
  events.push(...(await sent(topic, 20)));
  await runToEnd([runner]);
  await on.query("DELETE FROM events.positions WHERE topic = $1", [topic]);
  await runToEnd([runner, on.runner(topic)]);
  await expectOnceInOrder(topic, events);
});

it("does nothing when it wakes between reading and writing after others have gone on and the ids are forgotten", async () => {
  const topic = await on.newTopic();
  const events = await sent(topic, 30);
  let hasSlept = false;
  const database: Wire = async (request, pass) => {
    if (!hasSlept && (await isStatement(request, "jsonb_to_recordset"))) {
      hasSlept = true;
      await on.runner(topic).run();
      await on.query("DELETE FROM events.handled");
      events.push(...(await sent(topic, 5)));
    }
    return pass(request);
  };
  await runToEnd([on.runner(topic, { database })]);
  expect(hasSlept).toBe(true);
  await runToEnd([on.runner(topic)]);
  await expectOnceInOrder(topic, events);
});

it("goes on at the earliest record when what it wanted is gone, and says so", async () => {
  const topic = await on.newTopic(1, { "retention.ms": String(10 * MINUTE) });
  await sent(topic, 5);
  const runner = on.runner(topic);
  await runToEnd([runner]);
  const [{ since } = {}] = await on.query("SELECT since FROM events.positions WHERE topic = $1", [topic]);
  await sent(topic, 5);
  on.clock.shift += 20 * MINUTE;
  await sweepBroker({ db: on.database.db, now: on.now });
  const kept = await sent(topic, 3);
  await runToEnd([runner]);
  expect((await on.effects(topic)).slice(5)).toEqual(idsOf(kept));
  expect(on.log.at(-1)).toMatchObject({ level: "error", message: `Consumer "reader of ${topic}": Went on at the earliest record, 10 (${topic}/0): there is no offset 5 any more` });
  const [after] = await on.query("SELECT since FROM events.positions WHERE topic = $1", [topic]);
  expect(Date.parse(after?.["since"] ?? "")).toBeGreaterThan(Date.parse(since ?? ""));
});

it("reads a topic that was made anew from its beginning, after having looked for half a minute", async () => {
  const topic = await on.newTopic(2);
  const old = await sent(topic, 40);
  const runner = on.runner(topic);
  await runToEnd([runner]);
  await on.wire.call(`DELETE ${on.wire.topics}/${topic}`);
  expect((await runner.run()).state).toBe("away");
  await on.wire.call(`POST ${on.wire.topics}`, { body: { topic_name: topic, partitions_count: 1 } });
  const anew = await sent(topic, 4);
  on.clock.shift += MINUTE;
  expect((await runner.run()).state).toBe("waiting");
  expect(await runner.check()).toMatchObject({ status: "DOWN" });
  for (let pause = 0; pause < 5; pause++) {
    on.clock.shift += 10_000;
    await runner.run();
  }
  await runToEnd([runner]);
  await expectOnceInOrder(topic, [...old, ...anew]);
});

it("keeps its place while a broker claims for a moment to have less than before", async () => {
  const topic = await on.newTopic();
  const events = await sent(topic, 20);
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
  events.push(...(await sent(topic, 2)));
  await runToEnd([runner]);
  await expectOnceInOrder(topic, events);
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
  const events = await sent(topic, 3);
  expect((await on.runner(topic, { broker: lying(LIES[lie]!) }).run()).state).toBe("away");
  expect(await on.position(topic)).toEqual({ next_offset: null, tries: "0" });
  await runToEnd([on.runner(topic)]);
  await expectOnceInOrder(topic, events);
});

it("does not spin on a broker that claims to have more and answers nothing", async () => {
  const topic = await on.newTopic();
  await sent(topic, 3);
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
  await sent(topic, 3);
  const broker = lying((body) => ({ ...body, data: body.data.slice(0, 1) }));
  const runner = on.runner(topic, { broker });
  await runToEnd([runner]);
  expect(await on.position(topic)).toEqual({ next_offset: "3", tries: "0" });
});

it("passes over a record of 10 MiB after some tries, and has the effects before and after it", async () => {
  const topic = await on.newTopic();
  const events = await sent(topic, 9);
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
  const events = await sent(topic, 10);
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
  await expectOnceInOrder(topic, events);
});

it("asks a broker that cannot be read once a minute, and says so", async () => {
  const topic = await on.newTopic();
  await sent(topic, 3);
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
  const events = await sent(topic, 5);
  isAway = true;
  expect((await runner.run()).state).toBe("away");
  expect((await runner.check()).status).toBe("DOWN");
  isAway = false;
  await runToEnd([runner]);
  await expectOnceInOrder(topic, events);
  expect((await runner.check()).status).toBe("UP");
});

it("forgets an event's id only after two weeks", async () => {
  const topic = await on.newTopic();
  const events = await sent(topic, 50);
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
