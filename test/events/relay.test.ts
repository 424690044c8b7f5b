import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { discard, listSetAside, outboxState, replay } from "../../src/events/outbox-store.ts";
import { outboxHealth } from "../../src/events/outbox.ts";
import { textOf, openWire } from "../wire/broker/wire.ts";
import { type Between, type RelayUnderTest, relayUnderTest, type Step } from "./relay.ts";
import { FAULTS, judge, type Late, randomOf, RECORD_FAULTS, relayAll, shakenRelay, type Tally, withBody } from "./relay-faults.ts";

let under: RelayUnderTest;
beforeAll(async () => void (under = await relayUnderTest()));
beforeEach(() => under.reset());
afterAll(() => under.close());

const SECOND = 1000;

/** Events `0` to `count - 1` of each key, a key after the other; what of each key was written, in order. */
async function written(count: number, keys: string[]): Promise<Map<string, string[]>> {
  const all = new Map<string, string[]>(keys.map((key) => [key, []]));
  const events = Array.from({ length: count * keys.length }, (_, index) => ({ key: keys[index % keys.length]!, data: { n: Math.floor(index / keys.length) } }));
  for (const [index, id] of (await under.write(events)).entries()) all.get(events[index]!.key)!.push(id);
  return all;
}

function keysOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `USR${String(index).padStart(4, "0")}`);
}

/** Answers a report for the first event of `key` instead of sending it on. */
function refusing(key: () => string | undefined, report: object): Between {
  return async (step, request, pass) => {
    if (step !== "produce") return pass(request);
    const lines = (await request.clone().text()).split("\n");
    const isRefused = (line: string) => isFirstOf(key(), line);
    const others = lines.filter((line) => !isRefused(line));
    const reports = others.length > 0 ? (await (await pass(withBody(request, others.join("\n")))).text()).split("\r\n") : [];
    return new Response(lines.map((line) => (isRefused(line) ? JSON.stringify(report) : reports.shift())).join("\r\n"));
  };
}

function isFirstOf(key: string | undefined, line: string): boolean {
  const { subject, data } = JSON.parse(line).value.data;
  return subject === key && data.n === 0;
}

test("an event arrives once, as a CloudEvent under its user's key, in a topic made for it", async () => {
  const [id] = await under.write([{ key: "USR1", type: "user.registered", data: { userId: "USR1", emailId: "a@b.example", firstName: "Jörg", lastName: "Ü" } }]);
  const relay = under.newRelay();
  await relay.run();
  await relay.run();
  const wire = await openWire({ fetch: under.broker, baseUrl: "http://broker.test" });
  const topic = (await wire.call(`GET ${wire.topics}/platform.users`)).body;
  expect(topic.partitions_count).toBe(3);
  const pages = await Promise.all([0, 1, 2].map(async (partition) => (await wire.read("platform.users", partition)).body.data));
  const [record, ...more] = pages.flat();
  expect(more).toEqual([]);
  expect(textOf(record.key)).toBe("USR1");
  expect(JSON.parse(textOf(record.value))).toEqual({
    specversion: "1.0",
    id,
    source: "/user-service",
    type: "user.registered",
    subject: "USR1",
    time: "2026-11-16T09:30:00.000Z",
    datacontenttype: "application/json",
    dataschema: "urn:gatehouse:event:user.registered",
    traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    data: { userId: "USR1", emailId: "a@b.example", firstName: "Jörg", lastName: "Ü" },
  });
  const headers = Object.fromEntries(record.headers.map(({ name, value }: { name: string; value: string }) => [name, textOf({ data: value })]));
  expect(headers).toEqual({
    "content-type": "application/cloudevents+json; charset=UTF-8",
    ce_specversion: "1.0",
    ce_id: id,
    ce_source: "/user-service",
    ce_type: "user.registered",
    ce_subject: "USR1",
    ce_time: "2026-11-16T09:30:00.000Z",
    ce_dataschema: "urn:gatehouse:event:user.registered",
    ce_traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
  });
});

test("of one key only one is out at a time, and what waits behind it comes in order", async () => {
  const all = await written(3, ["USR1", "USR2"]);
  const sizes: number[] = [];
  const relay = under.newRelay(async (step, request, pass) => {
    if (step === "produce") sizes.push((await request.clone().text()).split("\n").length);
    return pass(request);
  });
  await relay.run();
  expect(sizes).toEqual([2, 2, 2]);
  expect(await under.received()).toEqual(all);
});

test("a broker that is away is no attempt of any event, and is asked ever more rarely", async () => {
  const all = await written(2, keysOf(150));
  let isAway = true;
  const asked: Step[] = [];
  const relay = under.newRelay((step, request, pass) => {
    if (step !== "find" && step !== "produce") return pass(request);
    asked.push(step);
    if (isAway) throw new TypeError("fetch failed");
    return pass(request);
  });
  for (let second = 0; second < 600; second++, under.clock.time += SECOND) await relay.run();
  expect(asked.length).toBeLessThan(90);
  expect(await under.stored.query("SELECT sum(attempts) AS attempts, sum(unanswered) AS unanswered, count(sent_at) AS sent FROM events.outbox")).toEqual([
    { attempts: "0", unanswered: "0", sent: "0" },
  ]);
  isAway = false;
  under.clock.time += 30 * SECOND;
  await relay.run();
  expect(await under.received()).toEqual(all);
  expect(under.log.filter(({ message }) => message.includes("platform.users"))).toHaveLength(1);
});

test("a topic that went away is made again, without an attempt of any event", async () => {
  await written(1, ["USR1"]);
  const relay = under.newRelay();
  await relay.run();
  const wire = await openWire({ fetch: under.broker, baseUrl: "http://broker.test" });
  await wire.call(`DELETE ${wire.topics}/platform.users`);
  const all = await written(2, ["USR2"]);
  await relay.run();
  under.clock.time += SECOND;
  await relay.run();
  expect(await under.received()).toEqual(all);
  expect(await under.stored.query("SELECT sum(attempts) AS attempts FROM events.outbox")).toEqual([{ attempts: "0" }]);
});

describe("an event that the broker refuses", () => {
  const tries: number[] = [];
  const poisoned = (report: object) => {
    let key: string | undefined = "USR2";
    const inner = refusing(() => key, report);
    tries.length = 0;
    const relay = under.newRelay((step, request, pass) => {
      const at = under.clock.time;
      if (step === "produce") void request.clone().text().then((text) => text.split("\n").some((line) => isFirstOf(key, line)) && tries.push(at));
      return inner(step, request, pass);
    }, () => 0.999);
    return { relay, heal: () => (key = undefined) };
  };

  test("is tried five times, ever more rarely, and set aside; the others and what follows it go on", async () => {
    const all = await written(3, ["USR1", "USR2", "USR3"]);
    const { relay, heal } = poisoned({ error_code: 413, message: "canary" });
    const run = async (seconds: number) => {
      for (let second = 0; second < seconds; second++, under.clock.time += SECOND) await relay.run();
    };
    await run(1);
    expect([...(await under.received()).keys()].toSorted()).toEqual(["USR1", "USR3"]);
    expect((await under.received()).get("USR3")).toEqual(all.get("USR3"));
    await run(14);
    expect(await listSetAside(under.stored.db, { after: 0, limit: 10 })).toEqual([]);
    while ((await listSetAside(under.stored.db, { after: 0, limit: 10 })).length === 0) await run(1);
    heal();
    await run(1);
    expect(tries.map((at) => Math.round((at - tries[0]!) / SECOND))).toEqual([0, 1, 3, 7, 15]);
    const [first, ...rest] = all.get("USR2")!;
    expect((await under.received()).get("USR2")).toEqual(rest);
    expect(await listSetAside(under.stored.db, { after: 0, limit: 10 })).toEqual([
      expect.objectContaining({ id: first, topic: "platform.users", type: "user.updated", key: "USR2", attempts: 5, lastError: "413", createdAt: "2026-11-16T09:30:00.000Z" }),
    ]);
    expect(under.log.map(({ message }) => message)).toEqual([`Set aside the event "${first}" of type "user.updated"`]);
    expect(JSON.stringify([under.log, await under.stored.query("SELECT o::text FROM events.outbox o")])).not.toContain("canary");
  });

  test("can be sent again or discarded by an operator, each once", async () => {
    const all = await written(1, ["USR1", "USR2"]);
    const { relay, heal } = poisoned({ error_code: 422, message: "Error: 42206" });
    for (let second = 0; second < 60; second++, under.clock.time += SECOND) await relay.run();
    const [id = ""] = all.get("USR2")!;
    expect(await replay(under.stored.db, all.get("USR1")![0]!)).toBe(false);
    expect(await outboxState(under.stored.db)).toEqual({ length: 0, oldest: null, setAside: 1 });
    const replays = await Promise.all([replay(under.stored.db, id), replay(under.stored.db, id)]);
    expect(replays.toSorted()).toEqual([false, true]);
    heal();
    await relay.run();
    expect(await under.received()).toEqual(all);
    expect(await discard(under.stored.db, id)).toBe(false);
    await under.stored.query("UPDATE events.outbox SET set_aside_at = now(), sent_at = NULL WHERE id = $1", [id]);
    expect([await discard(under.stored.db, id), await discard(under.stored.db, id)]).toEqual([true, false]);
  });

  test("is set aside without being sent when it is larger than any event may be", async () => {
    const [large = ""] = await under.write([{ key: "USR1", data: { text: "x".repeat(70_000) } }, { key: "USR2", data: { text: "ü".repeat(32_700) } }]);
    const [small = ""] = await under.write([{ key: "USR1" }]);
    const relay = under.newRelay();
    for (let second = 0; second < 30; second++, under.clock.time += SECOND) await relay.run();
    const aside = await listSetAside(under.stored.db, { after: 0, limit: 10 });
    expect(aside.map(({ id, lastError }) => [id, lastError])).toEqual([[large, "too-large"], [expect.any(String), "too-large"]]);
    expect(await under.received()).toEqual(new Map([["USR1", [small]]]));
  });

  test("is found among others where the broker refuses them together, and only it is charged", async () => {
    const all = await written(1, keysOf(40));
    const relay = under.newRelay(async (step, request, pass) => {
      const isTooLarge = step === "produce" && (await request.clone().text()).includes("USR0017");
      return isTooLarge ? new Response("<h1>413</h1>", { status: 413 }) : pass(request);
    });
    await relay.run();
    all.delete("USR0017");
    expect(await under.received()).toEqual(all);
    expect(await under.stored.query("SELECT key, attempts FROM events.outbox WHERE attempts > 0")).toEqual([{ key: "USR0017", attempts: "1" }]);
  });
});

test("an event that breaks whatever it is sent with ends alone, and holds nobody up", async () => {
  const all = await written(2, keysOf(60));
  const relay = under.newRelay(async (step, request, pass) => {
    if (step === "produce" && (await request.clone().text()).includes("USR0017")) throw new TypeError("fetch failed");
    return pass(request);
  });
  for (let second = 0; second < 120; second++, under.clock.time += SECOND) await relay.run();
  all.delete("USR0017");
  expect(await under.received()).toEqual(all);
  expect(await under.pending()).toBe(2);
});

test("what may have been sent is not overtaken until it cannot arrive any more", async () => {
  const all = await written(2, ["USR1"]);
  const [first, second] = all.get("USR1")!;
  const late: (() => unknown)[] = [];
  const relays = [0, 1].map(() =>
    under.newRelay(async (step, request, pass) => {
      if (step !== "produce" || late.length > 0) return pass(request);
      const copy = request.clone();
      late.push(() => pass(copy));
      throw new TypeError("fetch failed");
    }),
  );
  for (let passed = 0; passed < 9; passed++, under.clock.time += SECOND) for (const relay of relays) await relay.run();
  expect(await under.received()).toEqual(new Map());
  await late[0]!();
  for (let passed = 0; passed < 9; passed++, under.clock.time += SECOND) for (const relay of relays) await relay.run();
  expect((await under.received()).get("USR1")).toEqual([first, first, second]);
});

test("a relay that lost its lease while it was held up has no say any more", async () => {
  await written(2, ["USR1"]);
  const other = under.newRelay();
  const heldUp = under.newRelay(async (step, request, pass) => {
    if (step === "settle") {
      under.clock.time += 16 * SECOND;
      // The other one's answer is lost: whether the first event arrived a second time is open.
      const doubtful = under.newRelay((at, sent, on) => (at === "produce" ? FAULTS["reset after"](sent, on) : on(sent)));
      await doubtful.run();
    }
    return pass(request);
  });
  await heldUp.run();
  expect(await under.stored.query("SELECT count(sent_at) AS sent FROM events.outbox")).toEqual([{ sent: "0" }]);
  under.clock.time += 16 * SECOND;
  await other.run();
  expect(await under.pending()).toBe(0);
});

test("what was sent is removed a day later, and nothing else", async () => {
  await written(1, ["USR1"]);
  const relay = under.newRelay();
  await relay.run();
  under.clock.time += 23 * 3600 * SECOND;
  await written(1, ["USR2"]);
  await relay.run();
  expect(await under.stored.query("SELECT key FROM events.outbox ORDER BY key")).toEqual([{ key: "USR1" }, { key: "USR2" }]);
  under.clock.time += 2 * 3600 * SECOND;
  await relay.run();
  expect(await under.stored.query("SELECT key FROM events.outbox ORDER BY key")).toEqual([{ key: "USR2" }]);
});

test("health tells how much waits and for how long, and never takes the service out", async () => {
  const health = outboxHealth(under.stored.db, () => under.clock.time);
  expect(await health()).toEqual({ status: "UP", details: { length: 0, oldestAgeSeconds: 0, setAside: 0 } });
  await written(2, ["USR1"]);
  under.clock.time += 299 * SECOND;
  expect(await health()).toEqual({ status: "UP", details: { length: 2, oldestAgeSeconds: 299, setAside: 0 } });
  under.clock.time += SECOND;
  expect(await health()).toEqual({ status: "UNKNOWN", details: { length: 2, oldestAgeSeconds: 300, setAside: 0 } });
});

const STEPS: Step[] = ["find", "take", "produce", "settle", "tidy"];
const single: [string, Step][] = STEPS.flatMap((step) => Object.keys({ ...FAULTS, ...(step === "produce" ? RECORD_FAULTS : {}) }).map((name): [string, Step] => [name, step]));

test.each(single)("nothing is lost or comes out of order after: %s, at %s", async (name, at) => {
  const all = await written(3, keysOf(20));
  const fault = { ...FAULTS, ...RECORD_FAULTS }[name as keyof typeof FAULTS];
  let left = 2;
  const relays = [0, 1].map(() => under.newRelay((step, request, pass) => (step === at && left-- > 0 ? fault(request, pass) : pass(request))));
  await relayAll(under, { relays: relays.map(({ run }) => ({ run: () => run().catch(() => {}) })), late: [], random: () => 0.5 });
  expect(judge(all, await under.received())).toMatchObject({ events: 60, lost: 0, outOfOrder: 0, strange: 0 });
});

test.each([1, 2, 3, 4])("two relays, killed and disturbed at every step, lose nothing and keep the order of each key (seed %i)", async (seed) => {
  const random = randomOf(seed);
  const all = await written(25, keysOf(25));
  const [late, tally]: [Late, Tally] = [[], {}];
  const relays = [0, 1].map(() => shakenRelay(under, { random, share: 0.15, kills: 0.08, tally, late }));
  await relayAll(under, { relays, late, random });
  expect(judge(all, await under.received())).toMatchObject({ events: 625, lost: 0, outOfOrder: 0, strange: 0 });
  expect(Object.keys(tally).length).toBeGreaterThan(10);
});
