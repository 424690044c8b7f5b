import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serviceMetrics } from "../../src/metrics/metrics.ts";
import { gatewayBefore } from "../gateway/platform.ts";
import { registered, signedIn, type Wires } from "../platform.ts";
import { actuator } from "./actuator.ts";
import { type MeasuredPlatform, measuredPlatform, OPEN, samplesOf, valueOf } from "./exposition.ts";
import { problemOf } from "./problem.ts";

let platform: MeasuredPlatform;
beforeAll(async () => {
  platform = await measuredPlatform();
});
afterAll(() => platform.close());

const SERVED = "http_server_requests_seconds_count";
const CALLED = "http_client_requests_seconds_count";

describe("requests", () => {
  test("are counted by the pattern of their route, in buckets of their time", async () => {
    const app = platform.open();
    for (const id of ["USR0CANARY1", "USR0CANARY2"]) await app.request(`/api/users/${id}?x=canary`);
    const samples = await samplesOf(app);
    const labels = { method: "GET", uri: "/api/users/{userId}", status: "401", outcome: "CLIENT_ERROR" };
    expect(valueOf(samples, SERVED, labels)).toBe(2);
    expect(valueOf(samples, "http_server_requests_seconds_bucket", { ...labels, le: "+Inf" })).toBe(2);
    expect(valueOf(samples, "http_server_requests_seconds_sum", labels)).toBeGreaterThanOrEqual(0);
    expect(JSON.stringify(samples)).not.toMatch(/canary/i);
  });

  test("last as long as the service's clock says", async () => {
    let time = 0;
    const app = actuator({ slow: () => ((time += 300), Promise.resolve({ status: "UP" })) }, { now: () => time });
    await app.request("/actuator/health");
    const samples = await samplesOf(app);
    const labels = { uri: "/actuator/health" };
    expect(valueOf(samples, "http_server_requests_seconds_sum", labels)).toBe(0.3);
    expect(["0.25", "0.5"].map((le) => valueOf(samples, "http_server_requests_seconds_bucket", { ...labels, le }))).toEqual([0, 1]);
  });

  test("of a thousand paths and methods that nobody knows make a handful of series", async () => {
    const app = platform.open();
    const { app: gateway } = gatewayBefore({ metricsAccess: { isLoopback: true } });
    for (let index = 0; index < 1000; index++) {
      const path = index % 2 === 0 ? `/nothing/${crypto.randomUUID()}` : `/api/users/${crypto.randomUUID()}`;
      const method = index % 3 === 0 ? `M${index}` : "GET";
      const headers = { "user-agent": crypto.randomUUID(), "x-request-id": crypto.randomUUID() };
      await app.users(new Request(`http://host-${index}.test${path}`, { method, headers }));
      await gateway.request(path, { method, headers });
    }
    for (const asked of [app, gateway]) {
      const counts = (await samplesOf(asked)).filter(({ name }) => name === SERVED);
      expect(counts.length).toBeLessThanOrEqual(8);
      expect(counts.reduce((sum, { value }) => sum + value, 0)).toBe(1000);
      expect(JSON.stringify(counts)).not.toMatch(/[0-9a-f]{8}-|M\d/);
    }
  });

  test("of one instance are not those of another", async () => {
    const [one, other] = [platform.open(), platform.open()];
    await one.request("/nothing");
    expect(valueOf(await samplesOf(one), SERVED, { uri: "NOT_FOUND" })).toBe(1);
    expect(valueOf(await samplesOf(other), SERVED, { uri: "NOT_FOUND" })).toBeUndefined();
    expect(valueOf(await samplesOf(one, { service: "auth" }), SERVED, { uri: "NOT_FOUND" })).toBeUndefined();
  });

  test("at the gateway are the gateway's own, by the service that they went to", async () => {
    const metrics = serviceMetrics({ service: "gateway", version: "1", now: Date.now });
    const users = { fetch: metrics.observed("user-service", () => Response.json({ fine: true })) };
    const { app } = gatewayBefore({ users, metrics, metricsAccess: { isLoopback: true } });
    await app.request("/api/users/USR0CANARY");
    const samples = await samplesOf(app);
    expect(valueOf(samples, SERVED, { uri: "/api/users/**", status: "200" })).toBe(1);
    expect(valueOf(samples, CALLED, { client_name: "user-service", status: "200" })).toBe(1);
    expect(valueOf(samples, "gatehouse_build_info", { service: "gateway" })).toBe(1);
  });
});

describe("calls of other systems", () => {
  const givenUp: Wires["identity"] = ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));

  test.each<[string, Wires["identity"], Record<string, string>]>([
    ["answers", undefined, { status: "400", outcome: "CLIENT_ERROR", error: "none" }],
    ["fails", () => new Response("busy", { status: 503 }), { status: "503", outcome: "SERVER_ERROR", error: "none" }],
    ["is not there", () => Promise.reject(new TypeError("connect ECONNREFUSED 10.0.0.9:80")), { status: "IO_ERROR", outcome: "UNKNOWN", error: "failed" }],
    ["never answers", () => new Promise<never>(() => {}), { status: "IO_ERROR", outcome: "UNKNOWN", error: "aborted" }],
    ["fails when it is given up, as a network does", givenUp, { status: "IO_ERROR", outcome: "UNKNOWN", error: "aborted" }],
  ])("are counted once when the system %s", async (_, identity, labels) => {
    const app = platform.open(identity && { identity }, identity && { TOKEN_TIMEOUT_MS: "50" });
    await app.request("/api/auth/refresh", { method: "POST", json: { refresh_token: "x" } });
    const samples = await samplesOf(app, { service: "auth" });
    expect(samples.filter(({ name }) => name === CALLED).map(({ labels, value }) => ({ ...labels, value }))).toEqual([
      { client_name: "identity-provider", method: "POST", ...labels, value: 1 },
    ]);
    expect(JSON.stringify(samples)).not.toContain("10.0.0.9");
  });

  test("have the database among them", async () => {
    const app = platform.open();
    await registered(app);
    const samples = await samplesOf(app);
    expect(valueOf(samples, CALLED, { client_name: "database", status: "200" })).toBeGreaterThanOrEqual(3);
    expect(valueOf(samples, CALLED, { client_name: "identity-provider", status: "201" })).toBe(1);
  });
});

describe("gauges", () => {
  const [EVENTS, AGE] = ["gatehouse_outbox_events", "gatehouse_outbox_oldest_age_seconds"];

  test("tell how many events wait for the broker, and since when", async () => {
    const app = platform.open();
    await platform.database.query("UPDATE events.outbox SET sent_at = now()");
    const read = async () => {
      const samples = await samplesOf(app);
      return [valueOf(samples, EVENTS), valueOf(samples, AGE)];
    };
    expect(await read()).toEqual([0, 0]);
    await registered(app);
    platform.clock.offset += 90_000;
    const [events, age = 0] = await read();
    expect([events, Math.round(age / 10)]).toEqual([1, 9]);
    platform.clock.offset -= 90_000;
  });

  test.each<[string, Wires["database"]]>([
    ["away", () => Promise.reject(new TypeError("connect ECONNREFUSED 10.0.0.1:5432"))],
    ["silent", () => new Promise<never>(() => {})],
  ])("of a database that is %s are left out, and the rest is told in time", async (_, database) => {
    const app = platform.open({ database });
    const began = performance.now();
    const samples = await samplesOf(app);
    expect(performance.now() - began).toBeLessThan(2000);
    expect(samples.filter(({ name }) => /outbox|in_flight/.test(name))).toEqual([]);
    expect(valueOf(samples, "gatehouse_build_info")).toBe(1);
  });
});

describe("the text", () => {
  const app = () => actuator();

  test("is what was asked for: OpenMetrics has counters without their suffix in the type, the older text with it", async () => {
    const asked = platform.open();
    await registered(asked);
    const text = async (accept: string) => (await asked.request("/actuator/prometheus", { headers: { accept } })).text();
    const older = "# TYPE gatehouse_registrations_total counter";
    // At once, and again: asking for one leaves the other as it was.
    const [first, opened, second] = await Promise.all([text("text/plain"), text(OPEN), text("text/plain")]);
    expect([first.includes(older), second.includes(older), (await text("text/plain")).includes(older)]).toEqual([true, true, true]);
    expect(opened).toContain("# TYPE gatehouse_registrations counter\ngatehouse_registrations_total{");
    expect(valueOf(await samplesOf(asked, { accept: OPEN }), "gatehouse_registrations_total", { outcome: "SUCCESS" })).toBe(1);
  });

  test("has only what is named, where something is", async () => {
    const names = async (query: string) => [...new Set((await samplesOf(app(), { query })).map(({ name }) => name))];
    expect(await names("?includedNames=process_uptime_seconds,nothing")).toEqual(["process_uptime_seconds"]);
    expect(await names("?includedNames=process_uptime_seconds&includedNames=gatehouse_build_info")).toEqual(["gatehouse_build_info", "process_uptime_seconds"]);
    expect(await names("?includedNames=__proto__")).toEqual([]);
    expect((await names("?includedNames=")).length).toBeGreaterThan(2);
  });
});

describe("whoever reads them", () => {
  const TOKEN = "a-token-for-metrics-0123456789";
  const read = (authorization?: string) => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    return platform.instance({}, { METRICS_TOKEN: TOKEN }).request("/actuator/prometheus", { headers });
  };

  test("has the token, where others can reach the service", async () => {
    expect((await read(`Bearer ${TOKEN}`)).status).toBe(200);
    expect((await read(`bearer ${TOKEN}`)).status).toBe(200);
    const user = await platform.serviceToken();
    for (const wrong of [undefined, "", "Bearer", "Bearer ", TOKEN, `Basic ${btoa(`x:${TOKEN}`)}`, `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(0, -1)}`, `Bearer ${TOKEN.toUpperCase()}`, `Bearer ${TOKEN} ${TOKEN}`, `Bearer ${user}`]) {
      const answer = await read(wrong);
      expect({ wrong, challenge: answer.headers.get("www-authenticate")?.split(" ")[0], ...(await problemOf(answer)) }).toEqual({ wrong, challenge: "Bearer", status: 401, code: "UNAUTHENTICATED_401" });
    }
  });

  test("is nobody where no token is set", async () => {
    for (const service of ["users", "auth"] as const) {
      expect(await problemOf(await platform.instance().request("/actuator/prometheus", { service }))).toEqual({ status: 404, code: "NOT_FOUND_404" });
    }
  });

  test("sees no password, token, name, address or id of anybody", async () => {
    const app = platform.open({}, { METRICS_TOKEN: TOKEN });
    const { password, userId, emailId, firstName, primaryContactNumber } = await registered(app, { firstName: "Canaria", password: "Canary-Horse-7-Battery" });
    const token = await signedIn(app, { username: emailId, password });
    await app.request(`/api/users/${userId}`, { token });
    await app.request(`/api/auth/authenticate?${new URLSearchParams({ username: emailId, password: `${password}x` })}`);
    await app.request(`/${password}`, { headers: { "x-request-id": "canary-request", "user-agent": "canary-agent" } });
    for (const service of ["users", "auth"] as const) {
      const text = await (await app.request("/actuator/prometheus", { service })).text();
      expect(text.length).toBeGreaterThan(1000);
      for (const secret of [/canar/i, userId, emailId, firstName, primaryContactNumber, token.slice(-40), TOKEN, "secret-of"]) expect(text).not.toMatch(secret);
    }
  });
});
