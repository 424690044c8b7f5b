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

describe("for the dashboard", () => {
  const listed = () => strict.instances();

  test("an instance is told with its times, its addresses and what was set", async () => {
    const start = registry.clock.time;
    await registry.register({ id: "b", status: "STARTING", homePageUrl: "http://orders.example:9000/", securePort: { $: 9443, "@enabled": "true" }, metadata: { version: "1.2" } });
    registry.clock.time += 1000;
    await registry.send("/apps/ORDERS/b/status?value=OUT_OF_SERVICE", { method: "PUT" });
    await registry.send("/apps/ORDERS/b/status?value=UP", { method: "DELETE" });
    registry.clock.time += 1000;
    await registry.beat("b");
    await registry.register({ id: "a" });
    const [a, b] = await listed();
    expect([a?.id, a?.gone]).toEqual(["a", undefined]);
    expect(b).toEqual({
      app: "ORDERS",
      id: "b",
      hostName: "orders.example",
      ipAddr: "192.0.2.7",
      port: 9000,
      securePort: 9443,
      status: "UP",
      overriddenStatus: undefined,
      homePageUrl: "http://orders.example:9000/",
      statusPageUrl: undefined,
      healthCheckUrl: undefined,
      metadata: { version: "1.2" },
      registeredAt: start,
      upSince: start + 1000,
      lastRenewedAt: start + 2000,
      leaseSeconds: 90,
      isOver: false,
    });
  });

  test("an instance is told with a heartbeat that came after it was listed, and as over where nobody may evict it", async () => {
    await registerAll(["alive", "late"]);
    const times = async () => (await registry.instances()).map(({ id, lastRenewedAt, isOver }) => ({ id, ago: registry.clock.time - lastRenewedAt, isOver }));
    expect(await times()).toEqual([{ id: "alive", ago: 0, isOver: false }, { id: "late", ago: 0, isOver: false }]);
    for (let beat = 0; beat < 4; beat++) {
      registry.clock.time += 25 * SECOND;
      expect(await registry.beat("alive")).toBe(200);
      await registry.sweep();
    }
    expect(await times()).toEqual([{ id: "alive", ago: 0, isOver: false }, { id: "late", ago: 100 * SECOND, isOver: true }]);
  });

  test("nobody's lease is over because the clock jumped", async () => {
    await registerAll(["orders-0"]);
    registry.clock.time += HOUR;
    expect((await registry.instances()).map(({ isOver }) => isOver)).toEqual([false]);
    registry.clock.time -= 2 * HOUR;
    expect((await registry.instances()).map(({ isOver }) => isOver)).toEqual([false]);
  });

  test("who is gone is kept for an hour, with when and why", async () => {
    await registerAll(["cancelled", "evicted"]);
    const start = registry.clock.time;
    await registry.send("/apps/ORDERS/cancelled", { method: "DELETE" });
    await live(95 * SECOND);
    expect((await listed()).map(({ id, gone }) => [id, gone])).toEqual([
      ["cancelled", { at: start, reason: "cancelled" }],
      ["evicted", { at: start + 95 * SECOND, reason: "evicted" }],
    ]);
    expect(await strict.listed(), "the wire does not know them").toEqual({});
    for (let minute = 0; minute < 59; minute++) {
      registry.clock.time += 60 * SECOND;
      await strict.sweep();
    }
    expect((await listed()).map(({ id }) => id)).toEqual(["evicted"]);
    registry.clock.time += 62 * SECOND;
    await strict.sweep();
    expect(await listed()).toEqual([]);
    expect(await strict.listed()).toEqual({});
  });

  test("who comes back is there once, as new", async () => {
    await registerAll(["orders-0"]);
    await registry.send("/apps/ORDERS/orders-0/status?value=OUT_OF_SERVICE", { method: "PUT" });
    await registry.send("/apps/ORDERS/orders-0", { method: "DELETE" });
    registry.clock.time += 5 * SECOND;
    await registerAll(["orders-0"]);
    const found = await listed();
    expect(found.map(({ id, status, gone, upSince, overriddenStatus }) => ({ id, status, gone, upSince, overriddenStatus }))).toEqual([
      { id: "orders-0", status: "UP", gone: undefined, upSince: registry.clock.time, overriddenStatus: undefined },
    ]);
  });
});
