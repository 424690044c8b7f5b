import { prettyLog } from "../../src/http/log.ts";
import type { Call } from "../../src/http/call.ts";
import { planBroker } from "../../src/provision/broker.ts";
import type { Plan } from "../../src/provision/plan.ts";
import { kafkaAdministrator, type ProvisionSettings } from "../../src/provision/settings.ts";
import { ownBridge } from "../kafka.ts";
import type { Closers } from "../process.ts";

/** What an ordinary Kafka lacks, asked through our own interface in front of it. */
export function planKafka(call: Call, settings: ProvisionSettings, { adopts, closers }: { adopts: boolean; closers: Closers }): Promise<Plan> {
  const { KAFKA_BROKERS: shown = "" } = settings;
  const log = prettyLog((line) => console.error(line), Date.now);
  const { url, authorization, fetch } = ownBridge({ ...settings, KAFKA_BROKERS: shown, ...kafkaAdministrator(settings) }, { log, closers });
  return planBroker(call, { url, authorization, shown }, { fetch, now: Date.now, adopts });
}
