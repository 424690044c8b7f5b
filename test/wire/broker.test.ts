import { afterAll } from "vitest";
import { embeddedUnderTest } from "../broker/embedded.ts";
import { provideOffsetsTopic } from "../broker/offsets-topic.ts";
import { brokerSuite } from "./broker.ts";

// A REST v3 in front of a real Kafka is checked instead where KAFKA_REST_URL names one.
const url = process.env["KAFKA_REST_URL"];
const [username, password] = (process.env["KAFKA_REST_CREDENTIALS"] ?? "").split(":");

if (url) {
  brokerSuite(`the broker at ${url}`, async () => {
    if (process.env["KAFKA_BROKERS"]) await provideOffsetsTopic();
    return { fetch: (request) => fetch(request), baseUrl: url, ...(username && password && { credentials: { username, password } }) };
  });
} else {
  const closers: (() => Promise<void>)[] = [];
  afterAll(() => Promise.all(closers.map((close) => close())));
  brokerSuite("the embedded broker", async () => {
    const embedded = await embeddedUnderTest();
    closers.push(embedded.close);
    return embedded;
  });
}
