import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import type { Broker } from "../../src/broker/kafka-rest.ts";
import { call, type ClientUnderTest, clientUnderTest, problemOf, silent, topic } from "./client.ts";

let on: ClientUnderTest;
beforeAll(async () => {
  on = await clientUnderTest();
});
beforeEach(() => on.reset());
afterAll(() => on.close());

/** To the millisecond, by a time that only goes on here. */
async function expectLateAfter(milliseconds: number, asked: Promise<unknown>): Promise<void> {
  let code: string | undefined;
  const done = problemOf(asked).then((found) => (code = found));
  await vi.advanceTimersByTimeAsync(milliseconds - 1);
  expect(code).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(code).toBe("UPSTREAM_TIMEOUT_504");
  await done;
}

it.each<[number | undefined, number]>([[50, 50], [4999, 4999], [5000, 5000], [60_000, 5000], [undefined, 5000]])(
  "waits no longer than it is told, and never longer than five seconds: %s",
  async (timeout, expected) => {
    vi.useFakeTimers();
    try {
      on.fault = silent;
      for (const ask of [
        (broker: Broker) => broker.listTopics(call(60_000), { includeInternal: true, timeout }),
        (broker: Broker) => broker.describeTopics(call(60_000), { names: ["a", "b"], timeout }),
        (broker: Broker) => broker.createTopic(call(60_000), { ...topic(), timeout }),
      ]) {
        await expectLateAfter(expected, ask(on.client({ now: () => Date.now() })));
      }
    } finally {
      vi.useRealTimers();
    }
  },
);

it.each<[number | undefined, number]>([[60_000, 5000], [4000, 4000]])("counts every request of an operation against it: %s", async (timeout, expected) => {
  vi.useFakeTimers();
  try {
    // The first takes three seconds, the next one is never answered.
    on.fault = (request) => (request.url.endsWith("/v3/clusters") ? new Promise((resolve) => setTimeout(() => resolve(Response.json({ data: [{ cluster_id: "c" }] })), 3000)) : silent());
    await expectLateAfter(expected, on.client().listTopics(call(60_000), { includeInternal: false, timeout }));
  } finally {
    vi.useRealTimers();
  }
});

it("ends with the call, whatever it was told", async () => {
  on.fault = silent;
  const began = Date.now();
  expect(await problemOf(on.client().listTopics(call(100), { includeInternal: false, timeout: 4000 }))).toBe("UPSTREAM_TIMEOUT_504");
  expect(Date.now() - began).toBeLessThan(1000);
  expect(await problemOf(on.client().createTopic(call(0), topic()))).toBe("UPSTREAM_TIMEOUT_504");
});
