import { Hono } from "hono";
import type { Fetch } from "../../src/http/fetch.ts";
import { registry } from "../../src/registry/eureka.ts";
import { beginCall } from "../../src/http/call.ts";

type Wired = Record<string, unknown> & { instanceId: string; status: string };

export const REGISTRY_URL = "http://eureka:correct%20horse%2F%C3%A9@registry.test:8761/eureka";
const AUTHORIZATION = `Basic ${Buffer.from("eureka:correct horse/é").toString("base64")}`;

/** As a real client registers, with these fields of its own. */
export function wired({ app = "ORDERS", host = "10.0.0.7", port = 8080, status = "UP", ...rest }: Record<string, unknown> = {}): Wired {
  return {
    instanceId: `${host}:${String(app).toLowerCase()}:${typeof port === "number" ? port : 8080}`,
    app,
    hostName: host,
    ipAddr: "10.0.0.7",
    status: status as string,
    overriddenStatus: "UNKNOWN",
    port: typeof port === "number" ? { $: port, "@enabled": "true" } : port,
    securePort: { $: 443, "@enabled": "false" },
    countryId: 1,
    dataCenterInfo: { "@class": "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo", name: "MyOwn" },
    metadata: { "@class": "java.util.Collections$EmptyMap" },
    vipAddress: String(app).toLowerCase(),
    ...rest,
  };
}

/** A server that answers what a real Eureka server was recorded to answer; `wire` stands before it. */
export function testRegistry({ now = Date.now }: { now?: () => number } = {}) {
  const instances = new Map<string, Wired & { app: string }>();
  const seen: { method: string; path: string; search: string; body: string; headers: Record<string, string> }[] = [];
  const key = (app: string, id: string) => `${app.toUpperCase()}/${id}`;
  const app = new Hono().basePath("/eureka");
  app.use(async (c, next) => {
    const { pathname, search } = new URL(c.req.url);
    seen.push({ method: c.req.method, path: pathname, search, body: await c.req.raw.clone().text(), headers: c.req.header() });
    return c.req.header("authorization") === AUTHORIZATION ? next() : c.body(null, 401);
  });
  app.post("/apps/:app", async (c) => {
    const { instance } = await c.req.json<{ instance: Wired & { app: string } }>();
    instances.set(key(c.req.param("app"), instance.instanceId), instance);
    return c.body(null, 204);
  });
  app.put("/apps/:app/:id", (c) => c.body(null, instances.has(key(c.req.param("app"), c.req.param("id"))) ? 200 : 404));
  app.delete("/apps/:app/:id", (c) => c.body(null, instances.delete(key(c.req.param("app"), c.req.param("id"))) ? 200 : 404));
  app.get("/apps/:app", (c) => {
    const name = c.req.param("app").toUpperCase();
    const instance = [...instances.values()].filter((one) => one.app === name);
    return instance.length > 0 ? c.json({ application: { name, instance } }) : c.body(null, 404);
  });

  const server = { wire: undefined as ((request: Request, pass: Fetch) => Response | Promise<Response>) | undefined };
  const pass: Fetch = (request) => app.fetch(request);
  const fetch: Fetch = (request) => (server.wire ? server.wire(request, pass) : pass(request));
  return {
    seen,
    instances,
    fetch,
    server,
    add: (...added: Wired[]) => added.forEach((one) => instances.set(key(String(one["app"]), one.instanceId), one as never)),
    client: registry({ url: REGISTRY_URL, fetch, now }),
  };
}

export const callOf = (limit = 5000) => beginCall(new Headers(), { now: Date.now(), limit });
