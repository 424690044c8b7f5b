import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AUTHORIZATION, instanceOf, testRegistry, type TestRegistry } from "./service.ts";

let registry: TestRegistry;
beforeAll(async () => {
  registry = await testRegistry();
});
afterAll(() => registry.close());
beforeEach(() => registry.database.reset());

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
