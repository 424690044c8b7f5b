import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { network } from "../database/network.ts";
import { gatewayOn } from "./limits.ts";
import { type RedisServer, redisServer } from "./server.ts";

const RECOVERY_MS = 5000;
const limits = { shared: 100_000, local: 50_000 };
/** Of the budget for Redis 100 ms, the rest is this machine being busy. */
const LONGEST_MS = 1000;


let server: RedisServer;
let gateway: Awaited<ReturnType<typeof gatewayOn>>;
beforeEach(async () => {
  server = await redisServer();
  gateway = await gatewayOn(`redis://127.0.0.1:${server.port}`, { source: "192.0.2.1", limits });
});
afterEach(async () => {
  gateway.close();
  await server.close();
});

type Sample = Awaited<ReturnType<typeof gateway.ask>> & { began: number };

/** Asks steadily while `away` takes Redis away and, when it settles, has brought it back. */
async function outage(name: string, away: () => Promise<void>) {
  const samples: Sample[] = [];
  let isOver = false;
  const load = async () => {
    for (; !isOver; await pause(10)) {
      const began = performance.now();
      samples.push({ ...(await gateway.ask()), began });
    }
  };
  const loading = Promise.all(Array.from({ length: 8 }, load));
  await pause(500);
  await away();
  const back = performance.now();
  const isCounting = () => samples.some(({ began, limit }) => began > back && limit === limits.shared);
  while (!isCounting() && performance.now() < back + RECOVERY_MS) await pause(20);
  await pause(500);
  isOver = true;
  await loading;
  const recovery = Math.min(...samples.flatMap(({ began, took, limit }) => (began > back && limit === limits.shared ? [began + took - back] : [])));
  const longest = Math.max(...samples.map(({ took }) => took));
  const alone = samples.filter(({ limit }) => limit === limits.local);
  console.log(`${name}: ${samples.length} calls, ${alone.length} counted alone, the longest ${Math.round(longest)} ms, counting together again after ${Math.round(recovery)} ms`);
  return { samples, alone, recovery, longest };
}

type Outage = Awaited<ReturnType<typeof outage>>;

function expectServed({ samples, alone, recovery, longest }: Outage): void {
  expect(samples.filter(({ status }) => status !== 200)).toEqual([]);
  expect(alone.length).toBeGreaterThan(0);
  expect(recovery).toBeLessThan(RECOVERY_MS);
  expect(longest).toBeLessThan(LONGEST_MS);
}

describe("A Redis that goes away: nobody is refused for it or waits long, each instance counts alone, and together again by itself", () => {
  test("killed, away for a while, started again", { timeout: 30_000 }, async () => {
    expectServed(
      await outage("killed", async () => {
        await server.kill();
        await pause(4000);
        await server.start();
      }),
    );
    expect(gateway.log.map(({ message }) => message)).toEqual(["Cannot reach Redis", "Redis is back"]);
  });

  test("hanging with its connections open", { timeout: 30_000 }, async () => {
    expectServed(
      await outage("hanging", async () => {
        server.freeze();
        await pause(6000);
        server.thaw();
      }),
    );
  });

  test("swallowed by the network, which says nothing of it", { timeout: 30_000 }, async () => {
    const { port, swallow, close } = await network({ host: "127.0.0.1", port: server.port });
    const far = await gatewayOn(`redis://127.0.0.1:${port}`, { source: "192.0.2.3", limits });
    await expect.poll(async () => (await far.ask()).limit, { timeout: RECOVERY_MS, interval: 100 }).toBe(limits.shared);
    swallow();
    expect(await far.ask()).toMatchObject({ status: 200, limit: limits.local });
    await expect.poll(async () => (await far.ask()).limit, { timeout: RECOVERY_MS, interval: 100 }).toBe(limits.shared);
    far.close();
    close();
  });

  test("turned into one that only follows, when its name leads to the one that writes", { timeout: 30_000 }, async () => {
    const next = await redisServer();
    const { port, lead, close } = await network({ host: "127.0.0.1", port: server.port });
    const far = await gatewayOn(`redis://127.0.0.1:${port}`, { source: "192.0.2.3", limits });
    await expect.poll(async () => (await far.ask()).limit, { timeout: RECOVERY_MS, interval: 100 }).toBe(limits.shared);
    lead({ host: "127.0.0.1", port: next.port });
    await gateway.command("REPLICAOF", "127.0.0.1", String(next.port));
    expect(await far.ask()).toMatchObject({ status: 200, limit: limits.local });
    await expect.poll(async () => (await far.ask()).limit, { timeout: RECOVERY_MS, interval: 100 }).toBe(limits.shared);
    far.close();
    close();
    await next.close();
  });
});

test("A Redis that stays one that only follows is asked anew once a second, and is neither back nor lost again for it", { timeout: 30_000 }, async () => {
  const next = await redisServer();
  onTestFinished(next.close);
  const other = await gatewayOn(`redis://127.0.0.1:${server.port}`, { source: "192.0.2.4", limits });
  onTestFinished(other.close);
  const connections = async () => Number(/total_connections_received:(\d+)/.exec(String((await other.command("INFO", "stats")).result))?.[1]);
  await other.command("REPLICAOF", "127.0.0.1", String(next.port));
  await expect.poll(async () => (await gateway.ask()).limit, { timeout: RECOVERY_MS }).toBe(limits.local);
  const before = await connections();
  for (const until = performance.now() + 2500; performance.now() < until; await pause(5)) expect(await gateway.ask()).toMatchObject({ status: 200, limit: limits.local });
  expect((await connections()) - before).toBeLessThanOrEqual(3);
  expect(gateway.log.map(({ message }) => message)).toEqual(["Cannot reach Redis"]);
  await other.command("REPLICAOF", "NO", "ONE");
  await expect.poll(async () => (await gateway.ask()).limit, { timeout: RECOVERY_MS }).toBe(limits.shared);
  expect(gateway.log.map(({ message }) => message)).toEqual(["Cannot reach Redis", "Redis is back"]);
});

test("A Redis that is not there yet keeps the gateway neither from starting nor from counting when it comes", { timeout: 30_000 }, async () => {
  await server.kill();
  const began = performance.now();
  const early = await gatewayOn(`redis://127.0.0.1:${server.port}`, { source: "192.0.2.2", limits });
  expect(performance.now() - began).toBeLessThan(3000);
  expect((await early.ask()).limit).toBe(limits.local);
  await server.start();
  await expect.poll(async () => (await early.ask()).limit, { timeout: RECOVERY_MS, interval: 100 }).toBe(limits.shared);
  early.close();
});
