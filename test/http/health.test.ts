import { afterAll, beforeAll, expect, test } from "vitest";
import type { Health } from "../../src/http/health.ts";
import { gatewayBefore } from "../gateway/platform.ts";
import { type TestPlatform, testPlatform, type Wires } from "../platform.ts";
import { actuator } from "./actuator.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await testPlatform();
});
afterAll(() => platform.close());

const TYPE = "application/vnd.spring-boot.actuator.v3+json";
const groups = ["liveness", "readiness"];
const db = { status: "UP", details: { database: "PostgreSQL" } };

const away: Wires = { database: () => Promise.reject(new TypeError("connect ECONNREFUSED 10.0.0.1:5432 password=hunter2")) };
const silent: Wires = { database: () => new Promise<never>(() => {}) };

type Asked = { request: (path: string, init: { service: "users" | "auth" }) => Response | Promise<Response> };

async function healthOf({ request }: Asked, path: string, service: "users" | "auth" = "users") {
  const answer = await request(path, { service });
  return { status: answer.status, type: answer.headers.get("content-type"), body: (await answer.json()) as unknown };
}

test("names what each service stands on", async () => {
  const identityProvider = { status: "UP" };
  // A platform that has just come up may be asked before all of it has answered once.
  const soon = { timeout: 10_000 };
  await expect.poll(() => healthOf(platform, "/actuator/health"), soon).toMatchObject({ status: 200, type: TYPE, body: { status: "UP", components: { db, identityProvider }, groups } });
  await expect.poll(() => healthOf(platform, "/actuator/health", "auth"), soon).toMatchObject({ status: 200, type: TYPE, body: { status: "UP", components: { identityProvider, userService: { status: "UP" } }, groups } });
  expect(await healthOf(platform, "/actuator/health/db")).toEqual({ status: 200, type: TYPE, body: db });
});

test("a neighbour that is away or silent makes its component DOWN and not the others; the service lives and is ready", async () => {
  for (const [wires, error] of [[away, "Not available"], [silent, "No answer in time"]] as const) {
    const down = platform.instance(wires);
    const broken = { status: "DOWN", details: { error } };
    expect(await healthOf(down, "/actuator/health")).toMatchObject({ status: 503, type: TYPE, body: { status: "DOWN", components: { db: broken, identityProvider: { status: "UP" } }, groups } });
    for (const path of groups) expect(await healthOf(down, `/actuator/health/${path}`)).toEqual({ status: 200, type: TYPE, body: { status: "UP" } });
    expect((await healthOf(down, "/actuator/health/identityProvider")).status).toBe(200);
  }
  const lone = platform.instance({ identity: () => new Response("busy", { status: 503 }) });
  expect(await healthOf(lone, "/actuator/health", "auth")).toMatchObject({ status: 503, body: { components: { identityProvider: { status: "DOWN" } } } });
});

test("an identity provider that calls itself otherwise than we do is DOWN: no token of it is accepted", async () => {
  const alias = platform.instance({
    async identity(request, pass) {
      const response = await pass(request);
      return /\/realms\/[^/]+$/.test(request.url) ? new Response((await response.text()).replaceAll("http://", "https://"), response) : response;
    },
  });
  for (const service of ["users", "auth"] as const) {
    expect(await healthOf(alias, "/actuator/health/identityProvider", service)).toMatchObject({ status: 503, body: { status: "DOWN", details: { error: "Not available" } } });
  }
});

test("liveness and readiness ask nobody, and a component's path asks nobody but that component", async () => {
  const asked: string[] = [];
  const check = (name: string) => [name, () => (asked.push(name), Promise.resolve<Health>({ status: "UP" }))] as const;
  const app = actuator(Object.fromEntries(["db", "broker"].map(check)));
  for (const path of ["liveness", "readiness", "liveness/db", "nothing"]) await app.request(`/actuator/health/${path}`);
  expect(asked).toEqual([]);
  await app.request("/actuator/health/db");
  expect(asked).toEqual(["db"]);
});

test("a component that is not there is not found, whatever objects inherit, without a word", async () => {
  const app = actuator({ db: () => Promise.resolve<Health>({ status: "UP", components: { primary: { status: "UP" } } }) });
  expect((await app.request("/actuator/health/db/primary")).status).toBe(200);
  for (const path of ["x", "__proto__", "constructor", "toString", "hasOwnProperty", "Db", "db/", "/db", "db/x", "db/__proto__", "db/primary/x", "liveness/"]) {
    const answer = await app.request(`/actuator/health/${path}`);
    expect({ path, status: answer.status, type: answer.headers.get("content-type"), text: await answer.text() }).toEqual({ path, status: 404, type: null, text: "" });
  }
});

/** A gateway before services on `wires`. */
function before(wires: Wires): Asked {
  const services = platform.instance(wires);
  const fetch = (service: "users" | "auth") => ({ fetch: (request: Request) => services.request(new URL(request.url).pathname, { service, headers: request.headers }) });
  const { app } = gatewayBefore({ users: fetch("users"), auth: fetch("auth") });
  return { request: (path) => app.request(path) };
}

test("the gateway has every service with its components, each at a path of its own", async () => {
  const app = before({});
  const { status, body } = await healthOf(app, "/actuator/health");
  expect({ status, body }).toMatchObject({ status: 200, body: { status: "UP", components: { "user-service": { status: "UP", components: { db: { status: "UP" } } }, "auth-service": { status: "UP" } }, groups } });
  expect(await healthOf(app, "/actuator/health/user-service/db")).toEqual({ status: 200, type: TYPE, body: { status: "UP" } });
  for (const path of ["user-service/nothing", "nobody", "nobody/db"]) {
    expect((await app.request(`/actuator/health/${path}`, { service: "users" })).status).toBe(404);
  }
});

test.each([["away", away, "Not available"], ["silent", silent, "No answer in time"]])(
  "the gateway names the very system that is %s behind a service, and stays live and ready",
  async (_, wires, error) => {
    const app = before(wires);
    const broken = { status: "DOWN", details: { error } };
    const whole = await healthOf(app, "/actuator/health");
    expect(whole).toMatchObject({ status: 503, body: { status: "DOWN", components: { "user-service": { status: "DOWN", components: { db: broken, identityProvider: { status: "UP" } } } } } });
    expect(await healthOf(app, "/actuator/health/user-service/db")).toEqual({ status: 503, type: TYPE, body: broken });
    expect((await healthOf(app, "/actuator/health/user-service/identityProvider")).status).toBe(200);
    for (const path of groups) expect(await healthOf(app, `/actuator/health/${path}`)).toEqual({ status: 200, type: TYPE, body: { status: "UP" } });
    expect(JSON.stringify(whole)).not.toMatch(/10\.0\.0\.1|hunter2/);
  },
);
