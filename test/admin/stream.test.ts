import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { problemOf } from "../http/problem.ts";
import { member } from "../users/people.ts";
import { type Block, blocksIn, eventsIn, idsOf, someOf, type StreamPlatform, streamPlatform } from "./stream.ts";

let platform: StreamPlatform;
let early: { blocks: AsyncGenerator<Block, void>; id: string; ids: string[] };
beforeAll(async () => {
  platform = await streamPlatform();
  const blocks = blocksIn(await platform.open({ query: USERS }));
  const { id = "" } = (await blocks.next()).value as Block;
  early = { blocks, id, ids: await platform.publish(1) };
});
afterAll(() => platform.close());

const USERS = "?types=user.updated";

function bySubject(events: readonly Block[]): Record<string, unknown[]> {
  const groups = Object.groupBy(events, ({ data }) => data?.subject ?? "");
  return Object.fromEntries(Object.entries(groups).map(([subject, group = []]) => [subject, group.map(({ data }) => data?.data["number"])]));
}

test("a stream that begins before there is a topic has all there is from its first event on", async () => {
  const events = await platform.hurried(() => someOf(early.blocks, early.ids.length));
  expect(idsOf(events).toSorted()).toEqual(early.ids.toSorted());
  const resumed = await eventsIn(await platform.open({ query: USERS, after: early.id }), early.ids.length);
  expect(idsOf(resumed).toSorted()).toEqual(early.ids.toSorted());
});

test("events come as they happen, each once, those of a user in their order", async () => {
  const response = await platform.open({ query: USERS });
  expect(Object.fromEntries(response.headers)).toMatchObject({ "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" });
  const reading = eventsIn(response, 50);
  const ids = await platform.publish(10);
  const events = await reading;
  expect(idsOf(events).toSorted()).toEqual(ids.toSorted());
  for (const numbers of Object.values(bySubject(events))) expect(numbers).toEqual(numbers.toSorted((a, b) => Number(a) - Number(b)));
  expect(events[0]?.data).toMatchObject({ specversion: "1.0", source: "/user-service", type: "user.updated", datacontenttype: "application/json" });
});

test("what a user and an administrator really do is there", async () => {
  const reading = firstOfEachIn(await platform.open({ query: "?types=user.registered,admin.called" }), ["user.registered", "admin.called"]);
  const { userId } = await member(platform);
  await platform.call("GET", "/api/admin/topics");
  await platform.relay();
  expect((await reading)["user.registered"]?.data?.subject).toBe(userId);
});

/** The first event of each of `types`, in whatever order and number they come: opening a stream is a call too. */
async function firstOfEachIn(response: Response, types: readonly string[]): Promise<Record<string, Block>> {
  const first: Record<string, Block> = {};
  for await (const block of blocksIn(response)) {
    if (block.data) first[block.data.type] ??= block;
    if (types.every((type) => first[type])) break;
  }
  return first;
}

test("from whatever event a stream is left, the next goes on with the one after it", async () => {
  const begin = (await (await blocksIn(await platform.open({ query: USERS }))).next()).value as Block;
  const ids = await platform.publish(6);
  const all = await eventsIn(await platform.open({ query: USERS, after: begin.id }), ids.length);
  expect(idsOf(all).toSorted()).toEqual(ids.toSorted());
  for (const [index, { id }] of all.slice(0, -1).entries()) {
    const rest = await eventsIn(await platform.open({ query: USERS, after: id }), all.length - index - 1);
    expect({ index, rest: idsOf(rest) }).toEqual({ index, rest: idsOf(all.slice(index + 1)) });
  }
});

test("who has got nothing yet misses nothing either, nor who is at a heartbeat behind events of other types", async () => {
  const blocks = blocksIn(await platform.open({ query: "?types=user.locked" }));
  const first = (await blocks.next()).value as Block;
  expect(first).toEqual({ retry: "2000", id: expect.any(String) });
  await platform.publish(3);
  const beat = (await platform.hurried(() => blocks.next())).value as Block;
  expect(beat).toEqual({ comment: true, id: expect.any(String) });
  expect(beat.id).not.toBe(first.id);
  await blocks.return();
  const ids = await platform.publish(1, { type: "user.locked" });
  for (const after of [first.id, beat.id]) {
    const events = await eventsIn(await platform.open({ query: "?types=user.locked", after }), ids.length);
    expect(idsOf(events).toSorted()).toEqual(ids.toSorted());
  }
});

test("from the earliest, what is kept comes first", async () => {
  const ids = await platform.publish(1);
  const events = await platform.hurried(async () => eventsIn(await platform.open({ query: "?from=earliest&types=user.updated,user.locked" })));
  expect(idsOf(events)).toEqual(expect.arrayContaining(ids));
  expect(events.length).toBeGreaterThan(50);
});

test("comments tell every 15 seconds that it is alive; it ends after two minutes, and gives its place back", async () => {
  const begin = platform.clock.now();
  const at: number[] = [];
  await platform.hurried(async () => {
    for await (const block of blocksIn(await platform.open({ query: "?types=user.locked" }))) if (block.comment) at.push(platform.clock.now() - begin);
  });
  expect(at.length).toBeGreaterThanOrEqual(7);
  for (const [index, milliseconds] of at.entries()) expect(milliseconds - (at[index - 1] ?? 0)).toBeLessThan(19_000);
  const lasted = platform.clock.now() - begin;
  expect(lasted).toBeGreaterThanOrEqual(120_000);
  expect(lasted).toBeLessThan(130_000);
});

test("it ends with its token", async () => {
  const token = await platform.adminToken({ realm_access: { roles: ["ADMIN"] }, exp: Math.floor(platform.clock.now() / 1000) + 30 });
  const begin = platform.clock.now();
  await platform.hurried(async () => eventsIn(await platform.open({ token })));
  expect(platform.clock.now() - begin).toBeLessThan(35_000);
});

test("it ends when its user is locked, and tells nothing of what happens then", async () => {
  let isLocked = false;
  const verify = async () => {
    if (isLocked) throw new Error("Locked");
    return { sub: "somebody", client: "tests", isServiceAccount: false, issuedAt: 0, roles: ["ROLE_ADMIN"] };
  };
  const instance = platform.newInstance({}, { verify });
  const blocks = blocksIn(await instance.open({ query: USERS }));
  expect((await blocks.next()).value).toMatchObject({ retry: "2000" });
  isLocked = true;
  await platform.publish(1);
  expect(await blocks.next()).toEqual({ done: true, value: undefined });

  isLocked = false;
  const reader = (await instance.open({ query: "?from=earliest&types=user.updated" })).body!.getReader();
  expect([(await reader.read()).done, (await reader.read()).done]).toEqual([false, false]);
  isLocked = true;
  expect((await reader.read()).done).toBe(true);
});

test("what is beyond the end is said to be gone", async () => {
  const beyond = Buffer.from(JSON.stringify({ "platform.users": [999_999, 0, 0] })).toString("base64url");
  expect(await problemOf(await platform.open({ after: beyond }))).toEqual({ status: 410, code: "EVENTS_GONE_410" });
});

test("nonsense is refused", async () => {
  for (const after of ["1", "e30.", "a b", Buffer.from('{"platform.users":[-1]}').toString("base64url"), Buffer.from('{"platform.users":{}}').toString("base64url"), "x".repeat(9000)]) {
    expect(await problemOf(await platform.open({ after }))).toEqual({ status: 400, code: "VALIDATION_FAILED_400", fields: ["last-event-id"] });
  }
  for (const types of ["user.unknown", "", ",", "user.locked,user.unknown"]) expect(await problemOf(await platform.open({ query: `?types=${types}` }))).toMatchObject({ status: 400 });
  expect(await problemOf(await platform.open({ query: "?from=yesterday" }))).toMatchObject({ status: 400, fields: ["from"] });
  expect((await platform.open({ after: "" })).status).toBe(200);
});

test("of 25 at once 20 are open, and who leaves makes room", async () => {
  const instance = platform.newInstance();
  const responses = await Promise.all(Array.from({ length: 25 }, () => instance.open()));
  const refused = responses.filter(({ status }) => status !== 200);
  expect(refused).toHaveLength(5);
  expect(refused[0]?.headers.get("retry-after")).toBe("10");
  expect((await problemOf(refused[0]!)).code).toBe("TOO_MANY_STREAMS_429");
  await responses.find(({ status }) => status === 200)?.body?.cancel();
  expect((await instance.open()).status).toBe(200);
  expect((await instance.open()).status).toBe(429);
  // What is never read ends too.
  platform.clock.offset += 121_000;
  expect((await instance.open()).status).toBe(200);
});

test("the broker is read as fast as the stream is, and not before", async () => {
  await platform.publish(60);
  let reads = 0;
  const counting = platform.newInstance({ broker: (request, pass) => ((reads += Number(/\/records\?.*offset=/.test(request.url))), pass(request)) });
  const { body } = await counting.open({ query: "?from=earliest&types=user.updated" });
  await pause(50);
  expect(reads).toBe(0);
  const reader = body!.getReader();
  await reader.read();
  await reader.read();
  await pause(50);
  expect(reads).toBe(1);
  await reader.cancel();
});

test("while the broker is away the stream waits, and then goes on without a gap", async () => {
  let isAway = false;
  const cut = platform.newInstance({ broker: (request, pass) => (isAway ? Promise.reject(new TypeError("fetch failed")) : pass(request)) });
  const blocks = blocksIn(await cut.open({ query: USERS }));
  await blocks.next();
  isAway = true;
  const ids = await platform.publish(2);
  expect((await platform.hurried(() => blocks.next())).value).toMatchObject({ comment: true });
  isAway = false;
  const events = await someOf(blocks, ids.length);
  expect(idsOf(events).toSorted()).toEqual(ids.toSorted());
  isAway = true;
  expect(await problemOf(await cut.open())).toEqual({ status: 503, code: "UPSTREAM_UNAVAILABLE_503" });
});

test("a broker without reading is told of", async () => {
  const plain = platform.newInstance({ broker: (request, pass) => (request.url.includes("/partitions/") ? Response.json({ error_code: 404, message: "HTTP 404 Not Found" }, { status: 404 }) : pass(request)) });
  expect(await problemOf(await plain.open())).toEqual({ status: 503, code: "UPSTREAM_UNAVAILABLE_503" });
});

test("a HEAD has the headers, and opens nothing", async () => {
  const instance = platform.newInstance();
  for (let count = 0; count < 30; count++) {
    const response = await instance.open({ method: "HEAD" });
    expect([response.status, response.body]).toEqual([200, null]);
  }
});

test("records that are no events are passed over", async () => {
  const blocks = blocksIn(await platform.open({ query: USERS }));
  await blocks.next();
  const clusters = (await (await platform.systems.broker(new Request(`${platform.brokerUrl}/v3/clusters`))).json()) as { data: { cluster_id: string }[] };
  const body = ["no JSON", "{}", '{"specversion":"1.0"}'].map((data) => JSON.stringify({ value: { type: "STRING", data } })).join("\n");
  await platform.systems.broker(new Request(`${platform.brokerUrl}/v3/clusters/${clusters.data[0]?.cluster_id}/topics/platform.users/records`, { method: "POST", headers: { "content-type": "application/json" }, body }));
  const ids = await platform.publish(1, { users: ["USR1"] });
  expect(idsOf(await someOf(blocks, 1))).toEqual(ids);
});
