import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { HOUR, type LeasesUnderTest, leasesUnderTest, SECOND } from "./leases.ts";

let registry: LeasesUnderTest["registry"];
let strict: LeasesUnderTest["strict"];
let live: LeasesUnderTest["live"];
let registerAll: LeasesUnderTest["registerAll"];
beforeAll(async () => {
  ({ registry, strict, live, registerAll } = await leasesUnderTest());
});
afterAll(() => registry.close());
beforeEach(() => registry.database.reset());

const ids = (count: number) => Array.from({ length: count }, (_, index) => `orders-${index}`);

describe("a lease", () => {
  test("ends as long after the last heartbeat as it is, not twice as long", async () => {
    await registerAll(["orders-0"]);
    await live(60 * SECOND);
    expect(await strict.beat("orders-0")).toBe(200);
    await live(90 * SECOND);
    expect(await strict.listed()).toEqual({ "orders-0": "UP" });
    await live(1 * SECOND);
    expect(await strict.listed()).toEqual({});
    expect(await strict.changed()).toEqual({ "orders-0": "DELETED" });
    expect(await strict.beat("orders-0"), "the client is to register again").toBe(404);
    await registerAll(["orders-0"]);
    expect(await strict.listed()).toEqual({ "orders-0": "UP" });
  });

  test("is over for whoever reads, though nobody swept", async () => {
    await registerAll(ids(3));
    const reads = {
      list: () => strict.listed(),
      one: async () => (await strict.send("/apps/ORDERS/orders-0")).status,
      id: async () => (await strict.send("/instances/orders-0")).status,
      app: async () => (await strict.send("/apps/ORDERS")).status,
      vip: async () => (await strict.read("/vips/orders")).applications.apps__hashcode,
      changes: async () => (await strict.read("/apps/delta")).applications.apps__hashcode,
    };
    for (const [name, read] of Object.entries(reads)) {
      await registry.database.reset();
      await registerAll(ids(3));
      registry.clock.time += 60 * SECOND;
      await strict.listed();
      registry.clock.time += 31 * SECOND;
      expect({ name, found: await read() }).toEqual({ name, found: { list: {}, one: 404, id: 404, app: 404, vip: "", changes: "" }[name] });
    }
  });

  test("that was renewed before anybody swept goes on", async () => {
    await registerAll(["orders-0"]);
    registry.clock.time += 60 * SECOND;
    await strict.listed();
    registry.clock.time += 60 * SECOND;
    expect(await strict.beat("orders-0")).toBe(200);
    await strict.sweep();
    expect(await strict.listed()).toEqual({ "orders-0": "UP" });
  });
});

describe("self-preservation", () => {
  test("keeps everybody while fewer than 85 of 100 renew, and lets go when enough do", async () => {
    const all = ids(20);
    await registerAll(all);
    await live(5 * 60 * SECOND, { beating: all.slice(0, 16), on: registry });
    expect(Object.keys(await registry.listed()), "16 of 20 are too few").toHaveLength(20);
    expect((await registry.send("/apps/ORDERS/orders-19")).status).toBe(200);
    await registry.send("/apps/ORDERS/orders-16", { method: "DELETE" });
    await registry.send("/apps/ORDERS/orders-17", { method: "DELETE" });
    await live(30 * SECOND, { beating: all.slice(0, 16), on: registry });
    expect(Object.keys(await registry.listed()).toSorted(), "16 of 18 are enough").toEqual(all.slice(0, 16).toSorted());
  });

  test("keeps the only instance there is, and can be switched off", async () => {
    await registry.register({ id: "orders-0", leaseInfo: { renewalIntervalInSecs: 1, durationInSecs: 3 } });
    await live(40 * SECOND, { on: registry });
    expect(await registry.listed()).toEqual({ "orders-0": "UP" });
    expect(await strict.listed()).toEqual({});
  });

  test("is the same for an instance that renews every five minutes", async () => {
    const all = ids(10);
    await Promise.all(all.map((id) => registry.register({ id, leaseInfo: { renewalIntervalInSecs: 300, durationInSecs: 900 } })));
    await registry.register({ id: "gone", leaseInfo: { renewalIntervalInSecs: 30, durationInSecs: 90 } });
    await live(120 * SECOND, { on: registry });
    expect(Object.keys(await registry.listed())).toHaveLength(10);
  });
});

describe("a clock that jumps", () => {
  test.each([
    ["an hour ahead", HOUR],
    ["an hour back", -HOUR],
    ["a year ahead", 8760 * HOUR],
    ["a year back", -8760 * HOUR],
  ])("%s evicts nobody, and who is dead goes one lease later", async (_, jump) => {
    await registerAll(["alive", "dead"]);
    await live(60 * SECOND, { beating: ["alive", "dead"] });
    registry.clock.time += jump;
    expect(await strict.listed()).toEqual({ alive: "UP", dead: "UP" });
    await strict.sweep();
    expect(await strict.listed()).toEqual({ alive: "UP", dead: "UP" });
    await live(120 * SECOND, { beating: ["alive"] });
    expect(await strict.listed()).toEqual({ alive: "UP" });
    expect(await strict.changed()).toEqual({ alive: "ADDED", dead: "DELETED" });
    registry.clock.time -= jump;
    await live(120 * SECOND, { beating: ["alive"] });
    expect(await strict.listed()).toEqual({ alive: "UP" });
  });

  test("and stays wrong lets new instances come, beat and go", async () => {
    await registerAll(["before"]);
    await live(10 * SECOND);
    registry.clock.time -= HOUR;
    await registerAll(["after"]);
    expect(await strict.beat("before")).toBe(200);
    await live(60 * SECOND, { beating: ["before"] });
    expect(await strict.listed()).toEqual({ before: "UP", after: "UP" });
    await live(60 * SECOND, { beating: ["before"] });
    expect(await strict.listed()).toEqual({ before: "UP" });
  });

  test("is no reason to evict after the service was away for three hours", async () => {
    await registerAll(ids(2));
    await live(20 * SECOND, { beating: ids(2) });
    registry.clock.time += 3 * HOUR;
    const restarted = registry.instance({ DISCOVERY_SELF_PRESERVATION: "off" });
    await restarted.sweep();
    expect(Object.keys(await restarted.listed())).toHaveLength(2);
    await live(100 * SECOND, { on: restarted });
    expect(await restarted.listed()).toEqual({});
  });

  test("by less than a minute between two instances of the service hastens no lease", async () => {
    const ahead = registry.instance({ DISCOVERY_SELF_PRESERVATION: "off" }, { skew: 50 * SECOND });
    await ahead.sweep();
    await registerAll(["orders-0"]);
    for (let gone = 0; gone < 85; gone += 5) {
      registry.clock.time += 5 * SECOND;
      await strict.sweep();
      await ahead.sweep();
    }
    expect(await strict.listed()).toEqual({ "orders-0": "UP" });
    registry.clock.time += 6 * SECOND;
    expect([await ahead.listed(), await strict.listed()]).toEqual([{}, {}]);
  });
});

describe("changes", () => {
  test("are told for three minutes", async () => {
    await registerAll(["orders-0"]);
    await live(175 * SECOND, { beating: ["orders-0"] });
    expect(await strict.changed()).toEqual({ "orders-0": "ADDED" });
    await live(10 * SECOND, { beating: ["orders-0"] });
    expect(await strict.changed()).toEqual({});
    await registry.send("/apps/ORDERS/orders-0", { method: "DELETE" });
    expect(await strict.changed()).toEqual({ "orders-0": "DELETED" });
  });
});
