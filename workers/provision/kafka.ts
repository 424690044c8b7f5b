import { prettyLog } from "../../src/http/log.ts";
import type { Call } from "../../src/http/call.ts";
import { planBroker } from "../../src/provision/broker.ts";
import type { Plan } from "../../src/provision/plan.ts";
import type { ProvisionSettings } from "../../src/provision/settings.ts";
import { openBridge } from "../kafka.ts";
import type { Closers } from "../process.ts";

/** What an ordinary Kafka lacks, asked through our own interface in front of it. */
export function planKafka(call: Call, settings: ProvisionSettings, { adopts, closers }: { adopts: boolean; closers: Closers }): Promise<Plan> {
  const { KAFKA_ADMIN_USERNAME: username = settings.KAFKA_USERNAME, KAFKA_ADMIN_PASSWORD: password = settings.KAFKA_PASSWORD, KAFKA_BROKERS: shown = "" } = settings;
  const credentials = { username: "provision", password: crypto.randomUUID() };
  const log = prettyLog((line) => console.error(line), Date.now);
  const bridge = openBridge({ ...settings, KAFKA_BROKERS: shown, KAFKA_USERNAME: username, KAFKA_PASSWORD: password }, { credentials, log, closers });
  const authorization = `Basic ${btoa(`${credentials.username}:${credentials.password}`)}`;
  return planBroker(call, { url: "http://broker.localhost", authorization, shown }, { fetch: bridge.fetch, now: Date.now, adopts });
}
