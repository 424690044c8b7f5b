import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { describe as describeError } from "../../src/http/log.ts";
import { registry } from "../../src/registry/eureka.ts";
import { callOf, REGISTRY_URL, testRegistry, wired } from "./server.ts";

const SELF = { name: "user-service", hostName: "localhost", ipAddr: "127.0.0.1", port: 8086 };
const UP = { status: "UP", at: 1_795_224_406_440 } as const;

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

test("An instance registers as Spring's client does, is renewed, and is taken off", async () => {
  const { client, seen, instances } = testRegistry();
  await client.register(callOf(), SELF, UP);
  expect(seen).toMatchObject([{ method: "POST", path: "/eureka/apps/USER-SERVICE", headers: { "content-type": "application/json" } }]);
  const { instance } = JSON.parse(seen[0]!.body);
  expect(instance).toEqual({
    instanceId: "localhost:user-service:8086",
    app: "USER-SERVICE",
    ipAddr: "127.0.0.1",
    hostName: "localhost",
    status: "UP",
    overriddenStatus: "UNKNOWN",
    port: { $: 8086, "@enabled": "true" },
    securePort: { $: 443, "@enabled": "false" },
    vipAddress: "user-service",
    secureVipAddress: "user-service",
    homePageUrl: "http://localhost:8086/",
    statusPageUrl: "http://localhost:8086/actuator/info",
    healthCheckUrl: "http://localhost:8086/actuator/health",
    countryId: 1,
    dataCenterInfo: { "@class": "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo", name: "MyOwn" },
    leaseInfo: { renewalIntervalInSecs: 30, durationInSecs: 90 },
    metadata: { version: expect.stringMatching(/^\d+\.\d+\.\d+$/), documents: "/v3/api-docs", "management.port": "8086" },
    lastUpdatedTimestamp: UP.at,
    lastDirtyTimestamp: UP.at,
  });
  expect(await client.renew(callOf(), SELF, UP)).toBe(true);
  expect(seen.at(-1)).toMatchObject({ method: "PUT", path: "/eureka/apps/USER-SERVICE/localhost%3Auser-service%3A8086", body: "" });
  expect(seen.at(-1)?.search).toBe(`?status=UP&lastDirtyTimestamp=${UP.at}`);
  expect(await client.instances(callOf(), "user-service")).toEqual([{ id: "localhost:user-service:8086", status: "UP", url: "http://localhost:8086" }]);
  await client.cancel(callOf(), SELF);
  expect(instances.size).toBe(0);
  expect(await client.renew(callOf(), SELF, UP)).toBe(false);
  expect(await client.instances(callOf(), "user-service")).toEqual([]);
  await client.cancel(callOf(), SELF);
});

describe("Of the instances of an application", () => {
  test.each<[string, Record<string, unknown>, string | undefined]>([
    ["with a name, that is called", { host: "orders-1.example" }, "http://orders-1.example:8080"],
    ["without a name, the address is called", { hostName: "" }, "http://10.0.0.7:8080"],
    ["with a secure port enabled, that is called", { securePort: { $: 8443, "@enabled": "true" } }, "https://10.0.0.7:8443"],
    ["with both ports enabled, the secure one is called", { port: { $: 80, "@enabled": true }, securePort: { $: "443", "@enabled": true } }, "https://10.0.0.7"],
    ["with ports as Netflix's client writes them, it is read", { port: { $: "8081", "@enabled": "true" }, securePort: { $: "443", "@enabled": "false" } }, "http://10.0.0.7:8081"],
    ["with an IPv6 address for a name, that is called", { host: "fd12::7" }, "http://[fd12::7]:8080"],
    ["with no port enabled, it has no URL", { port: { $: 8080, "@enabled": "false" } }, undefined],
    ["with a port that is none, it has no URL", { port: { $: 70_000, "@enabled": "true" } }, undefined],
    ["with a path in its name, it has no URL", { host: "orders/internal" }, undefined],
    ["with a user in its name, it has no URL", { host: "a@10.0.0.8" }, undefined],
    ["with a port in its name, it has no URL", { host: "10.0.0.8:22" }, undefined],
    ["with a space in its name, it has no URL", { host: "a b" }, undefined],
    ["with the cloud's metadata for a name, it has no URL", { host: "169.254.169.254" }, undefined],
    ["with that in another spelling, it has no URL", { host: "0xa9fea9fe" }, undefined],
  ])("one %s", async (_, fields, url) => {
    const { client, add } = testRegistry();
    add(wired(fields));
    expect(await client.instances(callOf(), "orders")).toMatchObject([{ status: "UP", url }]);
  });

  test.each([
    ["nothing", null],
    ["a text", "orders"],
    ["no status", { ...wired(), status: undefined }],
    ["no name", { ...wired(), hostName: undefined }],
    ["a bare port", { ...wired(), port: 8080 }],
    ["a port that is no number", { ...wired(), port: { $: "80 80", "@enabled": "true" } }],
  ])("an odd one (%s) is left out, and the others are there", async (_, odd) => {
    const fetch = () => Response.json({ application: { name: "ORDERS", instance: [odd, wired(), odd] } });
    const client = registry({ url: REGISTRY_URL, fetch, now: Date.now });
    expect(await client.instances(callOf(), "orders")).toEqual([{ id: "10.0.0.7:orders:8080", status: "UP", url: "http://10.0.0.7:8080" }]);
  });
});

describe("A registry that", () => {
  const secret = /correct|horse|ZXVyZWth/;

  test.each<[string, () => Response | Promise<Response>, string]>([
    ["is not there", () => Promise.reject(new TypeError("fetch failed")), "UPSTREAM_UNAVAILABLE_503"],
    ["never answers", () => new Promise(() => {}), "UPSTREAM_TIMEOUT_504"],
    ["redirects", () => Response.redirect("http://169.254.169.254/", 302), "UPSTREAM_BAD_ANSWER_502"],
    ["refuses the credential", () => new Response(null, { status: 401 }), "UPSTREAM_BAD_ANSWER_502"],
    ["fails", () => new Response("<h1>", { status: 500 }), "UPSTREAM_BAD_ANSWER_502"],
    ["answers with XML", () => new Response("<application/>"), "UPSTREAM_BAD_ANSWER_502"],
    ["answers with something else", () => Response.json({ application: { instance: {} } }), "UPSTREAM_BAD_ANSWER_502"],
    ["answers with nothing", () => new Response(null, { status: 204 }), "UPSTREAM_BAD_ANSWER_502"],
  ])("%s is a problem that says nothing of the credential, in time", async (_, fetch, code) => {
    const client = registry({ url: REGISTRY_URL, fetch, now: Date.now });
    const began = performance.now();
    const error = await client.instances(callOf(300), "orders").catch((thrown: unknown) => thrown);
    expect(performance.now() - began).toBeLessThan(600);
    expect(error).toMatchObject({ code });
    expect(describeError(error, true)).not.toMatch(secret);
  });

  test("answers with 50 MiB is given up after four", async () => {
    let sent = 0;
    const body = () =>
      new ReadableStream<Uint8Array>({
        pull(controller) {
          sent += 65_536;
          controller.enqueue(new Uint8Array(65_536).fill(32));
          if (sent > 50 * 1024 * 1024) controller.close();
        },
      });
    const client = registry({ url: REGISTRY_URL, fetch: () => new Response(body()), now: Date.now });
    await expect(client.instances(callOf(), "orders")).rejects.toMatchObject({ code: "UPSTREAM_BAD_ANSWER_502" });
    expect(sent).toBeLessThan(5 * 1024 * 1024);
  });

  test("redirects over the network is not followed, and the credential goes nowhere else", async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.writeHead(302, { location: "/elsewhere" }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closing.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    const client = registry({ url: `http://eureka:pw@127.0.0.1:${port}/eureka`, fetch, now: Date.now });
    await expect(client.register(callOf(), SELF, UP)).rejects.toMatchObject({ code: "UPSTREAM_BAD_ANSWER_502" });
    expect(asked).toEqual(["/eureka/apps/USER-SERVICE"]);
  });
});

test("Of several registries the first that answers is asked, and stays the first", async () => {
  const asked: string[] = [];
  const answers: Record<string, () => Response | Promise<Response>> = {
    "a.test": () => Promise.reject(new TypeError("fetch failed")),
    "b.test": () => new Response(null, { status: 503 }),
    "c.test": () => Response.json({ application: { instance: [wired()] } }),
  };
  const fetch = (request: Request) => {
    const { hostname } = new URL(request.url);
    asked.push(`${hostname} ${request.headers.get("authorization")}`);
    return answers[hostname]!();
  };
  const client = registry({ url: "http://u:1@a.test/eureka, http://u:2@b.test/eureka/,http://c.test/eureka", fetch, now: Date.now });
  expect(await client.instances(callOf(), "orders")).toHaveLength(1);
  expect(asked).toEqual([`a.test Basic ${btoa("u:1")}`, `b.test Basic ${btoa("u:2")}`, "c.test null"]);
  asked.length = 0;
  expect(await client.instances(callOf(), "orders")).toHaveLength(1);
  expect(asked).toEqual(["c.test null"]);
  answers["c.test"] = answers["a.test"]!;
  await expect(client.instances(callOf(), "orders")).rejects.toMatchObject({ code: "UPSTREAM_UNAVAILABLE_503" });
});
