import { describe, expect, test } from "vitest";
import type { Fetch } from "../../src/http/fetch.ts";
import { ask, gatewayWithRegistry, refused, three } from "./registered.ts";

const MINUTE = 60_000;

describe("The registry", () => {
  test("is asked once in five seconds, however many requests come", async () => {
    const platform = gatewayWithRegistry();
    three(platform);
    await Promise.all(Array.from({ length: 64 }, () => ask(platform, 2)));
    platform.clock.offset += 4000;
    await ask(platform, 1);
    expect(platform.registry.seen).toHaveLength(1);
    platform.clock.offset += 1001;
    await Promise.all(Array.from({ length: 64 }, () => ask(platform, 1)));
    expect(platform.registry.seen).toHaveLength(2);
  });

  test("is asked by each request for itself where one may not wait for another's", async () => {
    const platform = gatewayWithRegistry({ sharesPending: false });
    three(platform);
    const { server } = platform.registry;
    let isFirst = true;
    server.wire = (request, pass) => {
      const isHanging = isFirst;
      isFirst = false;
      return isHanging ? new Promise<Response>(() => {}) : pass(request);
    };
    const hanging = platform.app.request("/orders/x");
    expect(await ask(platform, 2)).toEqual([200, 200]);
    expect(platform.registry.seen).toHaveLength(1);
    expect((await hanging).status).toBe(504);
  });

  const FAULTS: [string, Fetch][] = [
    ["is not there", refused],
    ["never answers", () => new Promise(() => {})],
    ["refuses the credential", () => new Response(null, { status: 401 })],
    ["fails", () => new Response("<h1>", { status: 500 })],
    ["redirects", () => Response.redirect("http://169.254.169.254/", 302)],
    ["answers with nonsense", () => new Response("\0{")],
    ["answers with 50 MiB", () => new Response(new Uint8Array(50 * 1024 * 1024).fill(32))],
    ["ends in the middle", () => new Response('{"application":{"name":"ORDERS","instance":[')],
  ];

  test.each(FAULTS)("that %s is done without for five minutes by what it said, asked seldom, and logged once", async (_, fault) => {
    const platform = gatewayWithRegistry();
    const { counts } = three(platform);
    await ask(platform, 3);
    let asked = 0;
    platform.registry.server.wire = (request) => ((asked += 1), fault(request));
    for (const minute of [2, 4]) {
      platform.clock.offset = minute * MINUTE;
      expect(await ask(platform, 6)).toEqual([200, 200, 200, 200, 200, 200]);
    }
    expect(asked).toBe(2);
    expect(counts()).toEqual([5, 5, 5]);
    expect(platform.lines.filter(({ message }) => message !== "request").map(({ level }) => level)).toEqual(["warn"]);
    expect(JSON.stringify(platform.lines)).not.toMatch(/correct|horse/);
    platform.clock.offset = 5 * MINUTE + 1000;
    expect((await ask(platform, 1))[0]).toBeGreaterThanOrEqual(502);
    platform.registry.server.wire = undefined;
    platform.clock.offset += 5001;
    expect(await ask(platform, 3)).toEqual([200, 200, 200]);
    expect(platform.lines.filter(({ message, code }) => message !== "request" && code === undefined).map(({ level }) => level)).toEqual(["warn", "info"]);
  });

  test.each(FAULTS)("that %s from the start is a documented problem, in time, and our own services are there", async (_, fault) => {
    const platform = gatewayWithRegistry();
    platform.registry.server.wire = fault;
    const began = performance.now();
    const responses = await Promise.all(Array.from({ length: 8 }, () => platform.app.request("/orders/x")));
    expect(performance.now() - began).toBeLessThan(2500);
    for (const response of responses) {
      expect([502, 503, 504]).toContain(response.status);
      expect(response.headers.get("content-type")).toBe("application/problem+json");
      expect(await response.text()).not.toMatch(/correct|horse|registry\.test/);
    }
    expect((await platform.app.request("/api/users/me")).status).toBe(200);
  });

  test("that does not know the application any more is believed", async () => {
    const platform = gatewayWithRegistry();
    three(platform);
    await ask(platform, 1);
    platform.registry.instances.clear();
    platform.clock.offset += 5001;
    expect(await ask(platform, 1)).toEqual([503]);
  });

  test("is asked again after the clock was set back", async () => {
    const platform = gatewayWithRegistry();
    three(platform);
    await ask(platform, 1);
    platform.registry.instances.clear();
    platform.clock.offset = -60 * MINUTE;
    expect(await ask(platform, 1)).toEqual([503]);
  });
});
