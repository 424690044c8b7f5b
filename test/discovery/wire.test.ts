import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { XMLParser } from "fast-xml-parser";
import { AUTHORIZATION, contentOf, testRegistry, type TestRegistry } from "./service.ts";
import { type Answer, comparable, CUT, differences, type Exchange, recorded } from "./recorded.ts";

/*
 * Every call that was made to a real server (Spring Boot 4.1, Cloud 2025.1, eureka-core 2.0.6), made again here, and
 * its answer compared: status, media type, and the body field by field, in JSON and in XML.
 */

const exchanges = recorded("server");
const groups = Object.groupBy(exchanges, ({ group }) => (group.startsWith("eviction") ? group : "one server"));

describe.each(Object.entries(groups))("%s", (group, calls = []) => {
  let registry: TestRegistry;
  beforeAll(async () => {
    registry = await testRegistry({ DISCOVERY_SELF_PRESERVATION: group.endsWith("off") ? "off" : "on" });
  });
  afterAll(() => registry.close());

  test.each(calls.map((call, index) => [`${call.request.method} ${call.request.path}${call.note ? `: ${call.note}` : ""} (${index})`, call, index] as const))(
    "%s",
    async (_, call, index) => {
      await prepare(registry, { call, before: calls[index - 1] });
      registry.clock.time += waited(call.note);
      expect(comparable(await answerTo(registry, call), call)).toEqual(comparable(expectedOf(call), call));
    },
  );
});

test("no kept difference is out of use", () => {
  for (const { reason, applies } of differences) expect(`${reason}: ${exchanges.some(applies)}`).toBe(`${reason}: true`);
});

function expectedOf(call: Exchange): Answer {
  return differences.filter(({ applies }) => applies(call)).reduce((answer, { instead }) => instead(answer, call), answerIn(call));
}

function answerIn({ response: { status, headers, body } }: Exchange): Answer {
  return { status, type: headers["Content-Type"]?.split(";")[0], allow: headers["Allow"]?.split(",").toSorted(), encoding: headers["Content-Encoding"], body: parsed(body) };
}

async function answerTo(registry: TestRegistry, { request: { method, path, headers = {}, body, gzip } }: Exchange): Promise<Answer> {
  const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
  const content = text !== undefined && gzip ? await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer() : text;
  const init = { method, headers: { authorization: AUTHORIZATION, ...headers } };
  const request = new Request(`http://discovery.test${path}`, content === undefined ? init : { ...init, body: content });
  if (content !== undefined && !headers["Content-Type"]) request.headers.delete("content-type");
  const response = await registry.fetch(request);
  const encoding = response.headers.get("content-encoding") ?? undefined;
  const read = method === "HEAD" ? "" : await contentOf(response);
  return {
    status: response.status,
    type: response.headers.get("content-type")?.split(";")[0],
    allow: response.headers.get("allow")?.split(", ").toSorted(),
    encoding,
    body: parsed(read),
  };
}

/** JSON and XML as what they say; anything else as it is. */
function parsed(body: unknown): unknown {
  if (typeof body !== "string" || CUT.test(body)) return body;
  if (body === "") return undefined;
  if (body.startsWith("<")) return new XMLParser({ ignoreAttributes: false, parseTagValue: false, isArray: (name) => name === "application" || name === "instance" }).parse(body);
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/** Between its wrong bodies the recorder cancelled what had been registered, in calls that are not in the record. */
async function prepare(registry: TestRegistry, { call, before }: { call: Exchange; before: Exchange | undefined }): Promise<void> {
  if (call.note === "unknown status") return;
  const isCleaned = /wrong bodies|XML/.test(before?.group ?? "") && (call.group !== before?.group || call.request.method === "POST" || call.note === "what is left");
  if (!isCleaned) return;
  const { applications } = await registry.read("/apps/");
  for (const { name, instance } of applications.application) {
    for (const { instanceId } of instance) await registry.send(`/apps/${name}/${encodeURIComponent(instanceId)}`, { method: "DELETE" });
  }
}

function waited(note = ""): number {
  const [, milliseconds] = /(\d+) ms\b/.exec(note) ?? [];
  return milliseconds === undefined ? 1 : Number(milliseconds);
}
