import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SettingsError } from "../../src/env.ts";
import { type Env, worker } from "../../workers/isolate.ts";
import { problemOf } from "../http/problem.ts";

const context = { waitUntil: () => {} };
const lines: string[] = [];
beforeEach(() => {
  lines.length = 0;
  vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
});
afterEach(() => vi.restoreAllMocks());

/** A Worker that answers with its settings, and the binding its configuration comes by. */
function reading(build = (env: Env) => env) {
  const configuration = { fetch: () => Promise.reject(new TypeError("canary.internal refused")) as Promise<Response> };
  const env = { CONFIG_URL: "http://config:canary-password@config.test", CONFIG: configuration };
  const made = worker({ application: "user-service", build, fetch: ({ A }) => Response.json({ A }) });
  const get = (path: string) => made.fetch(new Request(`http://users.test${path}`), env, context);
  return { get, configuration };
}

test("A Worker whose configuration server is away says when to ask again, logs why, and serves as soon as it is back", async () => {
  const { get, configuration } = reading();
  const answer = await get("/api/users/me");
  expect(answer.headers.get("retry-after")).toBe("5");
  expect(answer.headers.get("content-type")).toBe("application/problem+json");
  const text = await answer.clone().text();
  expect(await problemOf(answer)).toEqual({ status: 503, code: "UPSTREAM_UNAVAILABLE_503" });
  expect(text).toContain("The configuration is not available");
  expect(text).not.toContain("canary");
  const log = lines.map((line) => JSON.parse(line) as Record<string, string>);
  expect(log[0]).toMatchObject({ level: "warn", service: "user-service", code: "UPSTREAM_UNAVAILABLE_503" });
  expect(log[0]!["error"]).toContain('Cannot read the configuration of "user-service"');
  expect(lines.join("")).not.toContain("canary-password");
  configuration.fetch = async () => Response.json({ propertySources: [{ source: { a: "1" } }] });
  expect(await (await get("/api/users/me")).json()).toEqual({ A: "1" });
});

test("A Worker is alive whether or not its configuration can be read, and asks nobody for that", async () => {
  const { get, configuration } = reading();
  let asked = 0;
  configuration.fetch = () => (asked++, new Promise<Response>(() => {}));
  const answer = await get("/actuator/health/liveness");
  expect({ status: answer.status, body: await answer.json(), asked }).toEqual({ status: 200, body: { status: "UP" }, asked: 0 });
});

test("A Worker that is not ready is not said to be", async () => {
  const { get } = reading();
  for (const path of ["/actuator/health/readiness", "/actuator/health", "/v3/api-docs"]) expect((await get(path)).status).toBe(503);
});

test("A mistake in a Worker's settings is its own failure: 500, and nothing of it for the caller", async () => {
  const { get, configuration } = reading(() => {
    throw new SettingsError("Cannot start with these settings:\n  CANARY: Is needed");
  });
  configuration.fetch = async () => Response.json({ propertySources: [] });
  const answer = await get("/api/users/me");
  const text = await answer.clone().text();
  expect(await problemOf(answer)).toEqual({ status: 500, code: "INTERNAL_ERROR_500" });
  expect(text).not.toContain("CANARY");
  expect(lines.join("")).toContain("CANARY: Is needed");
});
