import { afterAll, beforeAll, expect, test } from "vitest";
import { PermissionsSchema } from "../../src/admin/permissions.ts";
import { relayOf } from "../events/locking.ts";
import { problemOf } from "../http/problem.ts";
import { signer } from "../http/signing.ts";
import { member } from "../users/people.ts";
import { type AdminPlatform, adminPlatform, auditOf } from "./instance.ts";

let platform: AdminPlatform;
let relay: () => Promise<void>;
let withRoles: (...roles: string[]) => Promise<string>;
beforeAll(async () => {
  platform = await adminPlatform();
  relay = relayOf(platform);
  const { good } = await signer(platform);
  withRoles = (...roles) => good({ realm_access: { roles } });
});
afterAll(() => platform.close());

const PATH = "/api/admin/events/set-aside";

type SetAside = { id: string; topic: string; type: string; key: string; createdAt: string; setAsideAt: string; attempts: number; reason: string | null };

/** Calls as an administrator with a token of this moment: the clock runs fast here. */
const call = async (method: string, path: string) => platform.call(method, path, { token: await withRoles("ADMIN") });

async function listed(query = "limit=200"): Promise<{ events: SetAside[]; next: string | null }> {
  const response = await call("GET", `${PATH}?${query}`);
  expect(response.status).toBe(200);
  return (await response.json()) as { events: SetAside[]; next: string | null };
}

/** Writes an event, the size of its data given; answers its id. */
async function write(key: string, size: number): Promise<string> {
  const [row] = await platform.database.query(
    `INSERT INTO events.outbox (topic, type, key, data, created_at)
     VALUES ('platform.users', 'user.updated', $1, jsonb_build_object('userId', $1::text, 'address', true, 'contact', false, 'x', repeat('canary', $2::int)), $3) RETURNING id`,
    [key, String(Math.ceil(size / 6)), new Date(platform.clock.now()).toISOString()],
  );
  return row?.["id"] ?? "";
}

/** Tries until the relay has given up what it would not send. */
async function relayUntilSetAside(): Promise<void> {
  for (let attempt = 1; attempt <= 5; attempt++) {
    await relay();
    platform.clock.offset += 61_000;
  }
}

const stateOf = async (id: string) =>
  (await platform.database.query("SELECT sent_at IS NOT NULL AS sent, set_aside_at IS NOT NULL AS aside, attempts FROM events.outbox WHERE id = $1", [id]))[0];

const TOO_LARGE = 3_000_000;

test("what the broker would not take is listed without what it says, and sent when it is replayed", async () => {
  const id = await write("USR-replayed", TOO_LARGE);
  await relayUntilSetAside();
  const { events, next } = await listed();
  expect({ events, next }).toEqual({
    events: [{ id, topic: "platform.users", type: "user.updated", key: "USR-replayed", createdAt: expect.stringMatching(/^\d{4}-.*Z$/), setAsideAt: expect.stringMatching(/^\d{4}-.*Z$/), attempts: 5, reason: "too-large" }],
    next: null,
  });
  expect(Date.parse(events[0]!.setAsideAt)).toBeGreaterThan(Date.parse(events[0]!.createdAt));

  const again = await call("POST", `${PATH}/${id}/replay`);
  expect({ status: again.status, body: await again.json() }).toEqual({ status: 200, body: { responseCode: "EVENT_REPLAYED_200", responseMessage: "Event will be sent again" } });
  expect(await stateOf(id)).toEqual({ sent: "f", aside: "f", attempts: "0" });
  expect((await listed()).events).toEqual([]);
  // As it is, it is set aside once more.
  await relayUntilSetAside();
  expect((await listed()).events).toMatchObject([{ id, attempts: 5 }]);

  await platform.database.query("UPDATE events.outbox SET data = data - 'x' WHERE id = $1", [id]);
  expect((await call("POST", `${PATH}/${id}/replay`)).status).toBe(200);
  await relay();
  expect(await stateOf(id)).toMatchObject({ sent: "t", aside: "f" });
  expect((await problemOf(await call("POST", `${PATH}/${id}/replay`))).code).toBe("EVENT_NOT_FOUND_404");
  expect((await auditOf(platform, `event/${id}`)).map(({ operation, outcome, code }) => [operation, outcome, code])).toEqual([
    ["replaySetAsideEvent", "succeeded", null],
    ["replaySetAsideEvent", "succeeded", null],
    ["replaySetAsideEvent", "refused", "EVENT_NOT_FOUND_404"],
  ]);
});

test("what is discarded is gone for good, and nothing else can be", async () => {
  const id = await write("USR-discarded", TOO_LARGE);
  await relayUntilSetAside();
  const [waiting, sent] = [await write("USR-waiting", TOO_LARGE), await write("USR-sent", 1)];
  await relay();
  expect(await Promise.all([waiting, sent].map(stateOf))).toMatchObject([{ sent: "f", aside: "f" }, { sent: "t" }]);

  const discarded = await call("DELETE", `${PATH}/${id}`);
  expect({ status: discarded.status, body: await discarded.json() }).toEqual({ status: 200, body: { responseCode: "EVENT_DISCARDED_200", responseMessage: "Event discarded" } });
  expect(await stateOf(id)).toBeUndefined();
  for (const other of [id, waiting, sent, crypto.randomUUID()]) {
    const before = await stateOf(other);
    for (const [method, path] of [["DELETE", other], ["POST", `${other}/replay`]] as const) {
      expect((await problemOf(await call(method, `${PATH}/${path}`)))).toMatchObject({ status: 404, code: "EVENT_NOT_FOUND_404" });
    }
    expect(await stateOf(other)).toEqual(before);
  }
  expect((await problemOf(await call("DELETE", `${PATH}/1`))).fields).toEqual(["id"]);
  expect((await auditOf(platform, `event/${id}`)).map(({ operation, outcome }) => `${operation} ${outcome}`)).toEqual(["discardSetAsideEvent succeeded", "discardSetAsideEvent refused", "replaySetAsideEvent refused"]);
  await platform.database.query("DELETE FROM events.outbox WHERE id = $1", [waiting]);
});

test("who replays and who discards at once do not both succeed", async () => {
  const id = await write("USR-contended", TOO_LARGE);
  await relayUntilSetAside();
  const calls = Array.from({ length: 6 }, (_, nth) => (nth % 2 ? call("DELETE", `${PATH}/${id}`) : call("POST", `${PATH}/${id}/replay`)));
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([200, 404, 404, 404, 404, 404]);
  await platform.database.query("DELETE FROM events.outbox WHERE id = $1", [id]);
});

test("the list comes in pages, the oldest first", async () => {
  const ids = [];
  for (let nth = 0; nth < 5; nth++) ids.push(await write(`USR-paged-${nth}`, TOO_LARGE));
  await relayUntilSetAside();
  const found: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const { events, next } = await listed(`limit=2${cursor && `&cursor=${cursor}`}`);
    expect(events.length).toBeLessThanOrEqual(2);
    found.push(...events.map(({ id }) => id));
    cursor = next;
  }
  expect(found).toEqual(ids);
  expect((await problemOf(await call("GET", `${PATH}?limit=0&cursor=x`))).fields).toEqual(["cursor", "limit"]);
});

test("is for administrators, or for whoever the configuration names", async () => {
  const [operator, admin] = [await withRoles("OPERATOR"), await withRoles("ADMIN")];
  const { token: user } = await member(platform);
  const instance = platform.adminInstance({}, { permissions: PermissionsSchema.parse({ "events-ops": ["OPERATOR"] }) });
  const [id] = (await listed()).events.map((event) => event.id);
  for (const [method, path] of [["GET", PATH], ["POST", `${PATH}/${id}/replay`], ["DELETE", `${PATH}/${id}`]] as const) {
    const statuses = [];
    for (const token of ["", user, operator]) statuses.push((await platform.call(method, path, { token })).status);
    statuses.push((await instance.call(method, path, { token: admin })).status);
    expect({ method, statuses }).toEqual({ method, statuses: [401, 403, 403, 403] });
  }
  expect(await stateOf(id!)).toMatchObject({ aside: "t" });
  expect((await instance.call("DELETE", `${PATH}/${id}`, { token: operator })).status).toBe(200);
});
