import { expect, it, onTestFinished } from "vitest";
import { begun, type Settings, worker } from "../command.ts";
import { ownFolder } from "../workers/folder.ts";

const MINUTE_MS = 60_000;
/** Nothing listens there. */
const NOWHERE = "127.0.0.1:1";

/** One of our processes, which does not outlive the test. */
function started(name: string, settings: Settings) {
  const own = begun(worker(name), { GATEHOUSE_DATA: ownFolder(), LOG_FORMAT: "json", ...settings });
  onTestFinished(async () => {
    own.child.kill("SIGKILL");
    await own.ended;
  });
  return own;
}

it.each<[string, string, Settings, string[]]>([
  ["bridge", "nothing", {}, ["KAFKA_BROKERS: Is needed", "BROKER_PASSWORD: Is needed"]],
  ["bridge", "a Kafka without a port", { KAFKA_BROKERS: "kafka", BROKER_PASSWORD: "long enough for this" }, ["KAFKA_BROKERS: Use host:port"]],
  ["bridge", "a mechanism alone", { KAFKA_BROKERS: NOWHERE, BROKER_PASSWORD: "long enough for this", KAFKA_SASL_MECHANISM: "plain" }, ['Cannot use KAFKA_SASL_MECHANISM "plain" without KAFKA_USERNAME and KAFKA_PASSWORD']],
  ["bridge", "a username alone", { KAFKA_BROKERS: NOWHERE, BROKER_PASSWORD: "long enough for this", KAFKA_USERNAME: "kafka" }, ["Cannot use KAFKA_USERNAME without KAFKA_SASL_MECHANISM"]],
  ["bridge", "an authority that is not there", { KAFKA_BROKERS: NOWHERE, BROKER_PASSWORD: "long enough for this", KAFKA_TLS: "on", KAFKA_CA_FILE: "/nowhere/ca.pem" }, ['Cannot read KAFKA_CA_FILE "/nowhere/ca.pem"']],
  ["bridge", "an authority without TLS", { KAFKA_BROKERS: NOWHERE, BROKER_PASSWORD: "long enough for this", KAFKA_CA_FILE: "/nowhere/ca.pem" }, ["Cannot use KAFKA_CA_FILE without KAFKA_TLS"]],
  ["node", "two brokers", { KAFKA_BROKERS: NOWHERE, BROKER_URL: "http://localhost:8082" }, ["Cannot use two brokers: set BROKER_URL or KAFKA_BROKERS, not both"]],
])("%s does not start with %s", async (name, _, settings, sentences) => {
  const { ended, output } = started(name, settings);
  expect(await ended).toBe(1);
  for (const sentence of sentences) expect(output()).toContain(sentence);
  expect(output()).not.toMatch(/long enough|\n\s+at /);
}, MINUTE_MS);

it("starts without Kafka, says so once, is down for that, and ends when told to", async () => {
  const settings = { KAFKA_BROKERS: NOWHERE, BROKER_PORT: "0", BROKER_USERNAME: "somebody", BROKER_PASSWORD: "long enough for this" };
  const { child, ended, output } = started("bridge", settings);
  await expect.poll(output, { timeout: MINUTE_MS }).toContain("Cannot reach Kafka");
  const url = /up at (\S+?)"/.exec(output())?.[1] ?? "";
  const authorization = `Basic ${btoa("somebody:long enough for this")}`;
  const answers = await Promise.all(["/health", "/health/liveness", "/v3/clusters"].map((path) => fetch(url + path, { headers: { authorization } })));
  expect(answers.map(({ status }) => status)).toEqual([503, 200, 503]);
  expect((await fetch(`${url}/v3/clusters`)).status).toBe(401);
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
  expect(output().match(/Cannot reach Kafka/g)).toHaveLength(1);
  expect(output()).toContain("ECONNREFUSED 127.0.0.1:1");
  expect(output()).not.toMatch(/long enough|Warning/);
}, MINUTE_MS);
