import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { gatewayBefore, type Listening, listen } from "../gateway/platform.ts";
import { blocksIn, type Block, idsOf, type StreamPlatform, streamPlatform } from "./stream.ts";

const GATEWAY_TIMEOUT_MS = 400;

let platform: StreamPlatform;
let open: Listening[] = [];
let gateways: Record<string, string>;
let reads = 0;
beforeAll(async () => {
  platform = await streamPlatform();
  await platform.publish(1);
  // In its own time: streams are to outlast the gateway's deadline for other answers.
  const { fetch } = platform.newInstance({ broker: (request, pass) => ((reads += 1), pass(request)) }, { pause: () => pause(20) });
  const service = await listen(fetch);
  const overNetwork = (request: Request) => globalThis.fetch(new Request(request.url.replace("http://admin.test", service.url), request));
  const [inProcess, network] = await Promise.all(
    [fetch, overNetwork].map((admin) => listen(gatewayBefore({ admin: { fetch: admin }, timeout: GATEWAY_TIMEOUT_MS }).app.fetch)),
  );
  open = [service, inProcess!, network!];
  gateways = { "in one process": inProcess!.url, "over the network": network!.url };
});
afterAll(async () => {
  for (const { close } of open) await close();
  await platform.close();
});

test.each(["in one process", "over the network"])("a stream comes through the gateway %s, outlasts its deadline, is resumed, and ends with its client", async (way) => {
  const token = await platform.adminToken({ realm_access: { roles: ["ADMIN"] } });
  const leaving = new AbortController();
  const stream = (headers: Record<string, string> = {}) =>
    fetch(`${gateways[way]}/api/admin/events?types=user.updated`, { headers: { authorization: `Bearer ${token}`, ...headers }, signal: leaving.signal });
  const response = await stream();
  expect(Object.fromEntries(response.headers)).toMatchObject({ "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store", "x-content-type-options": "nosniff" });
  const blocks = blocksIn(response);
  const begin = (await blocks.next()).value as Block;
  await pause(2 * GATEWAY_TIMEOUT_MS);
  const ids = await platform.publish(2);
  const events: Block[] = [];
  while (events.length < ids.length) events.push((await blocks.next()).value as Block);
  expect(idsOf(events).toSorted()).toEqual(ids.toSorted());

  const resumed = blocksIn(await stream({ "last-event-id": begin.id ?? "" }));
  const again: Block[] = [];
  await resumed.next();
  while (again.length < ids.length) again.push((await resumed.next()).value as Block);
  expect(idsOf(again).toSorted()).toEqual(ids.toSorted());

  leaving.abort();
  await expect.poll(async () => {
    const before = reads;
    await pause(100);
    return reads - before;
  }, { timeout: 5000 }).toBe(0);
});

test("a refusal comes through as it is", async () => {
  const { status, headers } = await fetch(`${gateways["over the network"]}/api/admin/events`);
  expect([status, headers.get("content-type")]).toEqual([401, "application/problem+json"]);
});
