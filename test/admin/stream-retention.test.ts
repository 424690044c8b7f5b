import { afterAll, beforeAll, expect, test } from "vitest";
import { problemOf } from "../http/problem.ts";
import { type Block, blocksIn, type StreamPlatform, streamPlatform } from "./stream.ts";

let platform: StreamPlatform;
beforeAll(async () => {
  platform = await streamPlatform({ embedded: "retention" });
});
afterAll(() => platform.close());

test("what is not kept any more is said, rather than passed over", async () => {
  await platform.publish(2);
  const blocks = blocksIn(await platform.open({ query: "?from=earliest&types=user.updated" }));
  const { id } = (await blocks.next()).value as Block;
  await platform.database.query("UPDATE broker.partitions SET first_offset = 1");
  expect(await blocks.next()).toEqual({ done: true, value: undefined });
  expect(await problemOf(await platform.open({ query: "?types=user.updated", after: id }))).toEqual({ status: 410, code: "EVENTS_GONE_410" });
});
