import kafkajs from "kafkajs";
import { bridgeSettings, readSettings } from "../../src/env.ts";

/** Makes Kafka make `__consumer_offsets`, which it does when somebody asks for a group for the first time. */
export async function provideOffsetsTopic(): Promise<void> {
  const settings = readSettings(bridgeSettings, { ...process.env, BROKER_PASSWORD: "not used here" });
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_USERNAME: username, KAFKA_PASSWORD: password } = settings;
  const sasl = mechanism && { sasl: { mechanism, username, password } as kafkajs.SASLOptions };
  const admin = new kafkajs.Kafka({ brokers: settings.KAFKA_BROKERS.split(","), logLevel: kafkajs.logLevel.NOTHING, ...sasl }).admin({ retry: { retries: 10 } });
  await admin.connect();
  try {
    await admin.describeGroups(["anybody"]);
  } finally {
    await admin.disconnect();
  }
}
