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
