import { readFileSync } from "node:fs";
import kafkajs from "kafkajs";
import { brokerBridge } from "../../src/broker/bridge.ts";
import type { KafkaNetwork } from "../../src/broker/bridge/network.ts";
import { readSettings } from "../../src/env.ts";
import type { LogEntry } from "../../src/http/log.ts";
import { bridgeSettings, type KafkaSettings } from "../../src/settings/process.ts";
import { kafkaNetwork, openBridge } from "../../workers/kafka.ts";
import type { BrokerUnderTest } from "../wire/broker/wire.ts";

export type BridgeUnderTest = BrokerUnderTest & { log: LogEntry[]; close: () => void };

const CREDENTIALS = { username: "broker", password: "of the tests: ü" };

/** As KAFKA_BROKERS and its companions say. */
function kafkaSettings(): KafkaSettings {
  return readSettings(bridgeSettings, { ...process.env, BROKER_PASSWORD: "not used here: see above" });
}

/** A bridge in this process to the Kafka that KAFKA_BROKERS names. */
export function bridgeUnderTest(): BridgeUnderTest {
  const log: LogEntry[] = [];
  const closers: (() => unknown)[] = [];
  const { fetch } = openBridge(kafkaSettings(), { credentials: CREDENTIALS, log: (entry) => log.push(entry), closers });
  const close = () => {
    for (const end of closers) end();
  };
  return { fetch, baseUrl: "http://bridge.test", credentials: CREDENTIALS, log, close };
}

/** The same over a network that does to the real one what `spoil` does. */
export function bridgeOver(spoil: (network: KafkaNetwork) => KafkaNetwork): BridgeUnderTest {
  const log: LogEntry[] = [];
  const network = spoil(kafkaNetwork(kafkaSettings(), () => {}));
  const { fetch, close } = brokerBridge({ network, credentials: CREDENTIALS, now: Date.now, log: (entry) => log.push(entry) });
  return { fetch, baseUrl: "http://bridge.test", credentials: CREDENTIALS, log, close };
}

/** Another client of the same Kafka. */
export function otherClient(): kafkajs.Kafka {
  const { KAFKA_BROKERS: brokers, KAFKA_TLS: isOn, KAFKA_CA_FILE: file, KAFKA_SASL_MECHANISM: mechanism, KAFKA_USERNAME: username, KAFKA_PASSWORD: password } = kafkaSettings();
  const ssl = isOn && (file === undefined || { ca: readFileSync(file, "utf8") });
  const sasl = mechanism && { sasl: { mechanism, username, password } as kafkajs.SASLOptions };
  return new kafkajs.Kafka({ brokers: brokers.split(","), logLevel: kafkajs.logLevel.NOTHING, ssl, ...sasl });
}
