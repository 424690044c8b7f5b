import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { call, type ClientUnderTest, clientUnderTest, isCreation, problemOf, silent, topic } from "./client.ts";

let on: ClientUnderTest;
beforeAll(async () => {
  on = await clientUnderTest();
});
beforeEach(() => on.reset());
afterAll(() => on.close());

it.each<[string, () => Promise<Response>]>([
  ["the connection broke", () => Promise.reject(new TypeError("reset"))],
  ["it was silent", silent],
  ["the proxy gave up waiting", () => Promise.resolve(Response.json({ error_code: 50003, message: "Timed out" }, { status: 500 }))],
  ["a gateway stood in between", () => Promise.resolve(new Response("<html>", { status: 504 }))],
  ["the answer was cut", () => Promise.resolve(new Response(new ReadableStream({ start: (controller) => controller.error(new Error("cut")) }), { status: 201 }))],
])("reads a creation back whose answer was lost, and never repeats it: %s", async (_, answer) => {
  const limits = { timeout: 400 };
  on.fault = (request, pass) => (isCreation(request) ? pass().then(answer) : undefined);
  const happened = topic();
  expect(await on.client().createTopic(call(), { ...happened, ...limits })).toEqual({ outcome: "created" });
  expect(on.creations()).toHaveLength(1);

  on.journal = [];
  on.fault = (request) => (isCreation(request) ? answer() : undefined);
  const lost = topic();
  expect(await problemOf(on.client().createTopic(call(), { ...lost, ...limits }))).toMatch(/_50[234]$/);
  expect(on.creations()).toHaveLength(1);
  expect((await on.client().describeTopics(call(), { names: [lost.name] })).missing).toEqual([lost.name]);
});

it("finds a creation that shows only after a moment", async () => {
  let reads = 0;
  on.fault = (request, pass) => {
    if (isCreation(request)) return pass().then(() => Promise.reject(new TypeError("reset")));
    if (!request.url.includes("/topics/t-")) return undefined;
    reads += 1;
    return reads <= 2 ? Promise.resolve(Response.json({ error_code: 40403, message: "not yet" }, { status: 404 })) : undefined;
  };
  expect(await on.client().createTopic(call(), topic())).toEqual({ outcome: "created" });
  expect(on.creations()).toHaveLength(1);
});

it("takes no topic of somebody else's for its own when the answer was lost", async () => {
  const rival = topic();
  on.fault = (request) => {
    if (!isCreation(request)) return undefined;
    // Somebody else is faster, with more partitions; our own creation is never answered.
    return on.client({ fetch: on.fetch })
      .createTopic(call(), { ...rival, partitions: 9 })
      .then(() => Promise.reject(new TypeError("reset")));
  };
  expect(await on.client().createTopic(call(), rival)).toEqual({ outcome: "refused", reason: `Topic '${rival.name}' already exists.` });

  on.journal = [];
  on.fault = (request) => (isCreation(request) ? Promise.reject(new TypeError("reset")) : undefined);
  expect(await on.client().createTopic(call(), { ...rival, partitions: 9 })).toEqual({ outcome: "refused", reason: `Topic '${rival.name}' already exists.` });
  expect(on.creations()).toEqual([]);
});
