import { Hono } from "hono";
import type { Cluster } from "../cluster.ts";
import { readJson } from "../json.ts";
import { placeOf, topicOf } from "../place.ts";
import { badRequest, Refusal, unknownTopic } from "../refusal.ts";
import { configEntries, configFault, isConfig } from "./configs.ts";
import { checkSize, topicToMake } from "./creation.ts";
import { collection, configData, partitionData, topicData, urlOf } from "./representation.ts";
import { configChangesSchema, newTopicSchema, partitionsCountSchema } from "./schema.ts";
import { addPartitions, changeConfigs, deleteTopic, findRival, findTopic, insertTopic, listTopics, type Topic } from "./store.ts";

/** Topics with their partitions and configurations, below `/v3/clusters/:cluster/topics`. */
export function topicsApi(cluster: Cluster): Hono {
  const { db } = cluster;
  const app = new Hono();

  app.get("/", async (c) => {
    const place = await placeOf(c, cluster);
    const isAsked = c.req.query("includeAuthorizedOperations") === "true";
    const data = (await listTopics(db)).map((topic) => topicData(place, topic, isAsked));
    return c.json(collection("KafkaTopicList", urlOf(place, "topics"), data));
  });

  app.post("/", async (c) => {
    const place = await placeOf(c, cluster);
    const body = await readJson(c, newTopicSchema);
    const isTrial = body.validate_only === true;
    const made = await make(body, isTrial);
    const data = topicData(place, { ...made, isInternal: false });
    return c.json(data, isTrial ? 200 : 201, { location: data.metadata.self });
  });

  app.get("/:topic", async (c) => {
    const place = await placeOf(c, cluster);
    return c.json(topicData(place, await topicOf(c, cluster), c.req.query("include_authorized_operations") === "true"));
  });

  app.patch("/:topic", async (c) => {
    const place = await placeOf(c, cluster);
    const { partitions_count: partitions } = await readJson(c, partitionsCountSchema);
    const topic = await topicOf(c, cluster);
    checkSize(partitions);
    if (!(await addPartitions(db, { name: topic.name, partitions }))) throw await noIncrease(topic.name, partitions);
    return c.json(topicData(place, await topicOf(c, cluster)));
  });

  app.delete("/:topic", async (c) => {
    await placeOf(c, cluster);
    const topic = await topicOf(c, cluster);
    // Kafka lets go even of its own; here they are made at the first start only.
    if (topic.isInternal) throw badRequest("The request attempted to perform an operation on an invalid topic.");
    if (!(await deleteTopic(db, topic.name))) throw unknownTopic();
    return c.body(null, 204);
  });

  app.get("/:topic/partitions", async (c) => {
    const place = await placeOf(c, cluster);
    const { name, partitions } = await topicOf(c, cluster);
    const data = Array.from({ length: partitions }, (_, partition) => partitionData(place, name, partition));
    return c.json(collection("KafkaPartitionList", urlOf(place, "topics", name, "partitions"), data));
  });

  app.get("/:topic/partitions/:partition{\\d+}", async (c) => {
    const place = await placeOf(c, cluster);
    const { name, partitions } = await topicOf(c, cluster);
    const partition = Number(c.req.param("partition"));
    if (partition >= partitions) throw new Refusal(404, "HTTP 404 Not Found");
    return c.json(partitionData(place, name, partition));
  });

  app.get("/:topic/configs", async (c) => {
    const place = await placeOf(c, cluster);
    const { name, configs } = await topicOf(c, cluster);
    const data = configEntries(configs).map((entry) => configData(place, name, entry));
    return c.json(collection("KafkaTopicConfigList", urlOf(place, "topics", name, "configs"), data));
  });

  app.get("/:topic/configs/:config", async (c) => {
    const place = await placeOf(c, cluster);
    const { name, configs } = await topicOf(c, cluster);
    const entry = configEntries(configs).find((config) => config.name === c.req.param("config"));
    if (!entry) throw new Refusal(404, "HTTP 404 Not Found");
    return c.json(configData(place, name, entry));
  });

  app.post("/:topic/:verb{configs:alter}", async (c) => {
    const place = await placeOf(c, cluster);
    const { data, validate_only } = await readJson(c, configChangesSchema);
    const { name } = await topicOf(c, cluster);
    const set: Record<string, string> = {};
    const unset: string[] = [];
    for (const change of data) {
      if (!isConfig(change.name)) throw new Refusal(404, `Config ${change.name} cannot be found for TOPIC ${name} in cluster ${place.cluster}.`);
      const fault = change.operation === "DELETE" ? undefined : configFault(change.name, change.value ?? null);
      if (fault !== undefined) throw badRequest(fault);
      if (change.operation === "DELETE") unset.push(change.name);
      else set[change.name] = change.value ?? "";
    }
    if (validate_only !== true && !(await changeConfigs(db, name, { set, unset }))) throw unknownTopic();
    return c.body(null, 204);
  });

  return app;

  async function make(body: Parameters<typeof topicToMake>[0], isTrial: boolean): Promise<Pick<Topic, "name" | "partitions">> {
    let made: ReturnType<typeof topicToMake>;
    try {
      made = topicToMake(body);
    } catch (error) {
      // Whatever else is wrong with it, of a name that is taken Kafka says so.
      if (error instanceof Refusal && error.code !== 42206) await refuseTaken(body.topic_name);
      throw error;
    }
    if (isTrial) await refuseTaken(made.name);
    // The name may have become free again before it could be told who had it.
    else while (!(await insertTopic(db, made))) await refuseTaken(made.name);
    return made;
  }

  async function refuseTaken(name: string): Promise<void> {
    const rival = await findRival(db, name);
    if (rival === name) throw badRequest(`Topic '${name}' already exists.`);
    if (rival !== undefined) throw badRequest(`Topic '${name}' collides with existing topic: ${rival}`);
  }

  async function noIncrease(name: string, partitions: number): Promise<Refusal> {
    const topic = await findTopic(db, name);
    if (!topic) return unknownTopic();
    if (topic.partitions === partitions) return badRequest(`Topic already has ${partitions} partition(s).`);
    return badRequest(`The topic ${name} currently has ${topic.partitions} partition(s); ${partitions} would not be an increase.`);
  }
}
