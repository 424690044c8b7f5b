import { describe, expect, test } from "vitest";
import { readSettings, SettingsError } from "../../src/env.ts";
import { RESERVED } from "../../src/gateway/applications/names.ts";
import { gatewaySettings } from "../../src/settings/services.ts";
import { gatewayBefore, listen, raw, recorder, targetOnNode } from "./platform.ts";
import { gatewayWithRegistry } from "./registered.ts";

describe("What no operator has allowed is an unknown path, and nobody is asked", () => {
  const UNKNOWN = ["/payments", "/payments/x", "/ORDERS/x", "/Orders", "/ordersx/y", "/order", "/gateway/x", "/user-service/api/users/me", "/eureka/apps", "/__proto__/x", "/constructor"];
  const CLOSED = ["/orders/internal", "/orders/internal/x", "/orders/INTERNAL/x", "/orders/actuator", "/orders/actuator/env", "/orders/Actuator/health", "/orders/ctx/actuator/env", "/orders/ctx/internal"];

  test.each([...UNKNOWN, ...CLOSED])("%s", async (path) => {
    const { app, instance, registry } = gatewayWithRegistry();
    const services = [instance(), instance({ app: "PAYMENTS", port: 8081 }), instance({ app: "USER-SERVICE", port: 8082 }), instance({ app: "GATEWAY", port: 8083 })];
    for (const method of ["GET", "POST"]) {
      const [response, unknown] = await Promise.all([path, "/unknown/path"].map((each) => app.request(each, { method })));
      expect(response!.status).toBe(404);
      const volatile = { "x-request-id": expect.any(String) };
      expect({ ...Object.fromEntries(response!.headers), ...volatile }).toEqual({ ...Object.fromEntries(unknown!.headers), ...volatile });
      expect(await response!.json()).toEqual({ ...((await unknown!.json()) as object), instance: path, traceId: expect.any(String) });
    }
    for (const { seen } of services) expect(seen).toEqual([]);
    expect(registry.seen).toEqual([]);
  });

  test.each([
    "/orders/../api/users/me",
    "/orders/..",
    "/orders/../internal/x",
    "/orders/%2e%2e/api/users/me",
    "/orders//internal",
    "/orders/./internal",
    "/orders/%69nternal",
    "/orders/%2569nternal",
    "/orders/internal%2fx",
    "/orders/x/../internal",
    "/orders/x/..%2finternal",
    "/orders/x/%2e%2e/actuator/env",
    "/orders/;/internal",
    "/orders/actuator;x=1/env",
    "/orders\\internal",
    "/orders/x\\..\\internal",
    "/orders%2finternal",
    "/%6frders/x",
    "//orders/x",
    "/orders/",
    "/orders/x/",
    "http://orders.test/orders/internal",
  ])("%s over the wire", async (target) => {
    const { app, instance, registry } = gatewayWithRegistry({ target: targetOnNode });
    const orders = instance();
    const front = await listen(app.fetch);
    const { status } = await raw(front.port, `GET ${target} HTTP/1.1\r\nHost: gatehouse.test\r\nConnection: close\r\n\r\n`);
    await front.close();
    expect([400, 404]).toContain(status);
    expect(orders.seen).toEqual([]);
    expect(registry.seen).toEqual([]);
  });

  test("Where the runtime has parsed the path, nothing but what is below the prefix is reached", async () => {
    const { app, instance } = gatewayWithRegistry();
    const orders = instance();
    for (const path of ["/orders/x/../internal", "/orders/x/%2e%2e/actuator/env", "/orders/%2e%2e/internal", "/orders/./internal/x", "/orders\\internal"]) {
      expect((await app.request(path)).status).toBe(404);
    }
    expect(orders.seen).toEqual([]);
  });
});

describe("At start, ROUTED_APPLICATIONS", () => {
  const DISCOVERY_URL = "http://eureka:pw@localhost:8761/eureka";
  const read = (ROUTED_APPLICATIONS: string) => readSettings(gatewaySettings, { ROUTED_APPLICATIONS, DISCOVERY_URL });

  test("names applications, in any case", () => {
    expect(read("orders, PAYMENTS ,order-desk_2,orders").ROUTED_APPLICATIONS).toEqual(["orders", "payments", "order-desk_2"]);
    expect(readSettings(gatewaySettings, {}).ROUTED_APPLICATIONS).toEqual([]);
  });

  test.each([...RESERVED, "API", "User-Service", "style.css", "icon.svg", "swagger-ui.html", "..", ".well-known", "a/b", "a b", "*", ":service", "-x", "örders", "a%62", "a".repeat(64)])(
    "may not name %j",
    (name) => {
      expect(() => read(`orders,${name}`)).toThrow(SettingsError);
      expect(() => read(`orders,${name}`)).toThrow(/^Cannot start with these settings:\n {2}ROUTED_APPLICATIONS: Name applications by /);
    },
  );

  test("may name nothing that the gateway answers itself", () => {
    const own = gatewayBefore({ admin: recorder() }).app.routes.map(({ path }) => path.split("/")[1]!);
    const names = [...new Set(own)].filter((name) => name !== "" && name !== "*");
    expect(names.length).toBeGreaterThan(4);
    for (const name of names) expect(() => read(name)).toThrow(SettingsError);
  });

  test("needs a registry", () => {
    expect(() => readSettings(gatewaySettings, { ROUTED_APPLICATIONS: "orders" })).toThrow("DISCOVERY_URL: Is needed to lead to ROUTED_APPLICATIONS");
  });

  test.each(["ftp://eureka:pw@localhost/eureka", "localhost:8761", "http://a/eureka,", "http://a/eureka,b", "http://eureka:%E0%A4%A@localhost/eureka"])("needs one that can be asked, not %s", (url) => {
    expect(() => readSettings(gatewaySettings, { DISCOVERY_URL: url })).toThrow(/DISCOVERY_URL: Use http or https URLs/);
  });
});
