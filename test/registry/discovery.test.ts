import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { LogEntry } from "../../src/http/log.ts";
import { registry } from "../../src/registry/eureka.ts";
import { registration } from "../../src/registry/registration.ts";
import { CREDENTIAL, testRegistry, type TestRegistry } from "../discovery/service.ts";
import { gatewayBefore, recorder } from "../gateway/platform.ts";
import { callOf } from "./server.ts";

const URL_OF_IT = `http://${CREDENTIAL.username}:${encodeURIComponent(CREDENTIAL.password)}@discovery.test/eureka`;

let discovery: TestRegistry;
beforeAll(async () => {
  discovery = await testRegistry();
});
beforeEach(() => discovery.database.reset());
afterAll(() => discovery.close());

const clientOf = ({ url = URL_OF_IT, now = Date.now } = {}) => registry({ url, fetch: discovery.fetch, now });

/** An instance of our own at `port`, and what it has logged. */
function starting(name: string, port: number) {
  const log: LogEntry[] = [];
  const instance = { name, hostName: "localhost", ipAddr: "127.0.0.1", port };
  const now = () => discovery.clock.time;
  return { log, ...registration({ registry: clientOf({ now }), instance, now, log: (line) => log.push(line) }) };
}

function gatewayBeforeOrders() {
  const clock = { offset: 0 };
  const instances: Record<string, ReturnType<typeof recorder>> = { "localhost:9001": recorder(), "localhost:9002": recorder() };
  const fetch = (request: Request) => instances[new URL(request.url).host]!.fetch(request);
  const now = () => Date.now() + clock.offset;
  const { app } = gatewayBefore({ now, applications: { registry: clientOf({ now }), names: ["orders"], fetch, sharesPending: true } });
  const counts = async (times: number) => {
    clock.offset += 6000;
    const statuses = new Set<number>();
    for (let i = 0; i < times; i++) statuses.add((await app.request("/orders/x")).status);
    return { statuses: [...statuses], counts: Object.values(instances).map(({ seen }) => seen.splice(0).length) };
  };
  return { app, counts };
}

test("The discovery service takes our registration, renewals and leave", async () => {
  const { beat, cancel, log } = starting("user-service", 8086);
  await beat();
  const { application } = await discovery.read("/apps/USER-SERVICE");
  expect(application.instance).toMatchObject([
    { instanceId: "localhost:user-service:8086", app: "USER-SERVICE", status: "UP", vipAddress: "user-service", homePageUrl: "http://localhost:8086/", metadata: { documents: "/v3/api-docs" } },
  ]);
  await beat();
  expect(await clientOf().instances(callOf(), "user-service")).toEqual([{ id: "localhost:user-service:8086", status: "UP", url: "http://localhost:8086" }]);
  await cancel();
  expect(await discovery.listed()).toEqual({});
  expect(await clientOf().instances(callOf(), "user-service")).toEqual([]);
  expect(log.map(({ level, message }) => `${level} ${message}`)).toEqual(["info Registered"]);
});

test("An instance that the discovery service has let go of registers again at its next beat", async () => {
  const { beat } = starting("user-service", 8086);
  await beat();
  await discovery.send("/apps/USER-SERVICE/localhost:user-service:8086", { method: "DELETE" });
  expect(await discovery.listed()).toEqual({});
  await beat();
  expect(await discovery.listed()).toEqual({ "localhost:user-service:8086": "UP" });
});

test("A wrong credential registers nobody, and is logged without itself", async () => {
  const log: LogEntry[] = [];
  const instance = { name: "user-service", hostName: "localhost", ipAddr: "127.0.0.1", port: 8086 };
  const { beat } = registration({ registry: clientOf({ url: "http://eureka:canary@discovery.test/eureka" }), instance, now: Date.now, log: (line) => log.push(line) });
  await beat();
  await beat();
  expect(await discovery.listed()).toEqual({});
  expect(log).toMatchObject([{ level: "warn", message: "Cannot register for now" }]);
  expect(JSON.stringify(log)).not.toContain("canary");
});

test("The gateway leads to what is registered there and up, as it comes, is put out of service, and goes", async () => {
  const [one, two] = [starting("orders", 9001), starting("orders", 9002)];
  const { counts } = gatewayBeforeOrders();
  expect(await counts(2)).toEqual({ statuses: [503], counts: [0, 0] });
  await one.beat();
  expect(await counts(4)).toEqual({ statuses: [200], counts: [4, 0] });
  await two.beat();
  expect(await counts(4)).toEqual({ statuses: [200], counts: [2, 2] });
  await discovery.send("/apps/ORDERS/localhost:orders:9001/status?value=OUT_OF_SERVICE", { method: "PUT" });
  await one.beat();
  expect(await counts(4)).toEqual({ statuses: [200], counts: [0, 4] });
  await discovery.send("/apps/ORDERS/localhost:orders:9001/status?value=UP", { method: "DELETE" });
  await two.cancel();
  expect(await counts(4)).toEqual({ statuses: [200], counts: [4, 0] });
  await one.cancel();
  expect(await counts(2)).toEqual({ statuses: [503], counts: [0, 0] });
});

test("The gateway offers the documents of those of our services that are registered there", async () => {
  const { app } = gatewayBeforeOrders();
  for (const [name, port] of [["gateway", 8080], ["user-service", 8086], ["orders", 9001]] as const) await starting(name, port).beat();
  const { urls } = (await (await app.request("/v3/api-docs/swagger-config")).json()) as { urls: { name: string }[] };
  expect(urls.map(({ name }) => name)).toEqual(["user-service", "orders", "gateway"]);
});
