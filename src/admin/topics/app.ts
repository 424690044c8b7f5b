import type { Broker } from "../../broker/kafka-rest.ts";
import { Problem } from "../../http/problem.ts";
import type { Operate } from "../operate.ts";
import * as routes from "./routes.ts";

export function topicOperations(operate: Operate, { broker }: { broker: Broker }): void {
  operate(routes.listTopics, {
    about: () => "topics",
    run: async (c) => {
      const { listInternal = false, timeoutMs } = c.req.valid("query");
      const topics = await broker.listTopics(c.get("call"), { includeInternal: listInternal, timeout: timeoutMs });
      return c.json(topics.map(({ name, isInternal }) => ({ name, isInternal })), 200);
    },
  });

  operate(routes.createTopic, {
    about: (c) => `topic/${c.req.valid("json").topicName}`,
    run: async (c) => {
      const { topicName: name, numPartitions: partitions, replicationFactor, timeoutMs } = c.req.valid("json");
      const created = await broker.createTopic(c.get("call"), { name, partitions, replicationFactor, timeout: timeoutMs ?? undefined });
      if (created.outcome === "refused") throw new Problem("TOPIC_CREATION_FAILED_400", created.reason);
      return c.json({ responseCode: "200" as const, message: "Topic created successfully" as const }, 200);
    },
  });

  operate(routes.describeTopics, {
    about: (c) => `topic/${c.req.valid("query").topicNames.join(",")}`,
    run: async (c) => {
      const { topicNames: names, timeoutMs } = c.req.valid("query");
      const { found, missing } = await broker.describeTopics(c.get("call"), { names, timeout: timeoutMs });
      if (missing.length > 0) throw new Problem("TOPIC_NOT_FOUND_404", `There is no topic ${missing.map((name) => `"${name}"`).join(", ")}`);
      const described = found.map(({ name, partitions, isInternal, authorizedOperations }) => ({ name, partitions, isInternal, aclOperation: authorizedOperations }));
      return c.json(described.toSorted((a, b) => names.indexOf(a.name) - names.indexOf(b.name)), 200);
    },
  });
}
