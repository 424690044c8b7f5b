import { afterAll, beforeAll, expect, test } from "vitest";
import { discoveryService } from "../../src/compose/discovery.ts";
import { PLATFORM } from "../../src/discovery/dashboard/view.ts";
import { readSettings } from "../../src/env.ts";
import type { Fetch } from "../../src/http/fetch.ts";
import { discoverySettings } from "../../src/settings/services.ts";
import { type TestDatabase, testDatabase } from "../database.ts";
import { AUTHORIZATION, CREDENTIAL, instanceOf } from "./service.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

/** The discovery service with its dashboard as it is composed, on loopback. */
function service() {
  const outside: { database: Fetch } = { database: database.fetch };
  const clock = { time: Date.parse("2026-11-21T14:03:05Z") };
  const env = {
    DATABASE_URL: database.url,
    DATABASE_SQL_URL: "http://database.test/sql",
    DISCOVERY_USERNAME: CREDENTIAL.username,
    DISCOVERY_PASSWORD: CREDENTIAL.password,
    DISCOVERY_SELF_PRESERVATION: "off",
    LOOPBACK: "on",
  };
  const { app, sweep } = discoveryService(readSettings(discoverySettings, env), {
    log: () => {},
    now: () => clock.time,
    sharesPending: true,
    documentationScript: () => new Response(null, { status: 404 }),
    database: (request) => outside.database(request),
    network: () => Response.json({ status: "UP" }),
  });
  const send = async (method: string, path: string, body?: object) => {
    const headers = { authorization: AUTHORIZATION, "content-type": "application/json" };
    return (await app.fetch(new Request(`http://localhost:8761/eureka/apps/${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) }))).status;
  };
  const join = (name: string) => send("POST", name, { instance: instanceOf({ app: name, id: `${name}:1`, healthCheckUrl: "http://10.0.0.7:9000/actuator/health", metadata: { version: "0.1.0" } }) });
  const page = async () => {
    const answer = await app.fetch(new Request("http://localhost:8761/"));
    return { status: answer.status, title: /<title>(.*) · /.exec(await answer.text())?.[1] };
  };
  return { clock, outside, sweep, send, join, page };
}

test("the dashboard shows what registers, one that dies within its lease, and its return", async () => {
  const { clock, sweep, send, join, page } = service();
  expect((await page()).title).toMatch(/^Not registered: gateway, /);
  for (const { app } of PLATFORM) expect(await join(app)).toBe(204);
  expect(await page()).toEqual({ status: 200, title: "All up" });
  for (let beat = 0; beat < 4; beat++) {
    clock.time += 30_000;
    for (const { app } of PLATFORM) if (app !== "USER-SERVICE") expect(await send("PUT", `${app}/${app}:1?status=UP`)).toBe(200);
    await sweep();
  }
  expect(await page()).toEqual({ status: 200, title: "Down: user service" });
  await join("USER-SERVICE");
  expect(await page()).toEqual({ status: 200, title: "All up" });
  await send("DELETE", "GATEWAY/GATEWAY:1");
  expect((await page()).title).toBe("Down: gateway");
});

test.each([["ahead", 3_600_000], ["back", -3_600_000]])("a clock that jumps %s takes nobody down on the dashboard", async (_, jump) => {
  const { clock, join, page } = service();
  for (const { app } of PLATFORM) expect(await join(app)).toBe(204);
  clock.time += jump;
  expect(await page()).toEqual({ status: 200, title: "All up" });
});

test("the dashboard says so while the database is away, and is itself again when that returns", async () => {
  const { outside, page } = service();
  outside.database = () => Promise.reject(new TypeError("connect ECONNREFUSED 127.0.0.1:5480"));
  expect(await page()).toEqual({ status: 503, title: "The registry does not answer" });
  outside.database = database.fetch;
  expect((await page()).status).toBe(200);
});
