import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { registered } from "../platform.ts";
import { problemOf } from "../http/problem.ts";
import { auditOf } from "./instance.ts";
import { type Received, type WebhookPlatform, webhookPlatform } from "./webhooks.ts";

let platform: WebhookPlatform;
beforeAll(async () => {
  platform = await webhookPlatform();
});
afterAll(() => platform.close());

const HOUR_MS = 3600_000;

/** What the public library makes of a request, at the time it was received. */
function verified(secret: string, { body, headers, at }: Received): unknown {
  vi.useFakeTimers({ toFake: ["Date"], now: at });
  try {
    return new Webhook(secret).verify(body, headers);
  } finally {
    vi.useRealTimers();
  }
}

test("an event arrives signed as the public library verifies it, once, and to whom it is for only", async () => {
  const wanting = await platform.subscribed(undefined, { types: ["user.registered"] });
  const all = await platform.subscribed(undefined, {});
  const other = await platform.subscribed(undefined, { types: ["user.locked"] });
  const { userId, emailId } = await registered(platform);
  await platform.deliver();
  await platform.deliver();
  const [received, ...more] = wanting.received;
  expect(more).toEqual([]);
  expect(verified(wanting.secret, received!)).toEqual({
    specversion: "1.0",
    id: received?.id,
    source: "/user-service",
    type: "user.registered",
    subject: userId,
    time: expect.stringMatching(/Z$/),
    datacontenttype: "application/json",
    dataschema: "urn:gatehouse:event:user.registered",
    data: { userId, emailId, firstName: "Asha", lastName: "Rao" },
  });
  expect(received?.headers).toEqual({
    accept: "*/*",
    "content-type": "application/cloudevents+json; charset=UTF-8",
    "user-agent": "Gatehouse-Webhooks",
    "webhook-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
    "webhook-timestamp": expect.stringMatching(/^\d{10}$/),
    "webhook-signature": expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
  });
  expect(() => verified(all.secret, received!)).toThrow("No matching signature");
  expect(() => verified(wanting.secret, { ...received!, body: received!.body.replace("Asha", "Ashb") })).toThrow("No matching signature");
  const types = all.received.map((one) => (verified(all.secret, one) as { type: string }).type);
  expect(types).toEqual(expect.arrayContaining(["user.registered", "admin.called"]));
  expect(other.received).toEqual([]);
  expect(await platform.state(wanting.id)).toMatchObject({ lastSuccessAt: expect.any(String), lastFailureAt: null, failures: 0, pending: 0 });
});

test("what happened before a webhook was made is not sent to it", async () => {
  await platform.write(3);
  platform.advance(120_000);
  const { received } = await platform.subscribed();
  const ids = await platform.write(2);
  await platform.deliver();
  expect(received.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
});

test("the secret is told when it is made and never again, in no answer, row, event or line of the log", async () => {
  const { id, secret } = await platform.subscribed();
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const rotated = await platform.call("POST", `/api/admin/webhooks/${id}/secret`);
  expect(rotated.status).toBe(200);
  const { secret: next } = (await rotated.json()) as { secret: string };
  const answers = await Promise.all(["", `/${id}`, `/${id}/deliveries`].map(async (path) => (await platform.call("GET", `/api/admin/webhooks${path}`)).text()));
  await platform.write();
  await platform.deliver();
  const rows = await platform.database.query("SELECT e::text AS row FROM webhooks.endpoints e UNION ALL SELECT d::text FROM webhooks.deliveries d UNION ALL SELECT o::text FROM events.outbox o");
  const everything = JSON.stringify([answers, rows, platform.log]);
  for (const canary of [secret, next]) {
    expect(canary).not.toBe("");
    expect(everything.includes(canary.slice("whsec_".length))).toBe(false);
  }
  // The URL may hold a key of the receiver's: an administrator sees it, the log and the audit do not.
  expect(JSON.stringify([platform.log, rows.filter(({ row }) => row?.includes("admin.called"))])).not.toContain("of-the-receiver");
  expect((await auditOf(platform, `webhook/${id}`)).map(({ operation }) => operation)).toEqual(expect.arrayContaining(["rotateWebhookSecret", "getWebhook"]));
});

test("after a rotation both secrets verify for a day, then the new one only", async () => {
  const { id, secret, received } = await platform.subscribed();
  const { secret: next, oldSecretUntil } = (await (await platform.call("POST", `/api/admin/webhooks/${id}/secret`)).json()) as { secret: string; oldSecretUntil: string };
  expect((await platform.state(id))["oldSecretUntil"]).toBe(oldSecretUntil);
  await platform.write();
  await platform.deliver();
  for (const good of [secret, next]) expect(verified(good, received[0]!)).toMatchObject({ type: "user.updated" });
  expect(received[0]?.headers["webhook-signature"]?.split(" ")).toHaveLength(2);

  platform.advance(24 * HOUR_MS + 1000);
  await platform.write();
  await platform.deliver();
  expect(verified(next, received[1]!)).toMatchObject({ type: "user.updated" });
  expect(() => verified(secret, received[1]!)).toThrow("No matching signature");
  expect((await platform.state(id))["oldSecretUntil"]).toBeNull();
});

test("with another key nothing is sent, and it is said why", async () => {
  const { id, received } = await platform.subscribed();
  await platform.write();
  await platform.relay();
  await platform.newWebhooks({ key: "B".repeat(43) }).run();
  expect(received).toEqual([]);
  expect(await platform.state(id)).toMatchObject({ lastFailure: "unreadable-secret", pending: 1 });
  expect(JSON.stringify(platform.log)).toContain(`Cannot sign for the webhook \\"${id}\\"`);
});

test("a webhook is changed, disabled, enabled and removed", async () => {
  const { id, received, url } = await platform.subscribed();
  const put = (json: Record<string, unknown>) => platform.call("PUT", `/api/admin/webhooks/${id}`, { json });
  expect((await put({ url, types: ["user.updated"], description: "Another", enabled: false })).status).toBe(200);
  expect(await platform.state(id)).toMatchObject({ enabled: false, disabledBy: "administrator", disabledAt: expect.any(String), description: "Another" });
  await platform.write();
  await platform.deliver();
  expect((await put({ url, types: ["user.updated"], enabled: true })).status).toBe(200);
  expect(await platform.state(id)).toMatchObject({ enabled: true, disabledBy: null, disabledAt: null, description: "", url });
  const ids = await platform.write();
  await platform.deliver();
  expect(received.map(({ id }) => id)).toEqual(ids);

  await platform.write();
  await platform.relay();
  expect((await platform.call("DELETE", `/api/admin/webhooks/${id}`)).status).toBe(200);
  await platform.deliver();
  expect(received).toHaveLength(1);
  for (const [method, path, json] of [["GET", ""], ["PUT", "", { url, enabled: true }], ["DELETE", ""], ["POST", "/secret"], ["GET", "/deliveries"], ["POST", "/deliveries/e/retry"]] as const) {
    expect(await problemOf(await platform.call(method, `/api/admin/webhooks/${id}${path}`, { json }))).toEqual({ status: 404, code: "WEBHOOK_NOT_FOUND_404" });
  }
});

test("a body is refused with every field that is wrong", async () => {
  const post = async (json: unknown) => problemOf(await platform.call("POST", "/api/admin/webhooks", { json }));
  expect(await post({ types: ["user.unknown"], description: "two\nlines" })).toEqual({ status: 400, code: "VALIDATION_FAILED_400", fields: ["description", "types.0", "url"] });
  for (const types of [[], ["user.locked", "user.locked"]]) expect(await post({ url: "https://receiver.example.com", types })).toMatchObject({ status: 400, fields: ["types"] });
});

test("of 130 that are made at once, as many are as there may be, and pages list each once", async () => {
  await platform.database.query("DELETE FROM webhooks.endpoints");
  const responses = await Promise.all(Array.from({ length: 130 }, () => platform.call("POST", "/api/admin/webhooks", { json: { url: "https://receiver.example.com" } })));
  const statuses = Object.groupBy(responses, ({ status }) => status);
  expect([statuses[201]?.length, statuses[409]?.length]).toEqual([100, 30]);
  expect((await problemOf(statuses[409]![0]!)).code).toBe("WEBHOOK_LIMIT_REACHED_409");
  const ids: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: Response = await platform.call("GET", `/api/admin/webhooks?limit=33${cursor && `&cursor=${cursor}`}`);
    const { webhooks, next } = (await page.json()) as { webhooks: { id: string }[]; next: string | null };
    ids.push(...webhooks.map(({ id }) => id));
    cursor = next;
  }
  expect([ids.length, new Set(ids).size]).toEqual([100, 100]);
  await platform.database.query("DELETE FROM webhooks.endpoints");
});
