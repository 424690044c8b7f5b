import { afterAll, beforeAll, expect, test } from "vitest";
import { XMLParser } from "fast-xml-parser";
import { findings } from "../http/linter.ts";
import { testRegistry, type TestRegistry } from "./service.ts";

let registry: TestRegistry;
let document: any;
beforeAll(async () => {
  registry = await testRegistry();
  document = await (await registry.fetch(new Request("http://discovery.test/v3/api-docs"))).json();
});
afterAll(() => registry.close());

test("the document passes a public linter's strictest rules", async () => {
  expect(await findings(document)).toEqual([]);
});

test("every operation of the wire is described, with the credential it needs", () => {
  const operations = Object.entries<any>(document.paths).flatMap(([path, methods]) => Object.entries<any>(methods).map(([method, { security }]) => `${method} ${path} ${JSON.stringify(security)}`));
  expect(operations.toSorted()).toEqual(
    [
      "post /eureka/apps/{app}",
      "put /eureka/apps/{app}/{id}",
      "delete /eureka/apps/{app}/{id}",
      "put /eureka/apps/{app}/{id}/status",
      "delete /eureka/apps/{app}/{id}/status",
      "put /eureka/apps/{app}/{id}/metadata",
      "get /eureka/apps",
      "get /eureka/apps/delta",
      "get /eureka/apps/{app}",
      "get /eureka/apps/{app}/{id}",
      "get /eureka/instances/{id}",
      "get /eureka/vips/{vip}",
      "get /eureka/svips/{svip}",
    ]
      .map((operation) => `${operation} [{"basic":[]}]`)
      .toSorted(),
  );
});

test("the examples of a registration are accepted, and come back as the examples of an instance", async () => {
  const { requestBody } = document.paths["/eureka/apps/{app}"].post;
  const { responses } = document.paths["/eureka/instances/{id}"].get;
  for (const [type, { example }] of Object.entries<any>(requestBody.content)) {
    await registry.database.reset();
    const sent = type === "application/json" ? { json: example } : { xml: example };
    expect((await registry.send("/apps/ORDERS", { method: "POST", ...sent })).status).toBe(204);
    const found = await registry.send("/instances/orders-1:orders:9000", { headers: { accept: type } });
    const text = await found.text();
    const expected = responses[200].content[type].example;
    if (type === "application/json") expect(Object.keys(JSON.parse(text).instance).toSorted()).toEqual(Object.keys(expected.instance).toSorted());
    else expect(new XMLParser().parse(text).instance).toMatchObject(withoutLease(new XMLParser().parse(expected).instance));
  }
});

function withoutLease(instance: Record<string, unknown>): Record<string, unknown> {
  return { ...instance, leaseInfo: expect.any(Object) };
}
