import { describe, expect, test } from "vitest";
import { gatewayBefore, recorder } from "./platform.ts";
import { gatewayWithRegistry, refused, type RegisteredPlatform } from "./registered.ts";

describe("The documents to choose from", () => {
  const healthy = () => recorder((c) => c.json({ status: "UP" }));
  const offered = async ({ app }: Pick<RegisteredPlatform, "app">) => {
    const { urls } = (await (await app.request("/v3/api-docs/swagger-config")).json()) as { urls: { name: string; url: string }[] };
    return urls.map(({ name, url }) => `${name} ${url}`);
  };
  const GATEWAY = "gateway /v3/api-docs";
  const OWN = ["user-service /v3/api-docs/user-service", "auth-service /v3/api-docs/auth-service"];

  test("are those of all our services where there is no registry", async () => {
    const all = [...OWN, "admin-service /v3/api-docs/admin-service", "discovery-service /v3/api-docs/discovery-service", "config-server /v3/api-docs/config-server", GATEWAY];
    expect(await offered(gatewayBefore({ admin: healthy(), discovery: healthy(), config: healthy() }))).toEqual(all);
  });

  test("are those of what is registered, of other applications only the allowed ones", async () => {
    const platform = gatewayWithRegistry({ names: ["orders", "payments"], admin: healthy(), discovery: healthy() });
    platform.instance({ app: "USER-SERVICE", port: 8086 });
    platform.instance({ app: "ORDERS" });
    platform.instance({ app: "BILLING", port: 8090 });
    expect(await offered(platform)).toEqual([OWN[0], "discovery-service /v3/api-docs/discovery-service", "orders /orders/v3/api-docs", GATEWAY]);
    platform.instance({ app: "AUTH-SERVICE", port: 8087 });
    platform.instance({ app: "PAYMENTS", port: 8091 });
    platform.clock.offset += 5001;
    expect(await offered(platform)).toEqual([...OWN, "discovery-service /v3/api-docs/discovery-service", "orders /orders/v3/api-docs", "payments /payments/v3/api-docs", GATEWAY]);
  });

  test("are our own too where these do not register, as on Workers", async () => {
    const platform = gatewayWithRegistry({ holdsPlatform: false });
    expect(await offered(platform)).toEqual([...OWN, GATEWAY]);
    platform.instance();
    platform.clock.offset += 5001;
    expect(await offered(platform)).toEqual([...OWN, "orders /orders/v3/api-docs", GATEWAY]);
  });

  test("are our own while the registry is away", async () => {
    const platform = gatewayWithRegistry();
    platform.registry.server.wire = refused;
    expect(await offered(platform)).toEqual([...OWN, GATEWAY]);
  });

  const document = {
    openapi: "3.1.0",
    info: { title: "Orders", version: "7" },
    servers: [{ url: "http://10.0.0.7:8080" }],
    paths: { "/api/orders": { get: {} }, "/internal/api/x": { post: {} }, "/actuator/health": { get: {} } },
  };

  test("hold, of an application, what the gateway leads to, at the gateway", async () => {
    const platform = gatewayWithRegistry();
    const orders = platform.instance({}, (c) => c.json(document));
    const response = await platform.app.request("/orders/v3/api-docs");
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ ...document, servers: [{ url: "/orders" }], paths: { "/api/orders": { get: {} } } });
    expect(orders.seen).toMatchObject([{ path: "/v3/api-docs" }]);
  });

  test("keep, of an application, what its operations refer to by way of other components", async () => {
    const refer = (to: string) => ({ $ref: `#/components/${to}` });
    const paths = { "/api/orders": { get: { responses: { 200: refer("responses/Orders") } } } };
    const components = { responses: { Orders: { content: { "application/json": { schema: refer("schemas/Order") } } } }, schemas: { Order: { properties: { line: refer("schemas/Line") } }, Line: {} } };
    const platform = gatewayWithRegistry();
    platform.instance({}, (c) => c.json({ ...document, paths, components: { ...components, schemas: { ...components.schemas, Unused: {} } } }));
    expect(await (await platform.app.request("/orders/v3/api-docs")).json()).toMatchObject({ paths, components });
  });

  test("of an application without one are a 404", async () => {
    const platform = gatewayWithRegistry();
    platform.instance({}, (c) => c.text("no", 404));
    expect((await platform.app.request("/orders/v3/api-docs")).status).toBe(404);
  });

  test("of what the gateway does not lead to are for reading", async () => {
    const config = recorder((c) => c.json({ ...document, paths: { "/{application}/{profile}": { get: {} }, "/internal/x": { get: {} } } }));
    const { app } = gatewayBefore({ config });
    const shown = (await (await app.request("/v3/api-docs/config-server")).json()) as typeof document;
    expect(shown.servers).toEqual([{ url: "/", description: expect.stringContaining("For reading") }]);
    expect(Object.keys(shown.paths)).toEqual(["/{application}/{profile}"]);
    for (const path of ["/eureka/apps", "/orders/default", "/config-server/x"]) expect((await app.request(path)).status).toBe(404);
  });
});
