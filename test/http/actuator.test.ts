import { expect, test } from "vitest";
import { gatewayBefore } from "../gateway/platform.ts";
import { actuator } from "./actuator.ts";
import { problemOf } from "./problem.ts";

const linksOf = async (answer: Response) => ((await answer.json()) as { _links: Record<string, { href: string; templated: boolean }> })._links;

test("metrics that are open on loopback are so under its names alone", async () => {
  const app = actuator({});
  expect((await app.request("http://127.0.0.1:8086/actuator/prometheus")).status).toBe(200);
  expect((await app.request("http://rebound.example:8086/actuator/prometheus")).status).toBe(401);
});

test("the index leads to what there is, under the address of the request, and forwarded headers change nothing", async () => {
  const headers = { "x-forwarded-host": "evil.example", "x-forwarded-proto": "https", "x-forwarded-prefix": "/x", forwarded: "host=evil.example" };
  const app = actuator();
  for (const [name, { href, templated }] of Object.entries(await linksOf(await app.request("http://a.localhost:8086/actuator", { headers })))) {
    expect(href).toMatch(/^http:\/\/a\.localhost:8086\/actuator(\/|$)/);
    expect(templated).toBe(href.includes("{"));
    if (!templated) expect({ name, status: (await app.request(href)).status }).toEqual({ name, status: 200 });
  }
});

test("the gateway's index has the address that its operator has given it", async () => {
  const { app } = gatewayBefore({ origin: "https://gatehouse.example" });
  expect((await linksOf(await app.request("http://10.0.0.7/actuator")))["health"]).toEqual({ href: "https://gatehouse.example/actuator/health", templated: false });
});

test("metrics that nobody may read are in no index, and not there", async () => {
  const app = actuator({}, { metricsAccess: { isLoopback: false } });
  expect(Object.keys(await linksOf(await app.request("/actuator")))).toEqual(["self", "info", "health", "health-path"]);
  for (const headers of [{}, { authorization: "Bearer " }, { authorization: "Bearer undefined" }]) {
    expect(await problemOf(await app.request("/actuator/prometheus", { headers }))).toEqual({ status: 404, code: "NOT_FOUND_404" });
  }
});

test("info says what runs here, and on what", async () => {
  const answer = await actuator().request("/actuator/info");
  expect(await answer.json()).toEqual({
    app: { name: "probe", description: "What is asked" },
    build: { artifact: "probe", name: "Probe", version: expect.stringMatching(/^\d+\.\d+\.\d+$/), group: "gatehouse" },
    runtime: { name: "Node.js", version: process.versions.node.split(".")[0] },
  });
});

test.each<[accept: string, type: string | undefined]>([
  ["application/json;q=0.5, application/vnd.spring-boot.actuator.v2+json;q=0.9", "application/vnd.spring-boot.actuator.v2+json"],
  ["*/*, application/json", "application/json"],
  ["application/vnd.spring-boot.actuator.v3+json;q=0, */*;q=0.1", "application/vnd.spring-boot.actuator.v2+json"],
  ["APPLICATION/JSON", "application/json"],
  ["application/json;q=0", undefined],
  ["text/*", undefined],
  [",;q=x,/", undefined],
])("an Accept of %j is answered with %s", async (accept, type) => {
  const answer = await actuator().request("/actuator/info", { headers: { accept } });
  if (type === undefined) expect(await problemOf(answer)).toEqual({ status: 406, code: "NOT_ACCEPTABLE_406" });
  else expect({ status: answer.status, type: answer.headers.get("content-type") }).toEqual({ status: 200, type });
});
