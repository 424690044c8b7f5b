import { XMLParser } from "fast-xml-parser";
import * as fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AUTHORIZATION, instanceOf, testRegistry, type TestRegistry } from "./service.ts";

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

describe("without the credential", () => {
  const operations = [
    ["POST", "/apps/ORDERS"],
    ["PUT", "/apps/ORDERS/orders-1"],
    ["DELETE", "/apps/ORDERS/orders-1"],
    ["PUT", "/apps/ORDERS/orders-1/status?value=DOWN"],
    ["DELETE", "/apps/ORDERS/orders-1/status"],
    ["PUT", "/apps/ORDERS/orders-1/metadata?a=b"],
    ["GET", "/apps"],
    ["GET", "/apps/"],
    ["GET", "/apps/delta"],
    ["GET", "/apps/ORDERS"],
    ["GET", "/apps/ORDERS/orders-1"],
    ["GET", "/instances/orders-1"],
    ["GET", "/vips/orders"],
    ["GET", "/svips/orders"],
    ["GET", "/v2/apps"],
    ["POST", "/v2/apps/ORDERS"],
    ["OPTIONS", "/apps"],
    ["GET", ""],
    ["GET", "/nothing"],
  ] as const;
  const credentials = ["", "Basic", "Basic x", `Basic ${btoa("eureka:wrong")}`, `Basic ${btoa("eureka:")}`, `Basic ${btoa("admin:pass")}`, "Bearer x", AUTHORIZATION.replace("Basic", "Digest")];

  test.each(operations)("%s %s does nothing and tells nothing", async (method, path) => {
    await registry.register({ id: "orders-1" });
    const before = await registry.database.query("SELECT * FROM discovery.instances");
    for (const authorization of credentials) {
      const json = method === "POST" ? { instance: instanceOf({ id: "intruder" }) } : undefined;
      const answer = await registry.send(path, { method, json, headers: { authorization, accept: "application/json" } });
      const found = { authorization, status: answer.status, challenge: answer.headers.get("www-authenticate"), body: await answer.text() };
      expect(found).toEqual({ authorization, status: 401, challenge: 'Basic realm="discovery"', body: "" });
    }
    expect(await registry.database.query("SELECT * FROM discovery.instances")).toEqual(before);
  });

  test("health and documents are open", async () => {
    for (const path of ["/actuator/health", "/v3/api-docs"]) {
      expect((await registry.fetch(new Request(`http://discovery.test${path}`))).status).toBe(200);
    }
  });
});

describe("a registration", () => {
  const refused: Record<string, Record<string, unknown>> = {
    "an id with a slash": { id: "a/b" },
    "an id that a path cannot name": { id: ".." },
    "an id of 513 characters": { id: "x".repeat(513) },
    "an id with a line break": { id: "a\nb" },
    "an id with a NUL": { id: "a\0b" },
    "an id with half a character": { id: "a\uD800b" },
    "a host with a control character": { hostName: "h\u0007" },
    "an address that is a list": { ipAddr: ["192.0.2.7"] },
    "a host of 256 characters": { hostName: "h".repeat(256) },
    "a vip address of 1,025 characters": { vipAddress: "v".repeat(1025) },
    "the name of the changes": { app: "delta" },
    "65 entries of metadata": { metadata: Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`k${index}`, "v"])) },
    "9 KiB of metadata": { metadata: { k: "v".repeat(9000) } },
    "metadata with a NUL": { metadata: { k: "a\0b" } },
    "metadata with half a character": { metadata: { k: "\uDC00" } },
    "metadata with a name of control characters": { metadata: { "a\u0001": "v" } },
    "metadata without a name": { metadata: { "": "v" } },
    "metadata that is a list": { metadata: ["a"] },
    "a port below 0": { port: { $: -1, "@enabled": "true" } },
    "a port above 65535": { port: { $: 65_536, "@enabled": "true" } },
    "a port of a half": { port: { $: 80.5, "@enabled": "true" } },
    "a status that is a number": { status: 1 },
    "a dirty timestamp before all times": { lastDirtyTimestamp: -1 },
    "a dirty timestamp beyond all numbers": { lastDirtyTimestamp: "99999999999999999999" },
    "a lease of a word": { leaseInfo: { durationInSecs: "long" } },
    "Amazon's class with metadata of a list": { dataCenterInfo: { "@class": "com.netflix.appinfo.AmazonInfo", name: "Amazon", metadata: [] } },
    "a class that is none of a data centre": { dataCenterInfo: { "@class": "javax.script.ScriptEngineManager", name: "MyOwn" } },
  };

  test.each(Object.entries(refused))("with %s is refused, and everybody else is read as before", async (_, more) => {
    await registry.register({ id: "other" });
    const answer = await registry.register(more);
    expect({ status: answer.status, body: await answer.text() }).toEqual({ status: 400, body: expect.stringMatching(/^\{"error":"/) });
    expect(await registry.listed()).toEqual({ other: "UP" });
  });

  test.each(["application/json", "application/xml"])("of more than 64 KiB is refused in %s, and not read to its end", async (type) => {
    let pulled = 0;
    const body = new ReadableStream({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(16 * 1024).fill(0x20));
        if (pulled > 5000) controller.close();
      },
    });
    const request = new Request("http://discovery.test/eureka/apps/ORDERS", { method: "POST", headers: { authorization: AUTHORIZATION, "content-type": type }, body, duplex: "half" } as RequestInit);
    const answer = await registry.fetch(request);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([413, type]);
    expect(pulled).toBeLessThan(20);
  });

  test("keeps of its addresses only those that a page may link to", async () => {
    const addresses = { homePageUrl: "javascript:alert(1)", statusPageUrl: "data:text/html,x", healthCheckUrl: "http://ok.example/health", secureHealthCheckUrl: " JaVaScRiPt:x" };
    expect((await registry.register(addresses)).status).toBe(204);
    const { instance } = await registry.read("/apps/ORDERS/orders-1");
    const [shown] = await registry.instances();
    expect([instance.homePageUrl, instance.statusPageUrl, instance.healthCheckUrl, instance.secureHealthCheckUrl]).toEqual([undefined, undefined, "http://ok.example/health", undefined]);
    expect([shown?.homePageUrl, shown?.statusPageUrl, shown?.healthCheckUrl]).toEqual([undefined, undefined, "http://ok.example/health"]);
    for (const bad of ["//evil.example/", "http:evil.example", "http:///evil.example", "http:", "http://", "vbscript:x", "\tjavascript:x", "http://a b/", "file:///etc/passwd", `http://h/${"x".repeat(2048)}`, 7, null, {}]) {
      await registry.register({ homePageUrl: bad });
      expect((await registry.read("/apps/ORDERS/orders-1")).instance.homePageUrl).toBeUndefined();
    }
  });

  test.each([9_007_199_254_740_991, 2_147_483_648, -2_147_483_649, "4294967296", 1.5])("of a country %s, which Java clients cannot read, is one of their default", async (countryId) => {
    expect((await registry.register({ countryId })).status).toBe(204);
    for (const path of ["/apps/", "/apps/delta"]) expect((await registry.read(path)).applications.application[0].instance[0].countryId).toBe(1);
  });

  test.each([2_147_483_647, -2_147_483_648, 49])("of a country %s keeps it", async (countryId) => {
    await registry.register({ countryId });
    expect((await registry.read("/apps/ORDERS/orders-1")).instance.countryId).toBe(countryId);
  });

  test("for a year is one for a day: nobody stays who is dead", async () => {
    await registry.register({ leaseInfo: { renewalIntervalInSecs: 1e9, durationInSecs: 2_147_483_648 } });
    expect((await registry.read("/apps/ORDERS/orders-1")).instance.leaseInfo).toMatchObject({ renewalIntervalInSecs: 86_400, durationInSecs: 86_400 });
  });

  test("with fields that no client knows keeps none of them", async () => {
    await registry.register({ unheard: { of: 1 }, "@class": "x", isDirty: true, actionType: "DELETED", lastUpdatedTimestamp: "never", leaseInfo: { serviceUpTimestamp: "x", evictionTimestamp: 1 } });
    const { instance } = await registry.read("/apps/ORDERS/orders-1");
    expect(Object.keys(instance)).toEqual([
      "instanceId", "hostName", "app", "ipAddr", "status", "overriddenStatus", "port", "securePort", "countryId", "dataCenterInfo", "leaseInfo", "metadata",
      "vipAddress", "secureVipAddress", "isCoordinatingDiscoveryServer", "lastUpdatedTimestamp", "lastDirtyTimestamp", "actionType",
    ]);
    expect([instance.actionType, instance.leaseInfo.evictionTimestamp]).toEqual(["ADDED", 0]);
  });

  test("cannot take an operator's word away, nor overtake a newer one", async () => {
    await registry.register({ lastDirtyTimestamp: 5 });
    await registry.send("/apps/ORDERS/orders-1/status?value=OUT_OF_SERVICE", { method: "PUT" });
    await registry.register({ lastDirtyTimestamp: 6, overriddenStatus: "UP" });
    expect(await registry.listed()).toEqual({ "orders-1": "OUT_OF_SERVICE" });
    await registry.register({ lastDirtyTimestamp: 4, status: "DOWN", hostName: "older.example" });
    const { instance } = await registry.read("/apps/ORDERS/orders-1");
    expect([instance.status, instance.hostName, instance.lastDirtyTimestamp]).toEqual(["OUT_OF_SERVICE", "orders.example", "6"]);
  });
});

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

describe("a bad query is the caller's fault, whatever it is", () => {
  const paths = ["/apps/ORDERS/%00", "/apps/%00", "/apps/%00/x", "/instances/%00", "/vips/%00", "/apps/ORDERS/%FF", "/apps/%E0%A4%A", "/apps/ORDERS/x%2Fy", "/instances/..%2f", `/apps/${"x".repeat(5000)}`, "/apps/ORDERS/orders-1%20"];

  test.each(paths)("%s", async (path) => {
    await registry.register();
    for (const method of ["GET", "PUT", "DELETE", "POST", "PATCH"]) {
      const { status } = await registry.send(path, { method });
      expect({ method, isClients: status < 500 }).toEqual({ method, isClients: true });
    }
  });

  test("a status, a timestamp or metadata that is none changes nothing", async () => {
    await registry.register();
    const before = await registry.database.query("SELECT details, status FROM discovery.instances");
    for (const [method, path] of [
      ["PUT", "/status"],
      ["PUT", "/status?value=up"],
      ["PUT", "/status?value=UP&lastDirtyTimestamp=x"],
      ["DELETE", "/status?value=x"],
      ["PUT", "?lastDirtyTimestamp=1e3"],
      ["PUT", "/metadata?a=%00"],
      ["PUT", "/metadata?=v"],
      ["PUT", `/metadata?a=${"x".repeat(9000)}`],
      ["PUT", `/metadata?${Array.from({ length: 65 }, (_, index) => `k${index}=v`).join("&")}`],
    ] as const) {
      const answer = await registry.send(`/apps/ORDERS/orders-1${path}`, { method });
      expect({ path: path.slice(0, 40), status: answer.status, body: await answer.json() }).toEqual({ path: path.slice(0, 40), status: 400, body: { error: expect.any(String) } });
    }
    expect(await registry.database.query("SELECT details, status FROM discovery.instances")).toEqual(before);
  });

  test("metadata that is added bit by bit is bounded too", async () => {
    await registry.register();
    const statuses = [];
    for (let index = 0; index < 70; index++) statuses.push((await registry.send(`/apps/ORDERS/orders-1/metadata?k${index}=v`, { method: "PUT" })).status);
    expect(statuses).toEqual([...Array(64).fill(200), ...Array(6).fill(400)]);
    expect(Object.keys((await registry.read("/apps/ORDERS/orders-1")).instance.metadata)).toHaveLength(64);
  });
});

test("a database that is away is a 503 that says when to try again", async () => {
  const away = registry.instance({ DATABASE_URL: "postgres://nobody:nothing@localhost/none" });
  for (const [method, path] of [["GET", "/apps"], ["PUT", "/apps/ORDERS/x"], ["DELETE", "/apps/ORDERS/x"]] as const) {
    const answer = await away.send(path, { method });
    expect(answer.status).toBeGreaterThanOrEqual(500);
    expect(((await answer.json()) as { code: string }).code).toMatch(/^UPSTREAM_/);
  }
});
