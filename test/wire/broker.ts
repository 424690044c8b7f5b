import { beforeAll, describe } from "vitest";
import { batchSuite } from "./broker/batch.ts";
import { clustersSuite } from "./broker/clusters.ts";
import { configsSuite } from "./broker/configs.ts";
import { readingSuite } from "./broker/reading.ts";
import { recordsSuite } from "./broker/records.ts";
import { topicsSuite } from "./broker/topics.ts";
import { type BrokerUnderTest, openWire, type Wire } from "./broker/wire.ts";

/**
 * What stands behind the platform's broker port must answer, as Confluent's REST v3 (8.x) does in front of a Kafka 4.4 of
 * one node. Where ours differs on purpose, `DIFFERENCES` says so.
 */
export function brokerSuite(name: string, open: () => Promise<BrokerUnderTest>): void {
  describe(name, () => {
    let opened: Wire;
    beforeAll(async () => {
      opened = await openWire(await open());
    });
    const at = () => opened;
    describe("clusters", () => clustersSuite(at));
    describe("topics", () => topicsSuite(at));
    describe("configurations", () => configsSuite(at));
    describe("records", () => recordsSuite(at));
    describe("batches", () => batchSuite(at));
    describe("reading", () => readingSuite(at));
  });
}
