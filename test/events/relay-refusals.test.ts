import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { discard, listSetAside, outboxState, replay } from "../../src/events/outbox-store.ts";
import { type Between, keysOf, type RelayUnderTest, relayUnderTest, SECOND } from "./relay.ts";
import { withBody } from "./relay-faults.ts";

let under: RelayUnderTest;
beforeAll(async () => void (under = await relayUnderTest()));
beforeEach(() => under.reset());
afterAll(() => under.close());

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
    const all = await under.writeEach(3, ["USR1", "USR2", "USR3"]);
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
    const all = await under.writeEach(1, ["USR1", "USR2"]);
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
    const all = await under.writeEach(1, keysOf(40));
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
  const all = await under.writeEach(2, keysOf(60));
  const relay = under.newRelay(async (step, request, pass) => {
    if (step === "produce" && (await request.clone().text()).includes("USR0017")) throw new TypeError("fetch failed");
    return pass(request);
  });
  for (let second = 0; second < 120; second++, under.clock.time += SECOND) await relay.run();
  all.delete("USR0017");
  expect(await under.received()).toEqual(all);
  expect(await under.pending()).toBe(2);
});
