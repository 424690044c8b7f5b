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
 * one node. Where ours, embedded or in front of a real Kafka, differ on purpose:
 *
 * - `…/partitions/{p}/records` is ours, and read by the suite to see what was kept.
 * - A record for a topic or partition that is not there is refused at once, and not after a minute.
 * - Fields that the interface does not have are refused.
 * - Kafka's own topics are there from the first start where it is embedded, and cannot be deleted; a Kafka makes each when it
 *   first needs it, with as many partitions as it is set up for.
 * - The end of a partition is where what is committed ends: a transaction under way cannot be read, and counts for nothing.
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
