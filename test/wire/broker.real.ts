import { afterAll } from "vitest";
import { bridgeUnderTest } from "../broker/bridge.ts";
import { provideOffsetsTopic } from "../broker/offsets-topic.ts";
import { brokerSuite } from "./broker.ts";

const bridge = bridgeUnderTest();
afterAll(bridge.close);
brokerSuite("the bridge to a real Kafka", async () => {
  await provideOffsetsTopic();
  return bridge;
});
