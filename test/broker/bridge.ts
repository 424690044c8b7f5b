import { bridgeSettings, readSettings } from "../../src/env.ts";
import type { LogEntry } from "../../src/http/log.ts";
import { openBridge } from "../../workers/kafka.ts";
import type { BrokerUnderTest } from "../wire/broker/wire.ts";

export type BridgeUnderTest = BrokerUnderTest & { log: LogEntry[]; close: () => void };

const CREDENTIALS = { username: "broker", password: "of the tests: ü" };

/** A bridge in this process to the Kafka that KAFKA_BROKERS names; `more` are other settings than those of the environment. */
export function bridgeUnderTest(more: Record<string, string> = {}): BridgeUnderTest {
  const settings = readSettings(bridgeSettings, { ...process.env, BROKER_PASSWORD: "not used here: see above", ...more });
  const log: LogEntry[] = [];
  const closers: (() => unknown)[] = [];
  const { fetch } = openBridge(settings, { credentials: CREDENTIALS, log: (entry) => log.push(entry), closers });
  return {
    fetch,
    baseUrl: "http://bridge.test",
    credentials: CREDENTIALS,
    log,
    close() {
      for (const close of closers) close();
    },
  };
}
