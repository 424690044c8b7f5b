import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { getRequestListener } from "@hono/node-server";
import { Eureka } from "eureka-js-client";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { CREDENTIAL, instanceOf, testRegistry, type TestRegistry } from "./service.ts";

let registry: TestRegistry;
let server: Server;
beforeAll(async () => {
  registry = await testRegistry({ DISCOVERY_SELF_PRESERVATION: "off" });
  server = createServer(getRequestListener(registry.fetch)).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await registry.close();
});
beforeEach(() => registry.database.reset());

/** A stranger's client, as its own documentation sets it up. */
function stranger({ password = CREDENTIAL.password, ...eureka }: Record<string, unknown> = {}) {
  const quiet = () => {};
  const { port } = server.address() as AddressInfo;
  const client = new Eureka({
    logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    instance: { ...instanceOf({ id: "js-1", app: "js-app", metadata: { zone: "z1", note: "a <b> & ü" } }), hostName: "js.example", vipAddress: "js.vip" },
    eureka: { host: "127.0.0.1", port, servicePath: "/eureka/apps/", maxRetries: 0, heartbeatInterval: 3_600_000, registryFetchInterval: 3_600_000, ...eureka },
    requestMiddleware: (options: object, done: (options: object) => void) => done({ ...options, auth: { user: CREDENTIAL.username, password } }),
  });
  return Object.assign(client, { started: () => promisify(client.start.bind(client))(), stopped: () => promisify(client.stop.bind(client))() });
}

const fetched = (client: Eureka) => promisify(client.fetchRegistry.bind(client))();

test.each(["/eureka/apps/", "/eureka/v2/apps/"])("eureka-js-client registers, beats, queries and cancels below %s", async (servicePath) => {
  await registry.register({ id: "other" });
  const client = stranger({ servicePath });
  await client.started();
  expect(await registry.listed()).toEqual({ other: "UP", "js-1": "UP" });
  expect(client.getInstancesByAppId("JS-APP")).toMatchObject([{ instanceId: "js-1", status: "UP", metadata: { zone: "z1", note: "a <b> & ü" } }]);
  expect(client.getInstancesByVipAddress("orders")).toMatchObject([{ instanceId: "other", hostName: "orders.example" }]);

  registry.clock.time += 60_000;
  client.renew();
  await once(client, "heartbeat");
  await registry.sweep();
  registry.clock.time += 60_000;
  expect(await registry.listed(), "who did not beat is gone").toEqual({ "js-1": "UP" });

  await client.stopped();
  expect(await registry.listed()).toEqual({});
});

test("eureka-js-client follows the changes", async () => {
  const client = stranger({ shouldUseDelta: true });
  await client.started();
  await fetched(client);
  await registry.register({ id: "came" });
  await fetched(client);
  expect(client.getInstancesByVipAddress("orders")).toHaveLength(1);
  await registry.send("/apps/ORDERS/came/status?value=OUT_OF_SERVICE", { method: "PUT" });
  await fetched(client);
  expect(client.getInstancesByVipAddress("orders")).toHaveLength(0);
  await client.stopped();
});

test("eureka-js-client registers again after it was forgotten", async () => {
  const client = stranger();
  await client.started();
  await registry.send("/apps/JS-APP/js-1", { method: "DELETE" });
  const registeredAgain = once(client, "registered");
  client.renew();
  await registeredAgain;
  expect(await registry.listed()).toEqual({ "js-1": "UP" });
  await client.stopped();
});

test("eureka-js-client with another password does not get in", async () => {
  await expect(stranger({ password: "wrong" }).started()).rejects.toThrow(/401/);
  expect(await registry.listed()).toEqual({});
});
