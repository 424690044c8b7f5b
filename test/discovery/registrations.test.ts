import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AUTHORIZATION, testRegistry, type TestRegistry } from "./service.ts";

let registry: TestRegistry;
beforeAll(async () => {
  registry = await testRegistry();
});
afterAll(() => registry.close());
beforeEach(() => registry.database.reset());

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
