import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Fetch } from "../../src/http/fetch.ts";
import { type Listening, listen } from "./platform.ts";
import { ask, gatewayWithRegistry, refused, three } from "./registered.ts";

describe("Instances", () => {
  test("are asked in turn", async () => {
    const platform = gatewayWithRegistry();
    const { services, counts } = three(platform);
    await ask(platform, 3);
    expect(services.map(({ seen }) => seen.length)).toEqual([1, 1, 1]);
    await ask(platform, 27);
    expect(counts()).toEqual([10, 10, 10]);
  });

  test.each(["DOWN", "OUT_OF_SERVICE", "STARTING", "UNKNOWN"])("that are %s are not asked, and are again once they are up", async (status) => {
    const platform = gatewayWithRegistry();
    const { counts } = three(platform);
    const ill = [...platform.registry.instances.values()][1]!;
    ill.status = status;
    await ask(platform, 10);
    expect(counts()).toEqual([5, 0, 5]);
    ill.status = "UP";
    platform.clock.offset += 5001;
    await ask(platform, 9);
    expect(counts()).toEqual([3, 3, 3]);
  });

  test("that have left are not asked after five seconds", async () => {
    const platform = gatewayWithRegistry();
    const { counts } = three(platform);
    await ask(platform, 3);
    counts();
    platform.registry.instances.delete("ORDERS/10.0.0.7:orders:8082");
    platform.clock.offset += 5001;
    await ask(platform, 10);
    expect(counts()).toEqual([5, 0, 5]);
  });

  test("that refuse the connection cost nobody a GET, and are left alone for ten seconds", async () => {
    const platform = gatewayWithRegistry();
    const { services, counts } = three(platform);
    let knocks = 0;
    platform.hosts["10.0.0.7:8082"] = { fetch: () => ((knocks += 1), refused()) };
    expect(new Set(await ask(platform, 30))).toEqual(new Set([200]));
    expect(knocks).toBe(1);
    expect(counts().reduce((sum, count) => sum + count)).toBe(30);
    platform.clock.offset += 10_001;
    platform.hosts["10.0.0.7:8082"] = services[1]!;
    await ask(platform, 9);
    expect(counts()).toEqual([3, 3, 3]);
  });

  test.each(["POST", "PUT", "PATCH", "DELETE"])("that refuse the connection are not replaced for a %s: it fails, and the next one goes elsewhere", async (method) => {
    const platform = gatewayWithRegistry();
    const { counts } = three(platform);
    platform.hosts["10.0.0.7:8081"] = { fetch: refused };
    expect(await ask(platform, 3, { method, body: "{}" })).toEqual([503, 200, 200]);
    expect(counts()).toEqual([0, 1, 1]);
  });

  test("that all refuse the connection are tried no more than twice a request, and soon again", async () => {
    const platform = gatewayWithRegistry();
    const { services } = three(platform);
    let knocks = 0;
    for (const port of [8081, 8082, 8083]) platform.hosts[`10.0.0.7:${port}`] = { fetch: () => ((knocks += 1), refused()) };
    expect(await ask(platform, 1)).toEqual([503]);
    expect(knocks).toBe(2);
    await ask(platform, 1);
    platform.hosts["10.0.0.7:8081"] = services[0]!;
    platform.hosts["10.0.0.7:8082"] = services[1]!;
    platform.hosts["10.0.0.7:8083"] = services[2]!;
    expect(await ask(platform, 3)).toEqual([200, 200, 200]);
  });

  test.each<[string, Fetch]>([
    ["resets the connection", () => Promise.reject(new TypeError("fetch failed", { cause: Object.assign(new Error("reset"), { code: "ECONNRESET" }) }))],
    ["fails without a word", () => Promise.reject(new Error("Network connection lost"))],
    ["cannot be reached from a Worker", () => new Response(null, { status: 522 })],
  ])("one that %s after something may have been sent is not replaced for the one who asked, and left alone by the next", async (_, fetch) => {
    const platform = gatewayWithRegistry();
    const { counts } = three(platform);
    platform.hosts["10.0.0.7:8081"] = { fetch };
    expect(await ask(platform, 6)).toEqual([expect.toSatisfy((status) => status >= 502), 200, 200, 200, 200, 200]);
    expect(counts().reduce((sum, count) => sum + count)).toBe(5);
  });

  test("one that has vanished costs one request a time, ever less often, until it answers; then it has its turn again", async () => {
    const platform = gatewayWithRegistry({ timeout: 100 });
    const { services, counts } = three(platform);
    const PERIODS = [10_001, 20_001, 40_001, 80_001, 120_001];
    let knocks = 0;
    platform.hosts["10.0.0.7:8082"] = { fetch: () => ((knocks += 1), new Promise(() => {})) };
    expect((await ask(platform, 9)).filter((status) => status === 504)).toHaveLength(1);
    for (const period of PERIODS) {
      platform.clock.offset += period - 1000;
      expect(new Set(await ask(platform, 6))).toEqual(new Set([200]));
      platform.clock.offset += 1000;
      const together = await Promise.all(Array.from({ length: 9 }, () => ask(platform, 1)));
      expect(together.flat().filter((status) => status === 504)).toHaveLength(1);
    }
    expect(knocks).toBe(1 + PERIODS.length);
    platform.clock.offset += 120_001;
    platform.hosts["10.0.0.7:8082"] = services[1]!;
    counts();
    expect(new Set(await ask(platform, 9))).toEqual(new Set([200]));
    expect(counts()).toEqual([3, 3, 3]);
    platform.hosts["10.0.0.7:8082"] = { fetch: refused };
    await ask(platform, 3);
    platform.hosts["10.0.0.7:8082"] = services[1]!;
    platform.clock.offset += 10_001;
    counts();
    await ask(platform, 9);
    expect(counts()).toEqual([3, 3, 3]);
  });

  test("one whose caller goes away keeps its turn", async () => {
    const platform = gatewayWithRegistry();
    const { services, counts } = three(platform);
    platform.hosts["10.0.0.7:8081"] = { fetch: () => new Promise(() => {}) };
    const leaving = new AbortController();
    const left = platform.app.request("/orders/x", { signal: leaving.signal });
    await pause(5);
    leaving.abort();
    await left;
    platform.hosts["10.0.0.7:8081"] = services[0]!;
    await ask(platform, 9);
    expect(counts()).toEqual([3, 3, 3]);
  });

  test("one that was lost and is then left by its caller has not answered", async () => {
    const platform = gatewayWithRegistry();
    const { counts } = three(platform);
    platform.hosts["10.0.0.7:8081"] = { fetch: refused };
    await ask(platform, 3);
    platform.clock.offset += 10_001;
    let knocks = 0;
    platform.hosts["10.0.0.7:8081"] = { fetch: () => ((knocks += 1), new Promise(() => {})) };
    const leaving = Array.from({ length: 3 }, () => new AbortController());
    const left = leaving.map(({ signal }) => platform.app.request("/orders/x", { signal }));
    await pause(5);
    for (const one of leaving) one.abort();
    await Promise.all(left);
    expect(knocks).toBe(1);
    counts();
    await ask(platform, 6);
    expect(counts()).toEqual([0, 3, 3]);
  });

  test("all of which are lost are still asked, in turn", async () => {
    const platform = gatewayWithRegistry();
    const { counts } = three(platform);
    const knocked: string[] = [];
    for (const port of [8081, 8082, 8083]) {
      platform.hosts[`10.0.0.7:${port}`] = { fetch: ({ url }) => (knocked.push(new URL(url).port), Promise.reject(new Error("Network connection lost"))) };
    }
    await ask(platform, 9);
    expect(counts()).toEqual([0, 0, 0]);
    expect(["8081", "8082", "8083"].map((port) => knocked.filter((one) => one === port).length)).toEqual([3, 3, 3]);
  });

  test("one that answers 503 has answered", async () => {
    const platform = gatewayWithRegistry();
    platform.instance({ port: 8081 }, (c) => c.text("busy", 503));
    platform.instance({ port: 8082 });
    expect(await ask(platform, 4)).toEqual([503, 200, 503, 200]);
  });
});

test("Of two instances under load one can be killed: no GET fails but those that were under way there", async () => {
  const platform = gatewayWithRegistry({ names: ["orders"] });
  const instances: (Listening & { underway: Set<Request> })[] = [];
  for (const _ of [1, 2]) {
    const underway = new Set<Request>();
    const slowly = async (request: Request) => {
      underway.add(request);
      await pause(5);
      underway.delete(request);
      return Response.json({ fine: true });
    };
    instances.push(Object.assign(await listen(slowly), { underway }));
  }
  for (const { port } of instances) {
    platform.instance({ host: "127.0.0.1", port });
    platform.hosts[`127.0.0.1:${port}`] = { fetch };
  }
  const statuses: number[] = [];
  const codes: unknown[] = [];
  let lost = Infinity;
  const client = async () => {
    for (let i = 0; i < 40; i++) {
      const response = await platform.app.request("/orders/x");
      statuses.push(response.status);
      if (response.status !== 200) codes.push(((await response.json()) as { code: string }).code);
      else await response.text();
    }
  };
  const load = Array.from({ length: 16 }, client);
  while (statuses.length < 100) await pause(1);
  lost = instances[0]!.underway.size;
  await instances[0]!.close();
  await Promise.all(load);
  await instances[1]!.close();
  expect(statuses).toHaveLength(640);
  // Also those whose bytes were on their way to it.
  expect(codes.length).toBeLessThanOrEqual(Math.max(lost, 1) + 8);
  expect(codes.length).toBeLessThanOrEqual(16);
  expect(new Set(codes)).toEqual(new Set(codes.length > 0 ? ["UPSTREAM_UNAVAILABLE_503"] : []));
  expect(statuses.slice(-300).every((status) => status === 200)).toBe(true);
});
