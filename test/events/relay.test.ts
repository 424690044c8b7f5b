import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { outboxHealth } from "../../src/events/outbox.ts";
import { openWire, textOf } from "../wire/broker/wire.ts";
import { keysOf, type RelayUnderTest, relayUnderTest, SECOND, type Step } from "./relay.ts";

let under: RelayUnderTest;
beforeAll(async () => void (under = await relayUnderTest()));
beforeEach(() => under.reset());
afterAll(() => under.close());

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
  const all = await under.writeEach(3, ["USR1", "USR2"]);
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
  const all = await under.writeEach(2, keysOf(150));
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
  await under.writeEach(1, ["USR1"]);
  const relay = under.newRelay();
  await relay.run();
  const wire = await openWire({ fetch: under.broker, baseUrl: "http://broker.test" });
  await wire.call(`DELETE ${wire.topics}/platform.users`);
  const all = await under.writeEach(2, ["USR2"]);
  await relay.run();
  under.clock.time += SECOND;
  await relay.run();
  expect(await under.received()).toEqual(all);
  expect(await under.stored.query("SELECT sum(attempts) AS attempts FROM events.outbox")).toEqual([{ attempts: "0" }]);
});

test("what was sent is removed a day later, and nothing else", async () => {
  await under.writeEach(1, ["USR1"]);
  const relay = under.newRelay();
  await relay.run();
  under.clock.time += 23 * 3600 * SECOND;
  await under.writeEach(1, ["USR2"]);
  await relay.run();
  expect(await under.stored.query("SELECT key FROM events.outbox ORDER BY key")).toEqual([{ key: "USR1" }, { key: "USR2" }]);
  under.clock.time += 2 * 3600 * SECOND;
  await relay.run();
  expect(await under.stored.query("SELECT key FROM events.outbox ORDER BY key")).toEqual([{ key: "USR2" }]);
});

test("health tells how much waits and for how long, and never takes the service out", async () => {
  const health = outboxHealth(under.stored.db, () => under.clock.time);
  expect(await health()).toEqual({ status: "UP", details: { length: 0, oldestAgeSeconds: 0, setAside: 0 } });
  await under.writeEach(2, ["USR1"]);
  under.clock.time += 299 * SECOND;
  expect(await health()).toEqual({ status: "UP", details: { length: 2, oldestAgeSeconds: 299, setAside: 0 } });
  under.clock.time += SECOND;
  expect(await health()).toEqual({ status: "UNKNOWN", details: { length: 2, oldestAgeSeconds: 300, setAside: 0 } });
});
