import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AUTHORIZATION, contentOf, testRegistry, type TestRegistry } from "./service.ts";

/*
 * What five real clients (Spring Boot 4 with its RestClient and WebClient, Boot 3 with its RestClient and Netflix's
 * Jersey, Boot 2) sent to their registry in 22 scenarios, sent here.
 */

type Exchange = {
  scenario: string;
  client: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: unknown;
  status: number;
  answer?: any;
};

const exchanges = readFileSync(new URL("transcripts/clients.jsonl", import.meta.url), "utf8").trim().split("\n").map((line) => JSON.parse(line) as Exchange);
const scenarios = Object.entries(Object.groupBy(exchanges, ({ client, scenario }) => `${client}: ${scenario}`));

let registry: TestRegistry;
beforeAll(async () => {
  registry = await testRegistry();
});
afterAll(() => registry.close());
beforeEach(() => registry.database.reset());

describe.each(["/eureka", "/eureka/v2"])("below %s", (base) => {
  test.each(scenarios)("%s", async (_, calls = []) => {
    let lost: string | undefined;
    for (const [index, call] of calls.entries()) {
      registry.clock.time += 500;
      if (isForgotten(call, calls.slice(0, index))) await send({ ...call, method: "DELETE" }, base);
      const response = await send(call, base);
      const text = await contentOf(response);
      expect({ call: `${index} ${call.method} ${call.path}`, status: response.status }).toEqual({ call: `${index} ${call.method} ${call.path}`, status: call.status });
      if (call.status === 404) {
        // Any body here, and Boot 2 and Jersey stay away for good.
        expect([text, response.headers.get("content-type")]).toEqual(["", null]);
        lost = call.path.split("?")[0];
      }
      if (call.method === "POST") lost = undefined;
      if (call.answer) likeRecorded({ text, type: response.headers.get("content-type"), call });
    }
    expect(lost, "a client that lost its registration came back").toBeUndefined();
  });
});

test("the record holds all five clients", () => {
  expect(new Set(scenarios.map(([name]) => name.replace(/: .*?(WebClient|Jersey|$)/, " $1"))).size).toBe(5);
  expect(exchanges.filter(({ status }) => status === 404)).toHaveLength(8);
});

function send({ method, path, headers, body }: Exchange, base: string): Promise<Response> {
  const init = { method, headers: { ...headers, authorization: AUTHORIZATION } };
  const content = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
  return registry.fetch(new Request(`http://discovery.test${path.replace("/eureka", base)}`, content === undefined ? init : { ...init, body: content }));
}

/** Whether the recorder took the instance away behind the client's back: a heartbeat that nothing else explains is refused. */
function isForgotten({ method, path, status }: Exchange, before: Exchange[]): boolean {
  const last = before.findLast((call) => call.method === "POST" || /\/status/.test(call.path));
  return method === "PUT" && status === 404 && !/\/status/.test(path) && last?.method === "POST" && before.at(-1)?.status !== 404;
}

/** Of each instance that both know, every field is there that the real server gave, as the same kind of value, and none besides. */
function likeRecorded({ text, type, call }: { text: string; type: string | null; call: Exchange }): void {
  expect(type).toBe("application/json");
  const ours = JSON.parse(text);
  expect(Object.keys(ours.applications).toSorted()).toEqual(["application", "apps__hashcode", "versions__delta"]);
  const theirs = new Map(instancesIn(call.answer).map((one) => [`${one.app} ${one.instanceId || one.hostName}`, one]));
  for (const one of instancesIn(ours)) {
    const recorded = theirs.get(`${one.app} ${one.instanceId}`);
    if (recorded) expect(shape(one)).toEqual(shape(recorded));
  }
}

function instancesIn(list: any): any[] {
  return list.applications.application.flatMap((app: any) => app.instance);
}

function shape(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shape(inner)]));
}
