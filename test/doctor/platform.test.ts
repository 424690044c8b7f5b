import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PLATFORM } from "../command.ts";
import { freePorts, launch } from "../runtime/launch.ts";
import { ownFolder } from "../workers/folder.ts";
import { diagnosis, MINUTE_MS } from "./command.ts";
import { answering, scripted } from "./upstream.ts";

test("a platform that runs is asked how it is, and its servers can be another's systems", { timeout: 3 * MINUTE_MS }, async () => {
  const folder = ownFolder();
  const data = join(folder, "data");
  const settings = { GATEHOUSE_DATA: data, ...(await freePorts()) };
  const platform = await launch(PLATFORM, settings);
  try {
    // On a machine with little to spare its services are silent to each other for a moment.
    await expect.poll(async () => (await fetch(`${platform.gateway}/actuator/health`)).status, { timeout: MINUTE_MS, interval: 500 }).toBe(200);
    const own = await diagnosis(settings);
    expect(own.document.findings.filter(({ status }) => status === "error" || status === "warning")).toEqual([]);
    expect(own.having("services", "up")).toHaveLength(6);
    expect(own.having("services", "registry")).toHaveLength(1);
    expect(own.having("services", "configuration")).toMatchObject([{ sentence: expect.stringContaining("gateway, user-service, auth-service, admin-service, discovery-service") }]);

    const kept = JSON.parse(readFileSync(join(data, "secrets.json"), "utf8")) as Record<string, string>;
    const secrets = Object.fromEntries(Object.entries(kept).filter(([name]) => /^(AUTH|USER|ADMIN)_SERVICE_|^CONFIG_SERVER_/.test(name)));
    const other = {
      GATEHOUSE_DATA: join(folder, "other"),
      ...secrets,
      IDENTITY_URL: `http://localhost:${settings.IDENTITY_PORT}`,
      SECRETS_URL: `http://localhost:${settings.SECRETS_PORT}`,
      BROKER_URL: `http://localhost:${settings.BROKER_PORT}`,
      BROKER_AUTHORIZATION: `Basic ${btoa(`gatehouse:${kept["BROKER_PASSWORD"]}`)}`,
      DISCOVERY_URL: `http://eureka:${kept["DISCOVERY_PASSWORD"]}@localhost:${settings.DISCOVERY_PORT}/eureka`,
      CONFIG_URL: `http://config:${kept["CONFIG_PASSWORD"]}@localhost:${settings.CONFIG_PORT}`,
    };
    const fine = await diagnosis(other);
    // To the embedded broker there is one credential, which may do all.
    expect(fine.document.findings.filter(({ status, code }) => status === "error" || (status === "warning" && code !== "rights-excess"))).toEqual([]);
    expect(fine.having("identity", "client-secret")).toHaveLength(3);
    expect(fine.having("identity", "rights")).toHaveLength(3);
    expect(fine.having("secrets", "login")).toHaveLength(2);
    expect(fine.having("broker", "reading")).toHaveLength(1);

    const stranger = await scripted(answering({}));
    const broken = await diagnosis({
      ...other,
      IDENTITY_REALM: "nowhere",
      ADMIN_SERVICE_SECRET_ID: "not-the-one-that-was-made",
      DISCOVERY_URL: `http://eureka:not-the-one-that-was-made@localhost:${settings.DISCOVERY_PORT}/eureka`,
      CONFIG_URL: `http://config:not-the-one-that-was-made@localhost:${settings.CONFIG_PORT}`,
      GATEWAY_PORT: new URL(stranger).port,
    });
    expect(broken.exit).toBe(1);
    const faults = broken.faults.filter((fault) => fault !== "broker/rights-excess");
    expect(faults).toEqual(["identity/realm-missing", "secrets/login-refused", "services/stranger", "services/registry-refused", "services/configuration-broken"]);
    expect(broken.having("services", "stranger")).toMatchObject([{ remedy: "Correct GATEWAY_PORT, or end what has the port" }]);
  } finally {
    await platform.stop();
  }
});
