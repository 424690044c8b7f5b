import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { testRegistry, type TestRegistry } from "./service.ts";

let registry: TestRegistry;
beforeAll(async () => {
  registry = await testRegistry();
});
afterAll(() => registry.close());
beforeEach(() => registry.database.reset());

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
