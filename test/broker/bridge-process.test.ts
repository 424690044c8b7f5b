import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";

const WORKERS = fileURLToPath(new URL("../../workers/", import.meta.url));
const MINUTE_MS = 60_000;
/** Nothing listens there. */
const NOWHERE = "127.0.0.1:1";

/** One of our processes, with these settings and nothing else of ours around it. */
function started(file: string, settings: Record<string, string>) {
  const data = mkdtempSync(join(tmpdir(), "gatehouse-bridge-"));
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(process.execPath, [join(WORKERS, file)], { env: { PATH, HOME, GATEHOUSE_DATA: data, LOG_FORMAT: "json", ...settings } });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (text += part.toString()));
  const ended = once(child, "close") as Promise<[number | null]>;
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
    rmSync(data, { recursive: true, force: true });
  });
  return { child, ended, text: () => text };
}

it.each<[string, string, Record<string, string>, string[]]>([
  ["bridge.ts", "nothing", {}, ["KAFKA_BROKERS: Is needed", "BROKER_PASSWORD: Is needed"]],
  ["bridge.ts", "a Kafka without a port", { KAFKA_BROKERS: "kafka", BROKER_PASSWORD: "long enough for this" }, ["KAFKA_BROKERS: Use host:port"]],
  ["bridge.ts", "a mechanism alone", { KAFKA_BROKERS: NOWHERE, BROKER_PASSWORD: "long enough for this", KAFKA_SASL_MECHANISM: "plain" }, ['Cannot use KAFKA_SASL_MECHANISM "plain" without KAFKA_USERNAME and KAFKA_PASSWORD']],
  ["bridge.ts", "a username alone", { KAFKA_BROKERS: NOWHERE, BROKER_PASSWORD: "long enough for this", KAFKA_USERNAME: "kafka" }, ["Cannot use KAFKA_USERNAME without KAFKA_SASL_MECHANISM"]],
  ["bridge.ts", "an authority that is not there", { KAFKA_BROKERS: NOWHERE, BROKER_PASSWORD: "long enough for this", KAFKA_TLS: "on", KAFKA_CA_FILE: "/nowhere/ca.pem" }, ['Cannot read KAFKA_CA_FILE "/nowhere/ca.pem"']],
  ["bridge.ts", "an authority without TLS", { KAFKA_BROKERS: NOWHERE, BROKER_PASSWORD: "long enough for this", KAFKA_CA_FILE: "/nowhere/ca.pem" }, ["Cannot use KAFKA_CA_FILE without KAFKA_TLS"]],
  ["node.ts", "two brokers", { KAFKA_BROKERS: NOWHERE, BROKER_URL: "http://localhost:8082" }, ["Cannot use two brokers: set BROKER_URL or KAFKA_BROKERS, not both"]],
])("%s does not start with %s", async (file, _, settings, sentences) => {
  const { ended, text } = started(file, settings);
  const [code] = await ended;
  expect(code).toBe(1);
  for (const sentence of sentences) expect(text()).toContain(sentence);
  expect(text()).not.toMatch(/long enough|\n\s+at /);
}, MINUTE_MS);

it("starts without Kafka, says so once, is down for that, and ends when told to", async () => {
  const settings = { KAFKA_BROKERS: NOWHERE, BROKER_PORT: "0", BROKER_USERNAME: "somebody", BROKER_PASSWORD: "long enough for this" };
  const { child, ended, text } = started("bridge.ts", settings);
  await expect.poll(text, { timeout: MINUTE_MS }).toContain("Cannot reach Kafka");
  const url = /up at (\S+?)"/.exec(text())?.[1] ?? "";
  const authorization = `Basic ${btoa("somebody:long enough for this")}`;
  const answers = await Promise.all(["/health", "/health/liveness", "/v3/clusters"].map((path) => fetch(url + path, { headers: { authorization } })));
  expect(answers.map(({ status }) => status)).toEqual([503, 200, 503]);
  expect((await fetch(`${url}/v3/clusters`)).status).toBe(401);
  child.kill("SIGTERM");
  expect((await ended)[0]).toBe(0);
  expect(text().match(/Cannot reach Kafka/g)).toHaveLength(1);
  expect(text()).toContain("ECONNREFUSED 127.0.0.1:1");
  expect(text()).not.toMatch(/long enough|Warning/);
}, MINUTE_MS);
