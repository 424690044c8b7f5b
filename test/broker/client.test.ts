import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { type Broker, kafkaRest } from "../../src/broker/kafka-rest.ts";
import { beginCall, type Call } from "../../src/http/call.ts";
import type { Fetch } from "../../src/http/fetch.ts";
import { Problem } from "../../src/http/problem.ts";
import { fresh } from "../wire/broker/wire.ts";
import { embeddedUnderTest, type EmbeddedUnderTest } from "./embedded.ts";

let under: EmbeddedUnderTest;
let authorization: string;
/** What was sent, as `method path`. */
let journal: string[];
/** What becomes of a request on its way; undefined lets it through. */
let fault: (request: Request, pass: () => Promise<Response>) => Promise<Response> | undefined;

beforeAll(async () => {
  under = await embeddedUnderTest();
  authorization = `Basic ${Buffer.from(`${under.credentials?.username}:${under.credentials?.password}`).toString("base64")}`;
});
afterAll(() => under.close());
beforeEach(() => {
  journal = [];
  fault = () => undefined;
});

const through: Fetch = async (request) => {
  journal.push(`${request.method} ${new URL(request.url).pathname}`);
  return fault(request, async () => under.fetch(request)) ?? under.fetch(request);
};

function client(more: Partial<Parameters<typeof kafkaRest>[0]> = {}): Broker {
  return kafkaRest({ url: under.baseUrl, authorization, fetch: through, now: Date.now, ...more });
}

function call(limit = 8000): Call {
  return beginCall(new Headers(), { now: Date.now(), limit });
}

function topic(name = fresh("t-"), partitions = 2) {
  return { name, partitions, replicationFactor: 1 };
}

async function problemOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(() => "no problem", (reason: unknown) => reason);
  return error instanceof Problem ? error.code : String(error);
}

const isCreation = (request: Request) => request.method === "POST";
const creations = () => journal.filter((line) => line.startsWith("POST"));
const silent = () => new Promise<Response>(() => {});

it("creates, lists and describes topics", async () => {
  const broker = client();
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
  const broker = client();
  const names = (await broker.listTopics(call(), { includeInternal: true })).filter(({ isInternal }) => isInternal).map(({ name }) => name);
  expect(names).toEqual(["__consumer_offsets", "__share_group_state", "__transaction_state"]);
  journal = [];
  expect((await broker.listTopics(call(), { includeInternal: false })).some(({ isInternal }) => isInternal)).toBe(false);
  expect(journal).toHaveLength(1);
});

it.each([404, 403])("lists without those of Kafka's own that answer %i", async (status) => {
  fault = (request) =>
    request.url.includes("__transaction_state") ? Promise.resolve(Response.json({ error_code: status === 404 ? 40403 : 40301, message: "no" }, { status })) : undefined;
  const names = (await client().listTopics(call(), { includeInternal: true })).map(({ name }) => name);
  expect(names).toContain("__consumer_offsets");
  expect(names).not.toContain("__transaction_state");
});

it("asks for the cluster once, and anew when another stands behind the URL", async () => {
  const broker = client();
  await broker.listTopics(call(), { includeInternal: false });
  await broker.listTopics(call(), { includeInternal: false });
  expect(journal.filter((line) => line === "GET /v3/clusters")).toHaveLength(1);
  fault = () => Promise.resolve(Response.json({ error_code: 404, message: "Cluster x cannot be found." }, { status: 404 }));
  expect(await problemOf(broker.describeTopics(call(), { names: ["t"] }))).toBe("UPSTREAM_BAD_ANSWER_502");
  fault = () => undefined;
  journal = [];
  await broker.listTopics(call(), { includeInternal: false });
  expect(journal[0]).toBe("GET /v3/clusters");
});

it("refuses in Kafka's words what Kafka refuses", async () => {
  const broker = client();
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
  fault = (request) => (isCreation(request) ? Promise.resolve(Response.json({ error_code: 40002, message: `a\u0000\nb${"x".repeat(10_000)}` }, { status: 400 })) : undefined);
  const made = await client().createTopic(call(), topic());
  expect(made).toEqual({ outcome: "refused", reason: expect.stringMatching(/^a bx{1,497}$/) });
});

it.each<[string, () => Promise<Response>]>([
  ["the connection broke", () => Promise.reject(new TypeError("reset"))],
  ["it was silent", silent],
  ["the proxy gave up waiting", () => Promise.resolve(Response.json({ error_code: 50003, message: "Timed out" }, { status: 500 }))],
  ["a gateway stood in between", () => Promise.resolve(new Response("<html>", { status: 504 }))],
  ["the answer was cut", () => Promise.resolve(new Response(new ReadableStream({ start: (controller) => controller.error(new Error("cut")) }), { status: 201 }))],
])("reads a creation back whose answer was lost, and never repeats it: %s", async (_, answer) => {
  const limits = { timeout: 400 };
  fault = (request, pass) => (isCreation(request) ? pass().then(answer) : undefined);
  const happened = topic();
  expect(await client().createTopic(call(), { ...happened, ...limits })).toEqual({ outcome: "created" });
  expect(creations()).toHaveLength(1);

  journal = [];
  fault = (request) => (isCreation(request) ? answer() : undefined);
  const lost = topic();
  expect(await problemOf(client().createTopic(call(), { ...lost, ...limits }))).toMatch(/_50[234]$/);
  expect(creations()).toHaveLength(1);
  expect((await client().describeTopics(call(), { names: [lost.name] })).missing).toEqual([lost.name]);
});

it("finds a creation that shows only after a moment", async () => {
  let reads = 0;
  fault = (request, pass) => {
    if (isCreation(request)) return pass().then(() => Promise.reject(new TypeError("reset")));
    if (!request.url.includes("/topics/t-")) return undefined;
    reads += 1;
    return reads <= 2 ? Promise.resolve(Response.json({ error_code: 40403, message: "not yet" }, { status: 404 })) : undefined;
  };
  expect(await client().createTopic(call(), topic())).toEqual({ outcome: "created" });
  expect(creations()).toHaveLength(1);
});

it("takes no topic of somebody else's for its own when the answer was lost", async () => {
  const rival = topic();
  fault = (request) => {
    if (!isCreation(request)) return undefined;
    // Somebody else is faster, with more partitions; our own creation is never answered.
    return kafkaRest({ url: under.baseUrl, authorization, fetch: under.fetch, now: Date.now })
      .createTopic(call(), { ...rival, partitions: 9 })
      .then(() => Promise.reject(new TypeError("reset")));
  };
  expect(await client().createTopic(call(), rival)).toEqual({ outcome: "refused", reason: `Topic '${rival.name}' already exists.` });

  journal = [];
  fault = (request) => (isCreation(request) ? Promise.reject(new TypeError("reset")) : undefined);
  expect(await client().createTopic(call(), { ...rival, partitions: 9 })).toEqual({ outcome: "refused", reason: `Topic '${rival.name}' already exists.` });
  expect(creations()).toEqual([]);
});

it.each<[number | undefined, number]>([[50, 50], [4999, 4999], [5000, 5000], [60_000, 5000], [undefined, 5000]])(
  "waits no longer than it is told, and never longer than five seconds: %s",
  async (timeout, expected) => {
    vi.useFakeTimers();
    try {
      fault = silent;
      for (const ask of [
        (broker: Broker) => broker.listTopics(call(60_000), { includeInternal: true, timeout }),
        (broker: Broker) => broker.describeTopics(call(60_000), { names: ["a", "b"], timeout }),
        (broker: Broker) => broker.createTopic(call(60_000), { ...topic(), timeout }),
      ]) {
        let code: string | undefined;
        const done = problemOf(ask(client({ now: () => Date.now() }))).then((found) => (code = found));
        await vi.advanceTimersByTimeAsync(expected - 1);
        expect(code).toBeUndefined();
        await vi.advanceTimersByTimeAsync(1);
        expect(code).toBe("UPSTREAM_TIMEOUT_504");
        await done;
      }
    } finally {
      vi.useRealTimers();
    }
  },
);

it.each<[number | undefined, number]>([[60_000, 5000], [4000, 4000]])("counts every request of an operation against it: %s", async (timeout, expected) => {
  vi.useFakeTimers();
  try {
    // The first takes three seconds, the next one is never answered.
    fault = (request) => (request.url.endsWith("/v3/clusters") ? new Promise((resolve) => setTimeout(() => resolve(Response.json({ data: [{ cluster_id: "c" }] })), 3000)) : silent());
    let code: string | undefined;
    const done = problemOf(client().listTopics(call(60_000), { includeInternal: false, timeout })).then((found) => (code = found));
    await vi.advanceTimersByTimeAsync(expected - 1);
    expect(code).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(code).toBe("UPSTREAM_TIMEOUT_504");
    await done;
  } finally {
    vi.useRealTimers();
  }
});

it("ends with the call, whatever it was told", async () => {
  fault = silent;
  const began = Date.now();
  expect(await problemOf(client().listTopics(call(100), { includeInternal: false, timeout: 4000 }))).toBe("UPSTREAM_TIMEOUT_504");
  expect(Date.now() - began).toBeLessThan(1000);
  expect(await problemOf(client().createTopic(call(0), topic()))).toBe("UPSTREAM_TIMEOUT_504");
});

it.each(["", " ", ".", "..", "%2e%2e", "a/b", "a\\b", "a b", "a?b", "a#b", "../../v3", "ü", "漢字", "a\u0000", "\u202e", "x".repeat(250), "x".repeat(10_000)])(
  "sends nothing for a name that no topic can have: %j",
  async (name) => {
    const broker = client();
    expect(await broker.createTopic(call(), topic(name))).toEqual({ outcome: "refused", reason: expect.stringContaining("Topic name is invalid") });
    expect(await broker.describeTopics(call(), { names: [name] })).toEqual({ found: [], missing: [name] });
    expect(journal).toEqual([]);
  },
);

it("keeps no more than six requests open for many names", async () => {
  let open = 0;
  let most = 0;
  fault = async (_, pass) => {
    most = Math.max(most, ++open);
    try {
      return await pass();
    } finally {
      open -= 1;
    }
  };
  const names = Array.from({ length: 50 }, (_, index) => `${fresh("no-")}${index}`);
  expect((await client().describeTopics(call(), { names })).missing).toEqual(names);
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
  fault = answer;
  for (const ask of [
    (broker: Broker) => broker.check(call()),
    (broker: Broker) => broker.listTopics(call(), { includeInternal: true }),
    (broker: Broker) => broker.describeTopics(call(), { names: ["a"] }),
    (broker: Broker) => broker.createTopic(call(), topic()),
  ]) {
    journal = [];
    const error = await ask(client()).then(() => undefined, (reason: unknown) => reason);
    expect(error).toMatchObject({ code });
    expect((error as Problem).message).not.toContain("secret");
    expect(journal).toEqual(["GET /v3/clusters"]);
  }
});

it("does not get in without its credentials", async () => {
  expect(await problemOf(client({ authorization: undefined }).check(call()))).toBe("UPSTREAM_BAD_ANSWER_502");
  await client().check(call());
});
