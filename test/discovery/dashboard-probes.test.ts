import { describe, expect, test } from "vitest";
import { dashboardOf, platformOf, registered, START } from "./dashboard.ts";

const many = (count: number) => Array.from({ length: count }, (_, n) => registered(`APP-${n % 10}`, { port: 10_000 + n, id: `i:${n}` }));

/** Answers when told to; writes down how many were waiting at once. */
function gate() {
  const waiting: (() => void)[] = [];
  const state = { most: 0, asked: 0 };
  const network = () =>
    new Promise<Response>((resolve) => {
      state.asked += 1;
      waiting.push(() => resolve(Response.json({ status: "UP" })));
      state.most = Math.max(state.most, waiting.length);
    });
  const open = async () => {
    for (let idle = 0; idle < 20; idle++) {
      if (waiting.length > 0) idle = 0;
      for (const answer of waiting.splice(0)) answer();
      await new Promise(setImmediate);
    }
  };
  return { state, network, open };
}

describe("Asking instances for their health", () => {
  test("is a GET that carries no credential and follows the call", async () => {
    const { request, probed } = dashboardOf([registered("SHOP", { healthCheckUrl: "http://user:canary@10.0.0.7:9000/manage/health?full=1#x" })]);
    await request("/", { headers: { "x-request-id": "request-1234", authorization: `Basic ${btoa("eureka:open-sesame")}`, cookie: "a=b" } });
    const [asked] = probed;
    expect(asked).toMatchObject({ method: "GET", url: "http://10.0.0.7:9000/manage/health?full=1", redirect: "manual" });
    expect(asked!.headers.get("x-request-id")).toBe("request-1234");
    expect(asked!.headers.get("authorization")).toBeNull();
    expect(asked!.headers.get("cookie")).toBeNull();
  });

  test.each([
    "169.254.169.254",
    "169.254.169.254.",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "169.254.43518",
    "[::ffff:169.254.169.254]",
    "[::ffff:a9fe:a9fe]",
    "[::169.254.169.254]",
    "[64:ff9b::169.254.169.254]",
    "[fe80::1]",
    "[febf::1]",
    "[fd00:ec2::254]",
    "[ff02::1]",
    "[::]",
    "0.0.0.0",
    "0",
    "224.0.0.1",
    "255.255.255.255",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "metadata.google.internal",
    "METADATA.google.internal.",
    "user:password@169.254.169.254",
  ])("never goes to %s", async (host) => {
    const { request, probed } = dashboardOf([registered("SHOP", { healthCheckUrl: `http://${host}/latest/meta-data/` })]);
    const text = await (await request()).text();
    expect(probed).toEqual([]);
    expect(text).toContain("Health: its address is not one that may be asked");
  });

  test.each(["127.0.0.1", "[::1]", "10.0.0.7", "192.168.1.4", "172.16.0.9", "[fd12:3456::1]", "100.64.0.1", "shop.internal", "16.25.4.1"])("goes to %s: services live there", async (host) => {
    const { request, probed } = dashboardOf([registered("SHOP", { healthCheckUrl: `http://${host}:9000/health` })]);
    await request();
    expect(probed).toHaveLength(1);
  });

  test("asks nobody who is gone", async () => {
    const { request, probed } = dashboardOf([registered("SHOP", { gone: { at: START, reason: "evicted" } })]);
    await request();
    expect(probed).toEqual([]);
  });

  test("asks at most sixteen at once, of all who look together, and each once for all of them", async () => {
    const { state, network, open } = gate();
    const { request } = dashboardOf(many(50), { network });
    const pages = Promise.all(Array.from({ length: 8 }, () => request()));
    await open();
    for (const page of await pages) expect(page.status).toBe(200);
    expect(state).toEqual({ most: 16, asked: 50 });
  });

  test("asks again after three seconds, not before, and where the clock has jumped back", async () => {
    const { request, probed, clock } = dashboardOf([registered("SHOP")]);
    const askedAfter = async (milliseconds: number) => {
      clock.time += milliseconds;
      await request();
      return probed.length;
    };
    expect([await askedAfter(0), await askedAfter(2999), await askedAfter(1), await askedAfter(-60_000)]).toEqual([1, 1, 2, 3]);
  });

  test("waits for nothing that another request began where requests may not wait for each other, but keeps what it brought", async () => {
    const { state, network, open } = gate();
    const { request } = dashboardOf([registered("SHOP")], { network, sharesPending: false });
    const pages = Promise.all([request(), request()]);
    await open();
    await pages;
    expect(state.asked).toBe(2);
    await request();
    expect(state.asked).toBe(2);
  });

  test("starts nothing that its page cannot wait for, and the page says so", async () => {
    const slow = { time: START };
    const network = () => {
      slow.time += 400;
      return Response.json({ status: "UP" });
    };
    const { request } = dashboardOf([...platformOf(), ...many(50)], { network, now: () => slow.time });
    const text = await (await request()).text();
    expect(text).toContain("Health: there was no time to ask");
    expect(text).toContain("All five services are up.");
    expect(slow.time - START).toBeLessThan(2500);
  });

  test("reads as much of a health as a page can show", async () => {
    const components = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`part-${n}`, { status: "UP" }]));
    const deep = JSON.parse(`${'{"status":"UP","components":{"a":'.repeat(1000)}{"status":"UP"}${"}}".repeat(1000)}`) as object;
    const answers = { 9001: () => Response.json({ status: "UP", components }), 9002: () => Response.json(deep), 9003: () => Response.json({ status: 7 }) };
    const { request } = dashboardOf([9001, 9002, 9003].map((port) => registered("SHOP", { port })), { answers });
    const text = await (await request()).text();
    expect(text).toMatch(/100 components.*part-29.*and 70 more/s);
    expect(text).not.toContain("part-30");
    expect(text).toContain("a / a / a / a / a");
    expect(text).toContain("It answers, but not with its health");
  });
});
