import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { problemOf } from "../http/problem.ts";
import { answer, idsOf, type WebhookPlatform, webhookPlatform } from "./webhooks.ts";

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

test("what failed arrives at a later try, with the same id and body and a fresh time", async () => {
  const { id, received } = await platform.subscribed((_, nth) => new Response(null, { status: nth === 1 ? 500 : 200 }));
  await platform.write();
  await platform.deliver();
  expect(await platform.state(id)).toMatchObject({ failures: 1, lastFailure: "status", lastStatus: 500, pending: 1, lastSuccessAt: null });
  await platform.later(4900);
  expect(received).toHaveLength(1);
  await platform.later(200);
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
    await platform.later(pause - 1000);
    expect({ index, tries: received.length }).toEqual({ index, tries: index + 1 });
    await platform.later(1100);
    expect({ index, tries: received.length }).toEqual({ index, tries: index + 2 });
  }
  await platform.later(48 * HOUR_MS);
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
  await platform.later(HOUR_MS);
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
  await platform.later(6000);
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
  await platform.later(100_000);
  expect([limiting.received.length, other.received.length]).toEqual([1, 2]);
  await platform.later(21_000);
  expect(idsOf(limiting.received).toSorted()).toEqual([limiting.received[0]!.id, limiting.received[0]!.id, ofLater].toSorted());
});

test.each([["503", { "retry-after": "999999999" }], ["502", {}], ["504", { "retry-after": "soon" }]])("a wish without end or sense is bounded (%s %o)", async (status, headers) => {
  const { id, received } = await platform.subscribed((_, nth) => (nth === 1 ? new Response(null, { status: Number(status), headers }) : new Response(null)));
  await platform.write();
  await platform.deliver();
  await platform.later(20_000);
  expect(received).toHaveLength(1);
  await platform.later(24 * HOUR_MS);
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

test("what was set aside is forgotten after two weeks", async () => {
  const { id } = await platform.subscribed(answer(500));
  await platform.write();
  await platform.deliver();
  await platform.database.query("UPDATE webhooks.deliveries SET set_aside_at = created_at");
  await platform.later(13 * 24 * HOUR_MS);
  expect(await platform.state(id)).toMatchObject({ setAside: 1 });
  await platform.later(2 * 24 * HOUR_MS);
  expect(await platform.state(id)).toMatchObject({ setAside: 0, pending: 0 });
});
