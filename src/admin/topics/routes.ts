import { answer, body, route } from "../../http/route.ts";
import * as schema from "./schema.ts";

const access = { permission: "kafka-ops" };
const tags = ["Topics"];

export const listTopics = route({
  access,
  method: "get",
  path: "/api/admin/topics",
  operationId: "listTopics",
  summary: "The topics of the broker",
  tags,
  request: { query: schema.Listing },
  responses: { 200: answer("The topics", schema.Topics, { example: [{ name: "orders", isInternal: false }] }) },
});

export const createTopic = route({
  access,
  method: "post",
  path: "/api/admin/topics",
  operationId: "createTopic",
  summary: "Create a topic",
  description: "Really, not for validation only. When the broker's answer is lost, the topic is looked for before this one is given.",
  tags,
  request: { body: body(schema.NewTopic, { example: { topicName: "orders", numPartitions: 3, replicationFactor: 1, timeoutMs: 5000 } }) },
  responses: { 200: answer("Created", schema.Created, { example: { responseCode: "200", message: "Topic created successfully" } }) },
  problems: ["TOPIC_CREATION_FAILED_400"],
});

export const describeTopics = route({
  access,
  method: "get",
  path: "/api/admin/topics/describe",
  operationId: "describeTopics",
  summary: "Topics in detail",
  tags,
  request: { query: schema.Description },
  responses: { 200: answer("The topics in the order they were named", schema.Descriptions, { example: [schema.exampleDescription] }) },
  problems: ["TOPIC_NOT_FOUND_404"],
});
