import { XMLParser } from "fast-xml-parser";
import * as fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { instanceOf, testRegistry, type TestRegistry } from "./service.ts";

let registry: TestRegistry;
beforeAll(async () => {
  registry = await testRegistry();
});
afterAll(() => registry.close());
beforeEach(() => registry.database.reset());

const CLASS = "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo";
const xmlInstance = (inside = "") =>
  `<instance><instanceId>x</instanceId><hostName>h</hostName><app>ORDERS</app><ipAddr>192.0.2.7</ipAddr><dataCenterInfo class="${CLASS}"><name>MyOwn</name></dataCenterInfo>${inside}</instance>`;
const registerXml = (xml: string) => registry.send("/apps/ORDERS", { method: "POST", xml });
const strictXml = new XMLParser({ ignoreAttributes: false, parseTagValue: false, trimValues: false });

describe("XML", () => {
  const bombs: Record<string, string> = {
    "a document type with entities that grow": `<!DOCTYPE b [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>${xmlInstance("<sid>&b;</sid>")}`,
    "an entity that is a file": `<!DOCTYPE b [<!ENTITY f SYSTEM "file:///etc/passwd">]>${xmlInstance("<sid>&f;</sid>")}`,
    "a document type from elsewhere": `<!DOCTYPE instance SYSTEM "http://evil.example/x.dtd">${xmlInstance()}`,
    "an entity that nobody defined": xmlInstance("<metadata><a>&evil;</a></metadata>"),
    "a bare ampersand": xmlInstance("<metadata><a>a & b</a></metadata>"),
    "a NUL by number": xmlInstance("<metadata><a>&#0;</a></metadata>"),
    "half a character by number": xmlInstance("<metadata><a>&#xD800;</a></metadata>"),
    "a number beyond all characters": xmlInstance("<metadata><a>&#x110000;</a></metadata>"),
    "elements a hundred deep": xmlInstance(`${"<a>".repeat(100)}${"</a>".repeat(100)}`),
    "an element of JavaScript's own names": xmlInstance("<metadata><__proto__>x</__proto__></metadata>"),
    "two roots": xmlInstance() + xmlInstance(),
    "another root": "<application><name>ORDERS</name></application>",
    "no end": xmlInstance().slice(0, -5),
    "nothing": " ",
    "twice the same attribute": xmlInstance('<port enabled="true" enabled="false">1</port>'),
  };

  test.each(Object.entries(bombs))("with %s is refused at once", async (_, xml) => {
    const began = performance.now();
    const answer = await registerXml(xml);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toMatch(/^<error><message>/);
    expect(performance.now() - began).toBeLessThan(2000);
    expect(await registry.listed()).toEqual({});
  });

  test("that opens sixty thousand elements or attributes ends in time", async () => {
    const began = performance.now();
    for (const xml of ["<a>".repeat(20_000), `<instance ${"a=b ".repeat(15_000)}>`, xmlInstance("<metadata>" + "<a/>".repeat(15_000) + "</metadata>"), `<instance>${"&lt;".repeat(15_000)}</instance>`, `<!--${"-".repeat(60_000)}`]) {
      expect((await registerXml(xml)).status).toBeLessThan(500);
    }
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  test("that is ordinary is read: entities, sections, comments, a declaration, numbers", async () => {
    const inside = "<metadata><a>&lt;b&gt; &amp;amp; &#65;&#x1F600;</a><b><![CDATA[<x> & ]]></b><!-- c --><c/></metadata>";
    expect((await registerXml(`<?xml version="1.0" encoding="UTF-8"?>\n${xmlInstance(inside)}`)).status).toBe(204);
    expect((await registry.read("/apps/ORDERS/x")).instance.metadata).toEqual({ a: "<b> &amp; A😀", b: "<x> & ", c: "" });
  });

  test("cannot be injected through any field", async () => {
    const evil = `"><status>DOWN</status><!-- ]]> & '`;
    const fields = Object.fromEntries(["hostName", "ipAddr", "vipAddress", "secureVipAddress", "appGroupName", "asgName"].map((name) => [name, evil]));
    const app = "<A&B>";
    const registered = await registry.send(`/apps/${encodeURIComponent(app)}`, { method: "POST", json: { instance: instanceOf({ ...fields, app, id: evil.replaceAll("/", "|"), metadata: { [evil]: evil } }) } });
    expect(registered.status).toBe(204);
    for (const path of ["/apps", `/apps/${encodeURIComponent(app)}`, "/apps/delta"]) {
      const document = strictXml.parse(await (await registry.send(path)).text(), true);
      const { instance, name } = path.includes("%") ? document.application : document.applications.application;
      expect([name, instance.status, instance.hostName, instance.vipAddress]).toEqual([app, "UP", evil, evil]);
    }
  });
});

describe("what an instance says comes back as it was said", () => {
  // What XML can hold: a line end is one line feed, whatever it was.
  const character = fc.string({ unit: "binary", minLength: 1, maxLength: 1 }).filter((one) => /^[\P{C}\t\n]$/u.test(one));
  const value = fc.string({ unit: fc.oneof(character, fc.constantFrom("<", ">", "&", '"', "'", "]]>", "_", "$", "\n", "é", "😀")), maxLength: 20 });
  const key = fc.string({ unit: fc.oneof(character.filter((one) => !/[\t\n\u2028\u2029]/.test(one)), fc.constantFrom("_", "$", "_.0041", "a", "9", "@", ":")), minLength: 1, maxLength: 12 }).filter((name) => name !== "@class");
  const metadata = fc.dictionary(fc.oneof(key, fc.constantFrom("__proto__", "constructor", "toString", "xml", "class", "$", "#text")), value, { maxKeys: 8 });

  test("in JSON and in XML, whatever of metadata prints", async () => {
    await fc.assert(
      fc.asyncProperty(metadata, async (said) => {
        const expected = { ...said };
        expect((await registry.register({ id: "said", metadata: expected })).status).toBe(204);
        const { instance } = await registry.read("/apps/ORDERS/said");
        const answer = Object.keys(expected).length === 0 ? { "@class": "java.util.Collections$EmptyMap" } : expected;
        expect(Object.entries(instance.metadata).toSorted()).toEqual(Object.entries(answer).toSorted());
        // What the XML says, registered again from the XML itself.
        const xml = await (await registry.send("/apps/ORDERS/said", { headers: { accept: "application/xml" } })).text();
        expect(() => strictXml.parse(xml, true)).not.toThrow();
        expect((await registerXml(xml.replace("<instanceId>said<", "<instanceId>again<"))).status).toBe(204);
        const again = (await registry.read("/apps/ORDERS/again")).instance;
        const { leaseInfo: _, lastUpdatedTimestamp: __, instanceId: ___, ...same } = again;
        expect(instance).toMatchObject(same);
        expect(Object.entries(again.metadata).toSorted()).toEqual(Object.entries(answer).toSorted());
      }),
      { numRuns: 60 },
    );
  }, 120_000);
});
