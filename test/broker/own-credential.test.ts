import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readSettings } from "../../src/env.ts";
import { processSettings } from "../../src/settings/process.ts";
import { openInstallation } from "../../workers/data.ts";
import { environment } from "../../workers/environment.ts";

const LEFT_OVER = "Basic bGVmdDpvdmVy";

it.each<[string, Record<string, string>, string]>([
  ["the embedded broker takes nobody but us", {}, `Basic ${btoa("us:ours")}`],
  ["nor does the bridge", { KAFKA_BROKERS: "kafka.example:9092" }, `Basic ${btoa("us:ours")}`],
  ["another broker is told what was given for it", { BROKER_URL: "https://broker.example" }, LEFT_OVER],
])("Whatever credential is left over, %s", (_, settings, expected) => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const told = { ...settings, BROKER_AUTHORIZATION: LEFT_OVER };
  const broker = { username: "us", password: "ours" };
  const { made, set } = environment({ told, given: readSettings(processSettings, told), installation: openInstallation(folder), broker, database: undefined });
  expect({ ...made, ...set }["BROKER_AUTHORIZATION"]).toBe(expected);
});
