import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { envelopeOf } from "../../src/events/envelope.ts";
import { problemOf } from "../http/problem.ts";
import { openWire } from "../wire/broker/wire.ts";
import { type Received, type Receiver, type WebhookPlatform, webhookPlatform } from "./webhooks.ts";

let platform: WebhookPlatform;
beforeAll(async () => {
  platform = await webhookPlatform();
});
afterAll(() => platform.close());
// Endpoints of other tests would go on failing.
beforeEach(() => platform.database.query("DELETE FROM webhooks.endpoints"));

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SCHEDULE_MS = [0, 5000, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS, 14 * HOUR_MS, 20 * HOUR_MS, 24 * HOUR_MS];

const never = new Promise<never>(() => {});
const answer = (status: number, headers: Record<string, string> = {}) => () => new Response(null, { status, headers });
const idsOf = (received: readonly Received[]) => received.map(({ id }) => id);

/** Sends what is due after so many milliseconds. */
async function later(milliseconds: number): Promise<void> {
  platform.advance(milliseconds);
  await platform.hooks.run();
}

test("what failed arrives at a later try, with the same id and body and a fresh time", async () => {
  const { id, received } = await platform.subscribed((_, nth) => new Response(null, { status: nth === 1 ? 500 : 200 }));
  await platform.write();
  await platform.deliver();
  expect(await platform.state(id)).toMatchObject({ failures: 1, lastFailure: "status", lastStatus: 500, pending: 1, lastSuccessAt: null });
  await later(4900);
  expect(received).toHaveLength(1);
  await later(200);
  expect(await platform.state(id)).toMatchObject({ failures: 0, pending: 0, lastSuccessAt: expect.any(String), enabled: true });
  const [first, second, ...more] = received;
  expect([more.length, second?.id, second?.body]).toEqual([0, first?.id, first?.body]);
  expect(Number(second?.headers["webhook-timestamp"])).toBeGreaterThanOrEqual(Number(first?.headers["webhook-timestamp"]) + 5);
});

test("is tried ten times over three days, then set aside, and sent again when an administrator asks", async () => {
  let isBack = false;
  const { id, received } = await platform.subscribed(() => new Response(null, { status: isBack ? 204 : 404 }));
  const [event] = await platform.write();
  await platform.deliver();
  for (const [index, pause] of SCHEDULE_MS.slice(1).entries()) {
    await later(pause - 1000);
    expect({ index, tries: received.length }).toEqual({ index, tries: index + 1 });
    await later(1100);
    expect({ index, tries: received.length }).toEqual({ index, tries: index + 2 });
  }
  await later(48 * HOUR_MS);
  expect(received).toHaveLength(SCHEDULE_MS.length);
  expect(await platform.state(id)).toMatchObject({ pending: 0, setAside: 1, failures: 10, enabled: true });
  const list = async (state: string) => ((await (await platform.call("GET", `/api/admin/webhooks/${id}/deliveries?state=${state}`)).json()) as { deliveries: unknown[] }).deliveries;
  expect(await list("pending")).toEqual([]);
  expect(await list("set-aside")).toEqual([expect.objectContaining({ event, type: "user.updated", attempts: 10, lastFailure: "status", lastStatus: 404, nextAttemptAt: null, setAsideAt: expect.any(String) })]);

  isBack = true;
  const retry = () => platform.call("POST", `/api/admin/webhooks/${id}/deliveries/${event}/retry`);
  expect((await retry()).status).toBe(200);
  await platform.hooks.run();
  expect(idsOf(received.slice(10))).toEqual([event]);
  expect(await problemOf(await retry())).toEqual({ status: 404, code: "WEBHOOK_DELIVERY_NOT_FOUND_404" });
});

test("pauses are drawn out by chance, so that what failed together does not come again together", async () => {
  const { received } = await platform.subscribed(answer(500));
  await platform.write();
  await platform.relay();
  const drawing = platform.newWebhooks({ random: () => 0.999 });
  await drawing.run();
  platform.advance(5500);
  await drawing.run();
  expect(received).toHaveLength(1);
  platform.advance(600);
  await drawing.run();
  expect(received).toHaveLength(2);
});

test("410 disables: nothing more is sent or kept, until an administrator enables it", async () => {
  let isGone = true;
  const { id, url, received } = await platform.subscribed(() => new Response(null, { status: isGone ? 410 : 200 }));
  const [first] = await platform.write();
  await platform.deliver();
  expect(await platform.state(id)).toMatchObject({ enabled: false, disabledBy: "receiver", disabledAt: expect.any(String), lastStatus: 410 });
  expect(platform.log).toContainEqual(expect.objectContaining({ level: "warn", message: `Disabled the webhook "${id}": its receiver answered 410, it wants no more` }));
  await platform.write();
  await platform.deliver();
  await later(HOUR_MS);
  expect(received).toHaveLength(1);

  isGone = false;
  await platform.call("PUT", `/api/admin/webhooks/${id}`, { json: { url, types: ["user.updated"], enabled: true } });
  const [third] = await platform.write();
  await platform.deliver();
  expect(idsOf(received.slice(1)).toSorted()).toEqual([first, third].toSorted());
});

test("a 410 of the URL there was before does not disable the one there is now", async () => {
  const to = platform.receiver();
  const { id } = await platform.subscribed(async () => {
    await platform.call("PUT", `/api/admin/webhooks/${id}`, { json: { url: to.url, types: ["user.updated"], enabled: true } });
    return new Response(null, { status: 410 });
  });
  await platform.write();
  await platform.deliver();
  expect(await platform.state(id)).toMatchObject({ enabled: true, failures: 0, pending: 1 });
  await later(6000);
  expect(to.received).toHaveLength(1);
});

test.each([
  ["seconds", () => "120"],
  ["a date", () => new Date(platform.now() + 120_000).toUTCString()],
])("429 with Retry-After in %s gives the receiver its rest, and no other", async (_, header) => {
  const limiting = await platform.subscribed((__, nth) => (nth === 1 ? new Response(null, { status: 429, headers: { "retry-after": header() } }) : new Response(null)));
  const other = await platform.subscribed();
  await platform.write();
  await platform.deliver();
  const [ofLater] = await platform.write();
  await platform.deliver();
  await later(100_000);
  expect([limiting.received.length, other.received.length]).toEqual([1, 2]);
  await later(21_000);
  expect(idsOf(limiting.received).toSorted()).toEqual([limiting.received[0]!.id, limiting.received[0]!.id, ofLater].toSorted());
});

test.each([["503", { "retry-after": "999999999" }], ["502", {}], ["504", { "retry-after": "soon" }]])("a wish without end or sense is bounded (%s %o)", async (status, headers) => {
  const { id, received } = await platform.subscribed((_, nth) => (nth === 1 ? new Response(null, { status: Number(status), headers }) : new Response(null)));
  await platform.write();
  await platform.deliver();
  await later(20_000);
  expect(received).toHaveLength(1);
  await later(24 * HOUR_MS);
  expect(received).toHaveLength(2);
  expect(await platform.state(id)).toMatchObject({ failures: 0, pending: 0 });
});

test("five days without a success disable, however much was sent", async () => {
  const { id } = await platform.subscribed(answer(500));
  for (let day = 0; day < 6; day++) {
    expect(await platform.state(id)).toMatchObject({ enabled: true });
    await platform.write();
    await platform.deliver();
    platform.advance(24 * HOUR_MS);
  }
  expect(await platform.state(id)).toMatchObject({ enabled: false, disabledBy: "failures" });
});

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
  await later(40_000);
  expect(received).toHaveLength(3);
  await later(10_000);
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
  await later(60_000);
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

test("what was set aside is forgotten after two weeks", async () => {
  const { id } = await platform.subscribed(answer(500));
  await platform.write();
  await platform.deliver();
  await platform.database.query("UPDATE webhooks.deliveries SET set_aside_at = created_at");
  await later(13 * 24 * HOUR_MS);
  expect(await platform.state(id)).toMatchObject({ setAside: 1 });
  await later(2 * 24 * HOUR_MS);
  expect(await platform.state(id)).toMatchObject({ setAside: 0, pending: 0 });
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
