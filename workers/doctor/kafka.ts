import { type BrokerNeeds, brokerChecks } from "../../src/doctor/broker/checks.ts";
import { type Finding, type Findings, findingsOf } from "../../src/doctor/finding.ts";
import { brokerFindings } from "../../src/doctor/findings/broker.ts";
import { lostTo } from "../../src/doctor/reach.ts";
import { TooLate } from "../../src/http/within.ts";
import type { KafkaSettings } from "../../src/settings/process.ts";
import { ownBridge } from "../kafka.ts";
import { closeAll, type Closers } from "../process.ts";

const found = findingsOf("broker", brokerFindings);

/** An ordinary Kafka: each of its nodes by itself, then all of it through our bridge, in process. */
export async function* examineKafka(settings: KafkaSettings, { positions }: Pick<BrokerNeeds, "positions">): Findings {
  const closers: Closers = [];
  const nodes = settings.KAFKA_BROKERS.split(",");
  try {
    const tried = await Promise.all(nodes.map(async (node) => ({ node, lost: await whyLost({ ...settings, KAFKA_BROKERS: node }, closers) })));
    const away = tried.filter(({ lost }) => lost !== undefined);
    const fault = away.length === nodes.length ? away[0]?.lost : undefined;
    if (fault) {
      yield fault;
      return fault.sentence;
    }
    yield* away.length > 0 ? away.map(({ node }) => found("node-away", { node })) : [found("nodes", { count: nodes.length })];
    const { url, authorization, fetch } = ownBridge(settings, { log: () => {}, closers });
    const place = { url, shown: `kafka://${nodes[0]}`, setting: "KAFKA_BROKERS", hasCredential: settings.KAFKA_USERNAME !== undefined, leastBrokers: nodes.length, positions };
    return yield* brokerChecks({ ...place, authorization, fetch, now: Date.now });
  } finally {
    await closeAll(closers);
  }
}

/** What its bridge says in the log, which names the causes. */
async function whyLost(settings: KafkaSettings, closers: Closers): Promise<Finding | undefined> {
  let said: string | undefined;
  const bridge = ownBridge(settings, { closers, log: ({ error }) => (said ??= error) });
  await bridge.greet();
  if (said === undefined) return undefined;
  if (said.includes("CredentialsRefused")) return found("credential-refused", { setting: "KAFKA_USERNAME and KAFKA_PASSWORD", status: settings.KAFKA_SASL_MECHANISM ?? "none" });
  const place = { system: "broker", setting: "KAFKA_BROKERS", url: `kafka://${settings.KAFKA_BROKERS}` };
  const code = /\b(E[A-Z]{5,}|[A-Z_]*CERT[A-Z_]*|[A-Z_]*SIGNED[A-Z_]*|ERR_SSL_[A-Z_]+)\b/.exec(said)?.[0];
  if (code !== undefined) return lostTo(place, Object.assign(new Error(code), { code }));
  return /\bTooLate\b|timeout/i.test(said) ? lostTo(place, new TooLate(said)) : found("node-odd", { node: settings.KAFKA_BROKERS });
}
