import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { MAX_LIVE } from "../../src/discovery/tables.ts";
import { contentOf, statusesIn, testRegistry, type TestRegistry } from "./service.ts";

let registry: TestRegistry;
beforeAll(async () => {
  registry = await testRegistry({ DISCOVERY_SELF_PRESERVATION: "off", LOOPBACK: "on" });
  await registry.register({ id: "orders-0" });
  await multiply(MAX_LIVE - 2);
});
afterAll(() => registry.close());

/** As many more like the one that is registered, past the wire. */
async function multiply(count: number): Promise<void> {
  const columns = "details, status, overridden, last_dirty, renewal_seconds, lease_seconds, lease_ends, registered_at, renewed_at, updated_at, up_at, joined, action, changed";
  await registry.database.query(
    `INSERT INTO discovery.instances (app, id, version, ${columns})
     SELECT 'APP-' || n % 100, 'bulk-' || n, version + n, ${columns} FROM discovery.instances, generate_series(1, ${count}) AS n`,
  );
  await registry.database.query(`UPDATE discovery.registry SET version = version + ${count}`);
  await registry.database.query(`UPDATE discovery.capacity SET live = live + ${count}`);
}

test("the registry holds ten thousand, and refuses one more, whoever asks at once", async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => registry.register({ id: `last-${index}` })));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([204, ...Array(7).fill(507)]);
  const refused = answers.find(({ status }) => status === 507)!;
  expect(await refused.json()).toEqual({ error: "the registry is full" });
  expect((await registry.register({ id: "orders-0" })).status, "one that is there may register again").toBe(204);
});

test("all ten thousand are listed, in JSON, in XML and compressed, and a change is there at once", async () => {
  const forms: Record<string, Record<string, string>> = {
    json: { accept: "application/json" },
    gzip: { accept: "application/json", "accept-encoding": "gzip" },
    xml: { accept: "application/xml" },
    compact: { accept: "application/json", "x-eureka-accept": "compact" },
  };
  const sizes: Record<string, number> = {};
  for (const [name, headers] of Object.entries(forms)) {
    const answer = await registry.send("/apps/", { headers });
    expect(answer.status).toBe(200);
    sizes[name] = (await answer.arrayBuffer()).byteLength;
  }
  expect(sizes["json"]).toBeGreaterThan(600 * MAX_LIVE);
  expect(sizes["gzip"]).toBeLessThan(sizes["json"]! / 10);
  expect(sizes["compact"]).toBeLessThan(sizes["json"]! * 0.6);

  const document = await registry.read("/apps/");
  expect(Object.keys(statusesIn(document))).toHaveLength(MAX_LIVE);
  expect(document.applications.apps__hashcode).toBe(`UP_${MAX_LIVE}_`);
  await registry.register({ id: "orders-0", status: "DOWN" });
  expect((await registry.read("/apps/")).applications.apps__hashcode).toBe(`DOWN_1_UP_${MAX_LIVE - 1}_`);
  expect((await registry.read("/apps/delta")).applications.apps__hashcode).toBe(`DOWN_1_UP_${MAX_LIVE - 1}_`);
  expect((await registry.read("/apps/APP-1")).application.instance).toHaveLength(MAX_LIVE / 100);
});

test("the dashboard reads them once, and then what changed, however many look", async () => {
  const view = async () => (await registry.fetch(new Request("http://localhost:8761/"))).text();
  expect(await view()).toContain("10,000");
  await registry.register({ id: "orders-0", status: "OUT_OF_SERVICE" });
  registry.traffic.bytes = 0;
  const pages = await Promise.all(Array.from({ length: 10 }, view));
  for (const page of pages) expect(page).toContain("9,999");
  expect(registry.traffic.bytes).toBeLessThan(100 * MAX_LIVE);
});

test("the changes are compressed once for all who ask, and again when there are others", async () => {
  const compressions = vi.spyOn(globalThis, "CompressionStream");
  const ask = (accept = "application/json") => registry.send("/apps/delta", { headers: { accept, "accept-encoding": "gzip" } });
  const changes = async () => contentOf(await ask());
  await registry.register({ id: "orders-0", status: "UP" });
  const first = await changes();
  for (let time = 0; time < 5; time++) expect((await changes()) === first).toBe(true);
  await ask("application/xml");
  expect(compressions).toHaveBeenCalledTimes(2);
  await registry.register({ id: "orders-0", status: "DOWN" });
  expect(await changes()).toContain(`"apps__hashcode":"DOWN_1_UP_${MAX_LIVE - 1}_"`);
  expect(compressions).toHaveBeenCalledTimes(3);
  compressions.mockRestore();
});

test("all ten thousand are evicted when nobody renews, and there is room again", async () => {
  for (let waited = 0; waited < 120_000; waited += 15_000) {
    registry.clock.time += 15_000;
    await registry.sweep();
  }
  expect(await registry.listed()).toEqual({});
  expect((await registry.register({ id: "next" })).status).toBe(204);
  expect(await registry.listed()).toEqual({ next: "UP" });
  const kept = await registry.database.query("SELECT count(*) FROM discovery.instances");
  expect(Number(kept[0]?.["count"])).toBeLessThanOrEqual(1001);
});
