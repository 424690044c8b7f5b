import { expect, test } from "vitest";
import { consumerFindings, type EndOf, type Position } from "../../src/doctor/broker/consumers.ts";
import type { Finding } from "../../src/doctor/finding.ts";
import type { Topic } from "../../src/doctor/broker/topic.ts";

const users: Topic = { name: "platform.users", wanted: 3, status: 200, data: { partitions_count: 3, replication_factor: 1, authorized_operations: [] } };
const audit: Topic = { name: "platform.audit", wanted: 3, status: 404, code: 40403 };
const at = (consumer: string, topic: string, next: number): Position => ({ consumer, topic, partition: 1, next });

async function looked(positions: Position[], endOf: EndOf) {
  const found: Finding[] = [];
  for await (const finding of consumerFindings(async () => positions, { topics: [users, audit], endOf })) found.push(finding);
  return found;
}

test("a consumer at the end of its partition is fine, one behind it is another broker's", async () => {
  expect(await looked([at("audit", "platform.users", 7)], async () => 7)).toMatchObject([{ code: "consumers", status: "ok" }]);
  const found = await looked([at("webhooks", "platform.users", 8), at("audit", "platform.users", 8), at("stream", "platform.users", 7)], async () => 7);
  expect(found).toMatchObject([{ code: "consumers-ahead", status: "warning", sentence: expect.stringMatching(/^platform\.users: audit, webhooks .*partition 1 at 8, and it ends at 7\)/) }]);
});

test("a topic that is not there ends at its beginning, and is not asked for", async () => {
  const asked: string[] = [];
  const found = await looked([at("webhooks", "platform.audit", 1)], async ({ topic }) => asked.push(topic));
  expect(found).toMatchObject([{ code: "consumers-ahead", sentence: expect.stringContaining("platform.audit: webhooks") }]);
  expect(asked).toEqual([]);
});

test("what cannot be asked is said not to have been checked", async () => {
  expect(await looked([at("audit", "platform.users", 7)], () => Promise.reject(new Error("away")))).toMatchObject([{ check: "consumers", status: "not-checked" }]);
});
