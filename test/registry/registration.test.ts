import { describe, expect, test } from "vitest";
import type { LogEntry } from "../../src/http/log.ts";
import { registration } from "../../src/registry/registration.ts";
import { testRegistry } from "./server.ts";

const SELF = { name: "user-service", hostName: "localhost", ipAddr: "127.0.0.1", port: 8086 };

function registering() {
  const log: LogEntry[] = [];
  const clock = { offset: 0, now: () => Date.now() + clock.offset };
  const registry = testRegistry({ now: clock.now });
  const { beat, cancel } = registration({ registry: registry.client, instance: SELF, now: clock.now, log: (line) => log.push(line) });
  const asked = () => registry.seen.splice(0).map(({ method }) => method);
  return { ...registry, log, clock, beat, cancel, asked };
}

test("The first beat registers, later ones renew, and one that nobody knows any more registers again", async () => {
  const { beat, asked, instances, log, seen } = registering();
  await beat();
  expect(asked()).toEqual(["POST"]);
  expect([...instances.values()]).toMatchObject([{ status: "UP", app: "USER-SERVICE" }]);
  await beat();
  await beat();
  expect(asked()).toEqual(["PUT", "PUT"]);
  instances.clear();
  await beat();
  expect(seen.map(({ method, search }) => method + search)).toEqual([expect.stringMatching(/^PUT\?status=UP&lastDirtyTimestamp=\d+$/), "POST"]);
  expect([...instances.values()]).toMatchObject([{ status: "UP" }]);
  expect(log).toEqual([{ level: "info", service: "user-service", message: "Registered" }]);
});

test("A registry that is away is logged once, and once when it is back, whatever happens in between", async () => {
  const { beat, server, log, instances, asked } = registering();
  await beat();
  server.wire = () => Promise.reject(new TypeError("fetch failed"));
  for (let i = 0; i < 5; i++) await beat();
  server.wire = () => new Response(null, { status: 500 });
  for (let i = 0; i < 5; i++) await beat();
  expect(log.map(({ level }) => level)).toEqual(["info", "warn"]);
  expect(log[1]).toMatchObject({ service: "user-service", error: expect.stringContaining("fetch failed") });
  server.wire = undefined;
  instances.clear();
  asked();
  await beat();
  expect(asked()).toEqual(["PUT", "POST"]);
  await beat();
  expect(log.map(({ level }) => level)).toEqual(["info", "warn", "info"]);
  expect(JSON.stringify(log)).not.toMatch(/correct|horse/);
});

test("A registry that is away at the start is registered at as soon as it is there", async () => {
  const { beat, server, log, instances } = registering();
  server.wire = () => new Response(null, { status: 401 });
  await beat();
  await beat();
  server.wire = undefined;
  await beat();
  expect(log.map(({ level }) => level)).toEqual(["warn", "info"]);
  expect(instances.size).toBe(1);
});

describe("At its end", () => {
  test("an instance says DOWN, then leaves, and no later beat brings it back", async () => {
    const { beat, cancel, seen, instances, asked } = registering();
    await beat();
    asked();
    await cancel();
    expect(seen.map(({ method }) => method)).toEqual(["POST", "DELETE"]);
    expect(JSON.parse(seen[0]!.body)).toMatchObject({ instance: { status: "DOWN" } });
    await beat();
    await cancel();
    expect(seen).toHaveLength(2);
    expect(instances.size).toBe(0);
  });

  test("a beat that is under way does not register again what has left", async () => {
    const { beat, cancel, server, instances } = registering();
    await beat();
    instances.clear();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    server.wire = async (request, pass) => {
      if (request.method === "PUT") await held;
      return pass(request);
    };
    const beating = beat();
    const cancelled = cancel();
    release();
    await Promise.all([beating, cancelled]);
    expect(instances.size).toBe(0);
  });

  test("one that never registered asks nothing", async () => {
    const { cancel, seen } = registering();
    await cancel();
    expect(seen).toEqual([]);
  });

  test("a registry that does not answer keeps nobody waiting for long", async () => {
    const { beat, cancel, server, log } = registering();
    await beat();
    server.wire = () => new Promise(() => {});
    const began = performance.now();
    await cancel();
    expect(performance.now() - began).toBeLessThan(2500);
    expect(log.at(-1)).toMatchObject({ level: "warn", message: expect.stringContaining("the lease ends") });
  });
});
