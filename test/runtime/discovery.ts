import { readFileSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { client, credentialClient } from "./client.ts";
import type { Launched } from "./launch.ts";
import { statusFor } from "./raw.ts";

/** `isOnDemand`: nothing runs between requests that could send heartbeats. */
type At = { platform: Launched; request: ReturnType<typeof client>; isOnDemand: boolean };

const SERVICES = ["user-service", "auth-service", "admin-service", "discovery-service", "config-server"];
const XML = { accept: "application/xml" };
const JSON_GZIP = { accept: "application/json", "accept-encoding": "gzip" };

/** What a Spring service and a browser do at the registry, and what the gateway makes of it. */
export function discovery(at: () => At): void {
  const page = async (url: string) => (await fetch(url)).text();
  const registry: ReturnType<typeof credentialClient> = (path, init) => credentialClient(at().platform.registerAt)(path, init);
  const register = (instance: Record<string, unknown>) => registry(`/apps/${String(instance["app"])}`, { json: { instance } });

  test("the dashboard shows the five services up to whoever is at this machine, and to nobody by another name", async () => {
    const { platform, isOnDemand } = at();
    await expect.poll(() => page(platform.discovery), { timeout: 10_000 }).toContain("All five services are up.");
    const shown = await page(platform.discovery);
    const count = (text: string) => shown.split(text).length - 1;
    expect({ onDemand: count("now, on demand"), beating: count("<dt>Last heartbeat</dt>") }).toEqual(isOnDemand ? { onDemand: 5, beating: 0 } : { onDemand: 0, beating: 5 });
    for (const url of [platform.discovery, `${platform.configuration}/auth-service/dev`]) {
      expect([await statusFor(new URL(url).host, url), await statusFor("rebound.example", url)]).toEqual([200, 401]);
    }
  });

  test("a Spring service registers with the printed URL, beats, reads the registry in JSON and XML, and leaves", async () => {
    const { app, instanceId, lastDirtyTimestamp } = RECORDED;
    const path = `/apps/${app}`;
    const origin = new URL(at().platform.registerAt).origin;
    for (const authorization of ["", `Basic ${btoa("eureka:a-guess")}`]) {
      const refused = await fetch(`${origin}/eureka${path}`, { method: "POST", headers: { "content-type": "application/json", authorization }, body: JSON.stringify({ instance: RECORDED }) });
      expect([refused.status, await refused.text()]).toEqual([401, ""]);
    }
    expect((await registry(path)).status).toBe(404);

    expect((await register(RECORDED)).status).toBe(204);
    const beat = () => registry(`${path}/${instanceId}?status=UP&lastDirtyTimestamp=${lastDirtyTimestamp}`, { method: "PUT" });
    expect((await beat()).status).toBe(200);
    const all = await registry("/apps/", { headers: JSON_GZIP });
    expect(all.status).toBe(200);
    // Locally, what a Worker has compressed comes unpacked.
    if (!at().isOnDemand) expect(all.headers.get("content-encoding")).toBe("gzip");
    const applications = all.body["applications"].application as { name: string; instance: unknown[] }[];
    expect(applications.find(({ name }) => name === app)?.instance).toEqual([expect.objectContaining({ instanceId, status: "UP", metadata: RECORDED["metadata"] })]);
    const plain = await registry("/apps/", { headers: { ...JSON_GZIP, "accept-encoding": "identity" } });
    expect({ text: plain.text, encoding: plain.headers.get("content-encoding") }).toEqual({ text: all.text, encoding: null });
    const xml = await registry(path, { headers: XML });
    expect({ type: xml.headers.get("content-type"), text: xml.text }).toEqual({ type: "application/xml", text: expect.stringContaining(`<instanceId>${String(instanceId)}</instanceId>`) });
    expect(xml.text).toContain("<note>a &lt;b&gt; &amp; &quot;c&quot;</note>");

    expect((await registry(`${path}/${instanceId}`, { method: "DELETE" })).status).toBe(200);
    expect([(await registry(path)).status, (await beat()).status]).toEqual([404, 404]);
  });

  describe("an application that the gateway may lead to", () => {
    const orders = createServer(({ url, headers }, response) => response.setHeader("content-type", "application/json").end(JSON.stringify({ url, prefix: headers["x-forwarded-prefix"] })));
    beforeAll(async () => {
      await once(orders.listen(0, "127.0.0.1"), "listening");
    });
    afterAll(() => {
      orders.closeAllConnections();
      orders.close();
    });

    test("is reached there where it has registered", async () => {
      const { request } = at();
      expect((await register(ordersAt((orders.address() as AddressInfo).port))).status).toBe(204);
      // For some seconds the gateway goes by what the registry said before.
      await expect.poll(async () => (await request("/orders/api/orders")).status, { timeout: 10_000, interval: 250 }).toBe(200);
      expect((await request("/orders/api/orders?page=2")).body).toEqual({ url: "/api/orders?page=2", prefix: "/orders" });
      expect((await request("/orders/internal/api/x")).status).toBe(404);
    });

    test("stands beside all services in the gateway's documents, and these in its health", async () => {
      const { request } = at();
      const components = async () => Object.entries((await request("/actuator/health")).body["components"] as Record<string, { status: string }>);
      const told = async () => (await components()).map(([name, { status }]) => `${name} ${status}`);
      // Each is given less than a second, which a busy machine may not have for it.
      await expect.poll(told, { timeout: 10_000, interval: 250 }).toEqual(SERVICES.map((name) => `${name} UP`).toSorted());
      const { urls } = (await request("/v3/api-docs/swagger-config")).body as { urls: { name: string; url: string }[] };
      expect(urls.map(({ name }) => name)).toEqual([...SERVICES, "orders", "gateway"]);
      for (const { name, url } of urls.filter(({ name }) => name !== "orders")) {
        const { status, body } = await request(url);
        expect({ name, status, version: body["openapi"] }).toEqual({ name, status: 200, version: "3.1.0" });
      }
    });

    test("leaves", async () => {
      const { instanceId } = ordersAt((orders.address() as AddressInfo).port);
      expect((await registry(`/apps/ORDERS/${String(instanceId)}`, { method: "DELETE" })).status).toBe(200);
      expect((await registry("/apps/ORDERS")).status).toBe(404);
    });
  });

  test("the documentation and its script come from the service itself", async () => {
    const { gateway, configuration } = at().platform;
    for (const base of [gateway, configuration]) {
      const html = await page(`${base}/swagger-ui/index.html`);
      const scripts = [...html.matchAll(/<script[^>]* src="([^"]+)"/g)].map(([, src]) => src!);
      expect(scripts).toEqual([expect.stringMatching(/^\/swagger-ui\/scalar\.js\?/), "/swagger-ui/documentation.js"]);
      for (const src of scripts) {
        const script = await fetch(base + src);
        const text = await script.text();
        expect({ src, status: script.status, type: script.headers.get("content-type") }).toEqual({ src, status: 200, type: "text/javascript; charset=utf-8" });
        if (src.includes("scalar")) expect(text).toMatch(/^\/\*\*[^]{1000000}/);
      }
    }
  });

  test("each service says what it is, and what it has counted by route", async () => {
    const { platform } = at();
    const known: [base: string, name: string, route: string][] = [
      [platform.gateway, "gateway", "/api/users/**"],
      [platform.users, "user-service", "/api/users/{userId}"],
      [platform.auth, "auth-service", "/api/auth/authenticate"],
      [platform.admin, "admin-service", "/api/admin/realm-roles"],
      [platform.discovery, "discovery-service", "/eureka/apps/{app}"],
      [platform.configuration, "config-server", "/{application}/{profiles}"],
    ];
    for (const [base, name, route] of known) {
      expect((await client(base)("/actuator/info")).body).toMatchObject({ build: { artifact: name } });
      const metrics = await client(base)("/actuator/prometheus");
      expect({ name, status: metrics.status, text: metrics.text }).toEqual({ name, status: 200, text: expect.stringMatching(counted(route)) });
    }
  });
}

/** A line of at least one request answered well at this route. */
function counted(route: string): RegExp {
  const uri = route.replaceAll(/[{}*]/g, String.raw`\$&`);
  return new RegExp(`^http_server_requests_seconds_count\\{[^\\n]*uri="${uri}"[^\\n]*outcome="SUCCESS"[^\\n]*\\} [1-9]`, "m");
}

/** What a client of Spring Boot 4 registered itself with. */
const RECORDED = readFileSync(new URL("../discovery/transcripts/clients.jsonl", import.meta.url), "utf8")
  .split("\n", 2)
  .map((line) => (JSON.parse(line) as { body?: { instance: Record<string, unknown> } }).body?.instance)
  .find((instance) => instance !== undefined)!;

function ordersAt(port: number): Record<string, unknown> {
  return { ...RECORDED, app: "ORDERS", instanceId: `localhost:orders:${port}`, vipAddress: "orders", secureVipAddress: "orders", port: { $: port, "@enabled": "true" } };
}
