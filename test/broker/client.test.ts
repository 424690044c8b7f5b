import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { Broker } from "../../src/broker/kafka-rest.ts";
import type { Problem } from "../../src/http/problem.ts";
import { fresh } from "../wire/broker/wire.ts";
import { call, type ClientUnderTest, clientUnderTest, isCreation, problemOf, topic } from "./client.ts";

let on: ClientUnderTest;
beforeAll(async () => {
  on = await clientUnderTest();
});
beforeEach(() => on.reset());
afterAll(() => on.close());

it("creates, lists and describes topics", async () => {
  const broker = on.client();
  const made = topic();
  expect(await broker.createTopic(call(), made)).toEqual({ outcome: "created" });
  const listed = await broker.listTopics(call(), { includeInternal: false });
  expect(listed).toContainEqual({ name: made.name, isInternal: false, partitions: 2, authorizedOperations: [] });
  const unknown = fresh("no-");
  expect(await broker.describeTopics(call(), { names: [made.name, unknown, made.name] })).toEqual({
    found: [{ name: made.name, isInternal: false, partitions: 2, authorizedOperations: [3, 4, 5, 6, 7, 8, 10, 11] }],
    missing: [unknown],
  });
});

it("asks for Kafka's own topics by name, and only when they are wanted", async () => {
  const broker = on.client();
  const names = (await broker.listTopics(call(), { includeInternal: true })).filter(({ isInternal }) => isInternal).map(({ name }) => name);
  expect(names).toEqual(["__consumer_offsets", "__share_group_state", "__transaction_state"]);
  on.journal = [];
  expect((await broker.listTopics(call(), { includeInternal: false })).some(({ isInternal }) => isInternal)).toBe(false);
  expect(on.journal).toHaveLength(1);
});

it.each([404, 403])("lists without those of Kafka's own that answer %i", async (status) => {
  on.fault = (request) =>
    request.url.includes("__transaction_state") ? Promise.resolve(Response.json({ error_code: status === 404 ? 40403 : 40301, message: "no" }, { status })) : undefined;
  const names = (await on.client().listTopics(call(), { includeInternal: true })).map(({ name }) => name);
  expect(names).toContain("__consumer_offsets");
  expect(names).not.toContain("__transaction_state");
});

it("asks for the cluster once, and anew when another stands behind the URL", async () => {
  const broker = on.client();
  await broker.listTopics(call(), { includeInternal: false });
  await broker.listTopics(call(), { includeInternal: false });
  expect(on.journal.filter((line) => line === "GET /v3/clusters")).toHaveLength(1);
  on.fault = () => Promise.resolve(Response.json({ error_code: 404, message: "Cluster x cannot be found." }, { status: 404 }));
  expect(await problemOf(broker.describeTopics(call(), { names: ["t"] }))).toBe("UPSTREAM_BAD_ANSWER_502");
  on.fault = () => undefined;
  on.journal = [];
  await broker.listTopics(call(), { includeInternal: false });
  expect(on.journal[0]).toBe("GET /v3/clusters");
});

it("refuses in Kafka's words what Kafka refuses", async () => {
  const broker = on.client();
  const made = topic();
  await broker.createTopic(call(), made);
  expect(await broker.createTopic(call(), made)).toEqual({ outcome: "refused", reason: `Topic '${made.name}' already exists.` });
  const dotted = topic(fresh("a."));
  await broker.createTopic(call(), dotted);
  const rival = dotted.name.replace(".", "_");
  expect(await broker.createTopic(call(), topic(rival))).toEqual({ outcome: "refused", reason: `Topic '${rival}' collides with existing topic: ${dotted.name}` });
  expect(await broker.createTopic(call(), { ...topic(), replicationFactor: 3 })).toEqual({ outcome: "refused", reason: expect.stringContaining("Unable to replicate the partition 3 time(s)") });
  expect(await broker.createTopic(call(), { ...topic(), partitions: 0 })).toEqual({ outcome: "refused", reason: "Number of partitions was set to an invalid non-positive value." });
});

it("passes on no more of a refusal than a person can use", async () => {
  on.fault = (request) => (isCreation(request) ? Promise.resolve(Response.json({ error_code: 40002, message: `a\u0000\nb${"x".repeat(10_000)}` }, { status: 400 })) : undefined);
  const made = await on.client().createTopic(call(), topic());
  expect(made).toEqual({ outcome: "refused", reason: expect.stringMatching(/^a bx{1,497}$/) });
});

it.each(["", " ", ".", "..", "%2e%2e", "a/b", "a\\b", "a b", "a?b", "a#b", "../../v3", "ü", "漢字", "a\u0000", "\u202e", "x".repeat(250), "x".repeat(10_000)])(
  "sends nothing for a name that no topic can have: %j",
  async (name) => {
    const broker = on.client();
    expect(await broker.createTopic(call(), topic(name))).toEqual({ outcome: "refused", reason: expect.stringContaining("Topic name is invalid") });
    expect(await broker.describeTopics(call(), { names: [name] })).toEqual({ found: [], missing: [name] });
    expect(on.journal).toEqual([]);
  },
);

it("keeps no more than six requests open for many names", async () => {
  let open = 0;
  let most = 0;
  on.fault = async (_, pass) => {
    most = Math.max(most, ++open);
    try {
      return await pass();
    } finally {
      open -= 1;
    }
  };
  const names = Array.from({ length: 50 }, (_, index) => `${fresh("no-")}${index}`);
  expect((await on.client().describeTopics(call(), { names })).missing).toEqual(names);
  expect(most).toBeLessThanOrEqual(6);
});

it.each<[string, () => Promise<Response>, string]>([
  ["refused", () => Promise.reject(new TypeError("ECONNREFUSED")), "UPSTREAM_UNAVAILABLE_503"],
  ["503", () => Promise.resolve(Response.json({ error_code: 50302, message: "secret" }, { status: 503 })), "UPSTREAM_UNAVAILABLE_503"],
  ["429 in HTML", () => Promise.resolve(new Response("<html>", { status: 429 })), "UPSTREAM_UNAVAILABLE_503"],
  ["500", () => Promise.resolve(Response.json({ error_code: 50002, message: "secret" }, { status: 500 })), "UPSTREAM_BAD_ANSWER_502"],
  ["HTML", () => Promise.resolve(new Response("<html>", { status: 200 })), "UPSTREAM_BAD_ANSWER_502"],
  ["another shape", () => Promise.resolve(Response.json({ data: [] })), "UPSTREAM_BAD_ANSWER_502"],
  ["50 MiB", () => Promise.resolve(new Response(new Uint8Array(50 * 1024 * 1024))), "UPSTREAM_BAD_ANSWER_502"],
  ["a redirect", () => Promise.resolve(new Response(null, { status: 302, headers: { location: "http://elsewhere.test/" } })), "UPSTREAM_BAD_ANSWER_502"],
  ["401", () => Promise.resolve(Response.json({ error_code: 401, message: "secret" }, { status: 401 })), "UPSTREAM_BAD_ANSWER_502"],
  ["403", () => Promise.resolve(Response.json({ error_code: 40301, message: "secret" }, { status: 403 })), "UPSTREAM_BAD_ANSWER_502"],
  ["404 of another server", () => Promise.resolve(new Response("<html>", { status: 404 })), "UPSTREAM_BAD_ANSWER_502"],
])("is a documented problem without the broker's text, in one request: %s", async (_, answer, code) => {
  on.fault = answer;
  for (const ask of [
    (broker: Broker) => broker.check(call()),
    (broker: Broker) => broker.listTopics(call(), { includeInternal: true }),
    (broker: Broker) => broker.describeTopics(call(), { names: ["a"] }),
    (broker: Broker) => broker.createTopic(call(), topic()),
  ]) {
    on.journal = [];
    const error = await ask(on.client()).then(() => undefined, (reason: unknown) => reason);
    expect(error).toMatchObject({ code });
    expect((error as Problem).message).not.toContain("secret");
    expect(on.journal).toEqual(["GET /v3/clusters"]);
  }
});

it("does not get in without its credentials", async () => {
  expect(await problemOf(on.client({ authorization: undefined }).check(call()))).toBe("UPSTREAM_BAD_ANSWER_502");
  await on.client().check(call());
});
