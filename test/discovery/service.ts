import { discoveryService } from "../../src/compose/discovery.ts";
import { listing } from "../../src/discovery/listing.ts";
import { registryReader } from "../../src/discovery/registry-reader.ts";
import { readSettings } from "../../src/env.ts";
import type { LogEntry } from "../../src/http/log.ts";
import { discoverySettings } from "../../src/settings/services.ts";
import { openPostgres } from "../../workers/postgres.ts";
import { type TestDatabase, testDatabase, testDatabaseOn } from "../database.ts";

export const CREDENTIAL = { username: "eureka", password: "pass wörd" };

export const AUTHORIZATION = `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${CREDENTIAL.username}:${CREDENTIAL.password}`)))}`;

export type TestRegistry = Awaited<ReturnType<typeof testRegistry>>;

/** The discovery service on a database of its own (an ordinary Postgres where TEST_DATABASE_URL names one); its clock stands still until moved. */
export async function testRegistry(settings: Record<string, string> = {}) {
  const database = await emptyDatabase();
  const clock = { time: Date.parse("2026-11-21T03:22:23Z") };
  const log: LogEntry[] = [];
  /** Bytes that the database has answered. */
  const traffic = { bytes: 0 };
  const counted = async (request: Request) => {
    const answer = await database.fetch(request);
    const content = await answer.arrayBuffer();
    traffic.bytes += content.byteLength;
    return new Response(content, answer);
  };

  /** One more instance of the service over the same database; `skew` milliseconds ahead of the others. */
  function instance(own: Record<string, string> = {}, { skew = 0 } = {}) {
    const env = {
      DATABASE_URL: database.url,
      DATABASE_SQL_URL: "http://database.test/sql",
      DATABASE_TIMEOUT_MS: "20000",
      DISCOVERY_USERNAME: CREDENTIAL.username,
      DISCOVERY_PASSWORD: CREDENTIAL.password,
      ...settings,
      ...own,
    };
    const options = readSettings(discoverySettings, env);
    const now = () => clock.time + skew;
    const { app, sweep } = discoveryService(options, {
      log: (entry) => void log.push(entry),
      now,
      sharesPending: true,
      documentationScript: () => new Response(null, { status: 404 }),
      database: counted,
      network: () => new Response(null, { status: 503 }),
    });
    const reading = { db: database.db, now, sharesPending: true };
    const reader = registryReader({ ...reading, sweep, isSelfPreserving: options.DISCOVERY_SELF_PRESERVATION });
    /** What the dashboard lists. */
    const instances = listing({ ...reading, reader });
    return { fetch: (request: Request) => Promise.resolve(app.fetch(request)), sweep, instances, ...senders((request) => Promise.resolve(app.fetch(request))) };
  }

  return { ...instance(), instance, clock, log, traffic, database, close: database.close };
}

type Sent = { method?: string; json?: unknown; xml?: string; headers?: Record<string, string> };

function senders(fetch: (request: Request) => Promise<Response>) {
  /** Below `/eureka`, with the credential. */
  const send = (path: string, { method = "GET", json, xml, headers = {} }: Sent = {}) => {
    const type = json === undefined ? xml && "application/xml" : "application/json";
    const init = { method, headers: { authorization: AUTHORIZATION, ...(type && { "content-type": type }), ...headers } };
    const content = json === undefined ? xml : JSON.stringify(json);
    return fetch(new Request(`http://discovery.test/eureka${path}`, content === undefined ? init : { ...init, body: content }));
  };
  const read = async (path: string) => (await (await send(path, { headers: { accept: "application/json" } })).json()) as any;
  return {
    send,
    read,
    register: (more: Record<string, unknown> = {}) => {
      const instance = instanceOf(more);
      return send(`/apps/${instance["app"]}`, { method: "POST", json: { instance } });
    },
    beat: async (id: string, app = "ORDERS") => (await send(`/apps/${app}/${id}?status=UP`, { method: "PUT" })).status,
    /** `id: status` of everything in the full list. */
    listed: async () => statusesIn(await read("/apps/")),
    changed: async () => {
      const { applications } = await read("/apps/delta");
      return Object.fromEntries(applications.application.flatMap((app: any) => app.instance.map((one: any) => [one.instanceId, one.actionType])));
    },
  };
}

/** The text of an answer, however it is encoded. */
export function contentOf(response: Response): Promise<string> {
  const isPacked = response.headers.get("content-encoding") === "gzip";
  return new Response(isPacked ? response.body!.pipeThrough(new DecompressionStream("gzip")) : response.body).text();
}

export function statusesIn({ applications }: any): Record<string, string> {
  return Object.fromEntries(applications.application.flatMap((app: any) => app.instance.map((one: any) => [one.instanceId, one.status])));
}

/** A registration as Spring's client sends it. */
export function instanceOf({ id = "orders-1", app = "ORDERS", ...more }: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    instanceId: id,
    app,
    hostName: "orders.example",
    ipAddr: "192.0.2.7",
    status: "UP",
    port: { $: 9000, "@enabled": "true" },
    securePort: { $: 443, "@enabled": "false" },
    vipAddress: "orders",
    secureVipAddress: "orders",
    dataCenterInfo: { "@class": "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo", name: "MyOwn" },
    leaseInfo: { renewalIntervalInSecs: 30, durationInSecs: 90 },
    ...more,
  };
}

async function emptyDatabase(): Promise<TestDatabase> {
  const url = process.env["TEST_DATABASE_URL"];
  if (!url) return testDatabase();
  const database = testDatabaseOn(await openPostgres(url, { timeout: 20_000, log: () => {} }));
  await database.reset();
  return database;
}
