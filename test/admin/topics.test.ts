import { afterAll, beforeAll, expect, test } from "vitest";
import { problemOf } from "../http/problem.ts";
import { type AdminPlatform, adminPlatform, auditOf } from "./instance.ts";

let platform: AdminPlatform;
beforeAll(async () => {
  platform = await adminPlatform();
});
afterAll(() => platform.close());

const PATH = "/api/admin/topics";
const create = (topicName: unknown, rest: Record<string, unknown> = {}, on: Pick<AdminPlatform, "call"> = platform) =>
  on.call("POST", PATH, { json: { topicName, numPartitions: 3, replicationFactor: 1, ...rest } });
const list = async (query = "") => (await (await platform.call("GET", `${PATH}${query}`)).json()) as { name: string; isInternal: boolean }[];
const describe = (query: string, on: Pick<AdminPlatform, "call"> = platform) => on.call("GET", `${PATH}/describe?${query}`);
const shown = async (response: Response) => ({ status: response.status, body: (await response.json()) as { detail?: string } });
const CREATED = { status: 200, body: { responseCode: "200", message: "Topic created successfully" } };
const ALL = [3, 4, 5, 6, 7, 8, 10, 11];

test("a topic is really created, listed and described", async () => {
  expect(await shown(await create("orders"))).toEqual(CREATED);
  expect(await list()).toContainEqual({ name: "orders", isInternal: false });
  expect(await shown(await describe("topicNames=orders"))).toEqual({ status: 200, body: [{ name: "orders", partitions: 3, isInternal: false, aclOperation: ALL }] });
  expect((await auditOf(platform, "topic/orders")).map(({ operation, outcome }) => `${operation} ${outcome}`)).toEqual(["createTopic succeeded", "describeTopics succeeded"]);
});

test("the broker's own topics are listed only when asked for", async () => {
  expect((await list()).filter(({ isInternal }) => isInternal)).toEqual([]);
  expect((await list("?listInternal=false")).filter(({ isInternal }) => isInternal)).toEqual([]);
  expect(await list("?listInternal=true&timeoutMs=4000")).toContainEqual({ name: "__consumer_offsets", isInternal: true });
});

test("topics are described in the order they are named, repeated or with commas, each once", async () => {
  await create("a.first", { numPartitions: 1 });
  await create("b-second", { numPartitions: 2 });
  for (const query of ["topicNames=b-second&topicNames=a.first", "topicNames=b-second,a.first", "topicNames=b-second,%20a.first&topicNames=b-second"]) {
    const { body } = await shown(await describe(query));
    expect((body as { name: string; partitions: number }[]).map(({ name, partitions }) => [name, partitions])).toEqual([["b-second", 2], ["a.first", 1]]);
  }
});

test("an unknown topic among those named is not found, and named", async () => {
  const { status, body } = await shown(await describe("topicNames=orders,no-such,nor-this"));
  expect({ status, code: (body as { code?: string }).code, detail: body.detail }).toEqual({ status: 404, code: "TOPIC_NOT_FOUND_404", detail: 'There is no topic "no-such", "nor-this"' });
});

test("a creation that the broker refuses tells why", async () => {
  await create("taken.topic");
  const refused: [name: string, rest: Record<string, unknown>, reason: RegExp][] = [
    ["orders", {}, /already exists/],
    ["taken_topic", {}, /collides with existing topic/],
    ["wide", { replicationFactor: 3 }, /replication factor of 3/],
    ["many", { numPartitions: 20_001 }, /number of partitions/i],
  ];
  for (const [name, rest, reason] of refused) {
    const response = await create(name, rest);
    expect(await problemOf(response.clone())).toEqual({ status: 400, code: "TOPIC_CREATION_FAILED_400" });
    expect((await shown(response)).body.detail).toMatch(reason);
  }
});

test("one topic asked for by many at once is created once", async () => {
  const responses = await Promise.all(Array.from({ length: 12 }, () => create("crowded")));
  const codes = await Promise.all(responses.map(async (response) => (response.status === 200 ? "created" : (await problemOf(response)).code)));
  expect(codes.toSorted()).toEqual([...Array.from({ length: 11 }, () => "TOPIC_CREATION_FAILED_400"), "created"].toSorted());
});

test("a creation whose answer was lost is read back, and sent once", async () => {
  let posts = 0;
  const lossy = platform.adminInstance({
    broker: async (request, pass) => {
      const answer = await pass(request);
      if (request.method !== "POST") return answer;
      posts += 1;
      throw new TypeError("fetch failed");
    },
  });
  expect(await shown(await create("lost-answer", {}, lossy))).toEqual(CREATED);
  const dropped = platform.adminInstance({ broker: (request, pass) => (request.method === "POST" ? Promise.reject(new TypeError("fetch failed")) : pass(request)) });
  expect((await problemOf(await create("never-sent", {}, dropped))).status).toBe(503);
  expect({ posts, listed: (await list()).map(({ name }) => name).includes("never-sent") }).toEqual({ posts: 1, listed: false });
});

test("a timeout only lowers the five seconds", async () => {
  const silent = platform.adminInstance({ broker: () => new Promise<never>(() => {}) });
  const calls: [string, () => Promise<Response>][] = [
    ["list", () => silent.call("GET", `${PATH}?timeoutMs=150`)],
    ["describe", () => describe("topicNames=orders&timeoutMs=150", silent)],
    ["create", () => create("slow", { timeoutMs: 150 }, silent)],
  ];
  for (const [name, call] of calls) {
    const began = Date.now();
    const { status, code } = await problemOf(await call());
    // Creating looks twice, the second time to read back.
    expect({ name, status, code, isInTime: Date.now() - began < 2500 }).toEqual({ name, status: 504, code: "UPSTREAM_TIMEOUT_504", isInTime: true });
  }
  const began = Date.now();
  expect((await silent.call("GET", `${PATH}?timeoutMs=600000`)).status).toBe(504);
  expect(Date.now() - began).toBeGreaterThan(4500);
  expect(Date.now() - began).toBeLessThan(7000);
});

test("input that no topic can have is refused, and nothing is sent", async () => {
  const sent = await platform.sentBy(async () => {
    for (const query of ["timeoutMs=0", "timeoutMs=-1", "timeoutMs=abc", "timeoutMs=1.5", "timeoutMs=1&timeoutMs=2", "timeoutMs=", "timeoutMs=1e3"]) {
      expect({ query, ...(await problemOf(await platform.call("GET", `${PATH}?${query}`))) }).toEqual({ query, status: 400, code: "VALIDATION_FAILED_400", fields: ["timeoutMs"] });
      expect({ query, ...(await problemOf(await describe(`topicNames=a&${query}`))) }).toEqual({ query, status: 400, code: "VALIDATION_FAILED_400", fields: ["timeoutMs"] });
    }
    for (const value of ["yes", "TRUE", "1", ""]) expect((await problemOf(await platform.call("GET", `${PATH}?listInternal=${value}`))).fields).toEqual(["listInternal"]);
    for (const query of ["", "topicNames=", "topicNames=a,,b", `topicNames=${Array.from({ length: 101 }, (_, index) => `t${index}`).join(",")}`]) {
      expect({ query: query.slice(0, 30), code: (await problemOf(await describe(query))).code }).toEqual({ query: query.slice(0, 30), code: "VALIDATION_FAILED_400" });
    }
    const bodies: [Record<string, unknown>, string[]][] = [
      [{ topicName: "" }, ["numPartitions", "replicationFactor", "topicName"]],
      [{ topicName: "a", numPartitions: 0, replicationFactor: 0, timeoutMs: 0 }, ["numPartitions", "replicationFactor", "timeoutMs"]],
      [{ topicName: "a", numPartitions: 1.5, replicationFactor: 40_000, timeoutMs: "1" }, ["numPartitions", "replicationFactor", "timeoutMs"]],
      [{ topicName: "a", numPartitions: 3_000_000_000, replicationFactor: null }, ["numPartitions", "replicationFactor"]],
    ];
    for (const [json, fields] of bodies) expect(await problemOf(await platform.call("POST", PATH, { json }))).toEqual({ status: 400, code: "VALIDATION_FAILED_400", fields });
  });
  expect(sent).toEqual([]);
});
