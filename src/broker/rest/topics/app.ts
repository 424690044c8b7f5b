import { Hono } from "hono";
import { topicNameFault } from "../../topic-name.ts";
import type { ConfigChanges, Topic } from "../cluster.ts";
import { readJson } from "../json.ts";
import type { Rest } from "../needs.ts";
import { placeOf, type Timed, topicOf } from "../place.ts";
import { badPayload, httpRefusal, Refusal } from "../refusal.ts";
import { collection, configData, partitionData, topicData, urlOf } from "./representation.ts";
import { configChangesSchema, newTopicSchema, partitionsCountSchema } from "./schema.ts";

/** Topics with their partitions and configurations, below `/v3/clusters/:cluster/topics`. */
export function topicsApi<T extends Topic>(rest: Rest<T>): Hono<Timed> {
  const { cluster } = rest;
  const app = new Hono<Timed>();

  app.get("/", async (c) => {
    const place = await placeOf(c, rest);
    const topics = await cluster.listTopics(c.get("until"), c.req.query("includeAuthorizedOperations") === "true");
    return c.json(collection("KafkaTopicList", urlOf(place, "topics"), topics.map((topic) => topicData(place, topic))));
  });

  app.post("/", async (c) => {
    const place = await placeOf(c, rest);
    const body = await readJson(c, newTopicSchema);
    if (topicNameFault(body.topic_name) !== undefined) throw badPayload("Invalid topic name.");
    const data = topicData(place, await cluster.createTopic(c.get("until"), body));
    return c.json(data, body.validate_only === true ? 200 : 201, { location: data.metadata.self });
  });

  app.get("/:topic", async (c) => {
    const place = await placeOf(c, rest);
    return c.json(topicData(place, await topicOf(c, rest, c.req.query("include_authorized_operations") === "true")));
  });

  app.patch("/:topic", async (c) => {
    const place = await placeOf(c, rest);
    const { partitions_count: partitions } = await readJson(c, partitionsCountSchema);
    const topic = await topicOf(c, rest);
    await cluster.addPartitions(c.get("until"), { topic, partitions });
    return c.json(topicData(place, await topicOf(c, rest)));
  });

  app.delete("/:topic", async (c) => {
    await placeOf(c, rest);
    await cluster.deleteTopic(c.get("until"), await topicOf(c, rest));
    return c.body(null, 204);
  });

  app.get("/:topic/partitions", async (c) => {
    const place = await placeOf(c, rest);
    const topic = await topicOf(c, rest);
    const data = topic.leaders.map((_, partition) => partitionData(place, topic, partition));
    return c.json(collection("KafkaPartitionList", urlOf(place, "topics", topic.name, "partitions"), data));
  });

  app.get("/:topic/partitions/:partition{\\d+}", async (c) => {
    const place = await placeOf(c, rest);
    const topic = await topicOf(c, rest);
    const partition = Number(c.req.param("partition"));
    if (partition >= topic.leaders.length) throw httpRefusal(404);
    return c.json(partitionData(place, topic, partition));
  });

  app.get("/:topic/configs", async (c) => {
    const place = await placeOf(c, rest);
    const topic = await topicOf(c, rest);
    const data = (await cluster.configs(c.get("until"), topic)).map((entry) => configData(place, topic.name, entry));
    return c.json(collection("KafkaTopicConfigList", urlOf(place, "topics", topic.name, "configs"), data));
  });

  app.get("/:topic/configs/:config", async (c) => {
    const place = await placeOf(c, rest);
    const topic = await topicOf(c, rest);
    const entry = (await cluster.configs(c.get("until"), topic)).find((config) => config.name === c.req.param("config"));
    if (!entry) throw httpRefusal(404);
    return c.json(configData(place, topic.name, entry));
  });

  app.post("/:topic/:verb{configs:alter}", async (c) => {
    const place = await placeOf(c, rest);
    const { data, validate_only } = await readJson(c, configChangesSchema);
    const topic = await topicOf(c, rest);
    const known = new Set((await cluster.configs(c.get("until"), topic)).map(({ name }) => name));
    const changes: ConfigChanges = { set: {}, unset: [], isTrial: validate_only === true };
    for (const { name, value, operation } of data) {
      if (!known.has(name)) throw new Refusal(404, `Config ${name} cannot be found for TOPIC ${topic.name} in cluster ${place.cluster}.`);
      if (operation === "DELETE") changes.unset.push(name);
      else changes.set[name] = value ?? null;
    }
    await cluster.changeConfigs(c.get("until"), { topic, changes });
    return c.body(null, 204);
  });

  return app;
}
