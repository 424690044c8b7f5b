import { expect, test } from "vitest";
import { readSettings } from "../../src/env.ts";
import { processSettings } from "../../src/settings/process.ts";
import { openInstallation } from "../../workers/data.ts";
import { environment } from "../../workers/environment.ts";
import { ownFolder } from "./folder.ts";

test.each<[settings: Record<string, string>, LOOPBACK: string]>([
  [{}, "on"],
  [{ HOST: "::1" }, "on"],
  [{ PUBLIC_URL: "http://localhost:8080" }, "on"],
  [{ PUBLIC_URL: "http://gatehouse.localhost:8080" }, "on"],
  [{ HOST: "0.0.0.0" }, "off"],
  [{ HOST: "10.0.0.7", PUBLIC_URL: "http://localhost:8080" }, "off"],
  [{ PUBLIC_URL: "https://gatehouse.example" }, "off"],
  [{ PUBLIC_URL: "http://10.0.0.7:8080" }, "off"],
  [{ INSTANCE_HOST: "10.0.0.7" }, "off"],
  [{ LOOPBACK: "on", HOST: "0.0.0.0" }, "off"],
])("With %j a process is open to this machine: %s", (settings, LOOPBACK) => {
  const given = readSettings(processSettings, settings);
  const { set } = environment({ told: settings, given, installation: openInstallation(ownFolder()), broker: { username: "x", password: "y" }, database: undefined });
  expect(set["LOOPBACK"]).toBe(LOOPBACK);
});

test("What is told is asked of others, and said to others, in the place of what the first start has made", () => {
  const installation = openInstallation(ownFolder());
  const settings = { DISCOVERY_PASSWORD: "told/1", CONFIG_PASSWORD: "told/2", CONFIG_USERNAME: "reader" };
  const envOf = (told: Record<string, string>) => {
    const { made, set } = environment({ told, given: readSettings(processSettings, told), installation, broker: { username: "x", password: "y" }, database: undefined });
    const { DISCOVERY_PASSWORD, CONFIG_PASSWORD, DISCOVERY_URL, CONFIG_URL } = { ...made, ...set };
    return { DISCOVERY_PASSWORD, CONFIG_PASSWORD, DISCOVERY_URL, CONFIG_URL };
  };
  expect(envOf(settings)).toEqual({ DISCOVERY_PASSWORD: "told/1", CONFIG_PASSWORD: "told/2", DISCOVERY_URL: "http://eureka:told%2F1@localhost:8761/eureka", CONFIG_URL: "http://reader:told%2F2@localhost:8888" });
  const { DISCOVERY_PASSWORD, CONFIG_PASSWORD } = installation;
  expect(envOf({})).toEqual({ DISCOVERY_PASSWORD, CONFIG_PASSWORD, DISCOVERY_URL: `http://eureka:${DISCOVERY_PASSWORD}@localhost:8761/eureka`, CONFIG_URL: `http://config:${CONFIG_PASSWORD}@localhost:8888` });
});
