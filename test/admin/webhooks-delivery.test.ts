import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { envelopeOf } from "../../src/events/envelope.ts";
import { openWire } from "../wire/broker/wire.ts";
import { answer, idsOf, type Received, type Receiver, type WebhookPlatform, webhookPlatform } from "./webhooks.ts";

let platform: WebhookPlatform;
beforeAll(async () => {
  platform = await webhookPlatform();
});
afterAll(() => platform.close());
// Endpoints of other tests would go on failing.
beforeEach(() => platform.database.query("DELETE FROM webhooks.endpoints"));

const never = new Promise<never>(() => {});

test("several deliverers at once send each event once", async () => {
  const { id, received } = await platform.subscribed();
  const ids = await platform.write(150);
  await platform.relay();
  const several = [platform.hooks, platform.newWebhooks(), platform.newWebhooks({ sharesPending: true })];
  do await Promise.all(several.map((one) => one.run()));
  while ((await platform.state(id))["pending"] !== 0);
  expect(idsOf(received).toSorted()).toEqual(ids.toSorted());
});

test("what was sent by a process that died before it could note it is sent again, and not before its lease ends", async () => {
  const { id, received } = await platform.subscribed();
  const ids = await platform.write(3);
  await platform.relay();
  const dying = platform.newWebhooks({ wire: async (request, pass) => ((await request.clone().text()).includes("DELETE FROM \\\"webhooks\\\"") ? Promise.reject(new TypeError("fetch failed")) : pass(request)) });
  await dying.run();
  expect(idsOf(received).toSorted()).toEqual(ids.toSorted());
  await platform.later(40_000);
  expect(received).toHaveLength(3);
  await platform.later(10_000);
  expect(idsOf(received).toSorted()).toEqual([...ids, ...ids].toSorted());
  expect(await platform.state(id)).toMatchObject({ pending: 0, failures: 0 });
});

test("a process that dies while it sends has tried, so that no event is sent without end", async () => {
  const { id } = await platform.subscribed(answer(500));
  await platform.write();
  await platform.relay();
  const { promise: isSending, resolve: sends } = Promise.withResolvers<void>();
  const dying = platform.newWebhooks({ fetch: () => (sends(), never), timeout: 600_000 });
  await platform.newWebhooks({ fetch: () => Promise.reject(new TypeError("fetch failed")) }).run();
  await platform.database.query("UPDATE webhooks.deliveries SET attempts = 9");
  platform.advance(10_000);
  void dying.run().catch(() => {});
  await isSending;
  await platform.later(60_000);
  expect(await platform.state(id)).toMatchObject({ setAside: 1, pending: 0 });
});

test("receivers that fail slowly hold no other back, and are tried one event at a time", async () => {
  const fine = await platform.subscribed();
  const failing: { received: Received[]; atOnce: number[] }[] = [];
  for (let count = 0; count < 5; count++) {
    let underway = 0;
    const atOnce: number[] = [];
    const slow: Receiver = async () => {
      atOnce.push((underway += 1));
      await pause(30);
      underway -= 1;
      return new Response(null, { status: 500 });
    };
    failing.push({ ...(await platform.subscribed(slow)), atOnce });
  }
  await platform.write(20);
  await platform.relay();
  await platform.newWebhooks({ timeout: 5000 }).run();
  expect(fine.received).toHaveLength(20);
  for (const { atOnce } of failing) {
    expect(Math.max(...atOnce)).toBeLessThanOrEqual(4);
    // The first few have found out.
    expect(Math.max(...atOnce.slice(4))).toBe(1);
  }
});

test("a receiver that never answers takes nothing from another", async () => {
  const [silent, fine] = [await platform.subscribed(() => never), await platform.subscribed()];
  await platform.write(40);
  await platform.relay();
  let isOver = false;
  const running = platform.newWebhooks({ timeout: 2000 }).run().then(() => (isOver = true));
  await expect.poll(() => fine.received.length).toBe(40);
  expect([isOver, silent.received.length]).toEqual([false, 4]);
  platform.advance(10_000);
  await running;
});

test("for an endpoint at which 5000 events wait, what comes then is dropped and counted", async () => {
  const { id } = await platform.subscribed(answer(500));
  await platform.database.query(
    `INSERT INTO webhooks.deliveries (endpoint, event, type, subject, time, data, created_at, due)
     SELECT $1::uuid, 'e' || n, 'user.updated', 'USR1', now(), '{}', now(), now() + interval '99 years' FROM generate_series(1, 4998) AS n`,
    [id],
  );
  await platform.write(5);
  await platform.deliver();
  expect(await platform.state(id)).toMatchObject({ pending: 5000, dropped: 3 });
});

test("an event that arrives twice in the topic is sent once, and one with an id that could not be signed never", async () => {
  const { received } = await platform.subscribed();
  const [id] = await platform.write();
  await platform.relay();
  await platform.database.query("UPDATE events.outbox SET sent_at = NULL WHERE id = $1", [id ?? ""]);
  const { produce } = await openWire({ fetch: platform.systems.broker, baseUrl: platform.brokerUrl });
  for (const strange of ["a.b", "a\nb", "ü", "x".repeat(256)]) {
    const event = envelopeOf({ id: strange, type: "user.updated", key: "USR1", data: { userId: "USR1", address: true, contact: true }, traceparent: null, createdAt: platform.now() });
    await produce("platform.users", { value: { type: "STRING", data: JSON.stringify(event) } });
  }
  await platform.deliver();
  await platform.deliver();
  expect(idsOf(received)).toEqual([id]);
});
