import { createConfig, lintFromString } from "@redocly/openapi-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { asyncApi, listedEvents } from "../../src/events/asyncapi.ts";
import { catalogue, type EventType, knownEvent, TOPICS } from "../../src/events/catalogue.ts";
import { readEnvelope } from "../../src/events/envelope.ts";
import { type AdminPlatform, adminPlatform } from "../admin/instance.ts";
import { gatewayBefore } from "../gateway/platform.ts";

let platform: AdminPlatform;
beforeAll(async () => void (platform = await adminPlatform()));
afterAll(() => platform.close());

type Document = { channels: Record<string, { address: string; messages: object }>; components: { messages: Record<string, { examples: { payload: object }[] }> } };

/** What Redocly's strictest rules say; how a reader is let in is the broker's affair, which the document does not know. */
async function findings(document: object): Promise<string[]> {
  const config = await createConfig({ extends: ["recommended-strict"], rules: { "info-license": "off", "info-contact": "off", "security-defined": "off" } });
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: "asyncapi.json", config });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer ?? ""})`);
}

const served: [string, () => Promise<Response>, EventType[]][] = [
  ["the gateway", async () => gatewayBefore().app.request("/asyncapi.json"), Object.keys(catalogue) as EventType[]],
  ["the user service", () => platform.request("/asyncapi.json", { service: "users" }), (Object.keys(catalogue) as EventType[]).filter((type) => type.startsWith("user."))],
  ["the administration service", () => platform.call("GET", "/asyncapi.json", { token: "" }), ["admin.called"]],
];

test.each(served)("%s describes what it publishes in a valid AsyncAPI 3 document, to everybody", async (_, get, types) => {
  const response = await get();
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"]);
  const document = (await response.json()) as Document;
  expect(await findings(document)).toEqual([]);
  expect(Object.keys(document.components.messages)).toEqual(types);
  const addresses = new Set(types.map((type) => catalogue[type].topic));
  expect(Object.entries(document.channels).map(([name, { address, messages }]) => [name, address, Object.keys(messages)])).toEqual(
    Object.keys(TOPICS)
      .filter((name) => addresses.has(name as keyof typeof TOPICS))
      .map((name) => [name, name, types.filter((type) => catalogue[type].topic === name)]),
  );
});

test("a document that is not AsyncAPI 3 is found out", async () => {
  const document = asyncApi({ title: "T", version: "1" }) as { operations: Record<string, { action: string }> };
  document.operations["publish.platform.users"]!.action = "publish";
  expect(await findings(document)).not.toEqual([]);
});

test.each(listedEvents())("the example of $type is such an event", ({ type, example }) => {
  const event = readEnvelope(JSON.stringify(example));
  expect(event).toEqual(example);
  expect(knownEvent(event!)).toEqual(example);
  expect(catalogue[type].data.strict().parse(event?.data)).toEqual(event?.data);
});

test("what is no event of ours is read as none, and a type that is not known yet as itself alone", () => {
  const example = listedEvents()[0]?.example;
  for (const text of ["", "null", "[]", "{", '"text"', JSON.stringify({ ...example, specversion: "2.0" }), JSON.stringify({ ...example, data: "text" })]) {
    expect(readEnvelope(text)).toBeUndefined();
  }
  const later = readEnvelope(JSON.stringify({ ...example, type: "user.later" }));
  expect([later?.type, knownEvent(later!)]).toEqual(["user.later", undefined]);
  expect(knownEvent({ ...later!, type: "toString" })).toBeUndefined();
  expect(knownEvent({ ...later!, type: "user.updated" })).toBeUndefined();
});

test("the page shows every type with its fields and an example, and loads nothing but its style", async () => {
  const response = await gatewayBefore().app.request("/events.html");
  const text = await response.text();
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=UTF-8"]);
  expect(response.headers.get("content-security-policy")).toMatch(/^default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; style-src 'self'; img-src 'self'$/);
  expect(text).not.toMatch(/<script|<style|style=|https?:\/\//);
  for (const { type, schema, title } of listedEvents()) {
    expect(text).toContain(`<h3><code>${type}</code></h3>`);
    expect(text).toContain(title.replaceAll("'", "&#39;"));
    for (const field of Object.keys(schema.properties ?? {})) expect(text).toContain(`<td><code>${field}</code></td>`);
  }
  expect((await (await gatewayBefore().app.request("/")).text()).match(/href="\/events.html"/g)).toHaveLength(1);
});
