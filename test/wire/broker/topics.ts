import { describe, expect, it } from "vitest";
import { fresh, type Wire } from "./wire.ts";

const MISSING = { error_code: 40403, message: "This server does not host this topic-partition." };
const INTERNAL = new Set(["__consumer_offsets", "__share_group_state", "__transaction_state"]);
const ALL = ["ALTER", "ALTER_CONFIGS", "CREATE", "DELETE", "DESCRIBE", "DESCRIBE_CONFIGS", "READ", "WRITE"];

export function topicsSuite(at: () => Wire): void {
  const create = (body: unknown) => at().call(`POST ${at().topics}`, { body });
  const get = (name: string, query = "") => at().call(`GET ${at().topics}/${name}${query}`);

  it("creates a topic as it was asked for, and says where", async () => {
    const name = fresh("t-");
    const { status, headers, body } = await create({ topic_name: name, partitions_count: 3, replication_factor: 1 });
    expect(status).toBe(201);
    expect(headers.get("location")).toBe(body.metadata.self);
    expect(body).toMatchObject({
      kind: "KafkaTopic",
      cluster_id: at().cluster,
      topic_name: name,
      is_internal: false,
      replication_factor: 1,
      partitions_count: 3,
      metadata: { resource_name: `crn:///kafka=${at().cluster}/topic=${name}` },
      authorized_operations: [],
    });
    expect((await get(name)).body).toEqual(body);
  });

  it.each([{}, { partitions_count: null, replication_factor: null }, { partitions_count: -1, replication_factor: -1 }])("gives what is left open its default: %j", async (more) => {
    const { status, body } = await create({ topic_name: fresh("t-"), ...more });
    expect([status, body.partitions_count, body.replication_factor]).toEqual([201, 1, 1]);
  });

  it("creates a topic by the places of its replicas", async () => {
    const { status, body } = await create({ topic_name: fresh("t-"), replicas_assignments: { 0: [1], 1: [1] } });
    expect([status, body.partitions_count]).toEqual([201, 2]);
  });

  it("only validates when told so", async () => {
    const name = fresh("t-");
    const { status, body } = await create({ topic_name: name, partitions_count: 2, validate_only: true });
    expect([status, body.partitions_count]).toEqual([200, 2]);
    expect([(await get(name)).status, (await create({ topic_name: name })).status]).toEqual([404, 201]);
    const again = await create({ topic_name: name, validate_only: true });
    expect([again.status, again.body.message]).toEqual([400, `Topic '${name}' already exists.`]);
  });

  it("refuses a topic that exists, whatever else is asked of it", async () => {
    const name = await at().newTopic();
    for (const more of [{}, { partitions_count: 5 }, { partitions_count: 0 }, { replication_factor: 9 }, { configs: [{ name: "nope", value: "1" }] }]) {
      const { status, body } = await create({ topic_name: name, ...more });
      expect([status, body]).toEqual([400, { error_code: 40002, message: `Topic '${name}' already exists.` }]);
    }
    expect((await get(name)).body.partitions_count).toBe(1);
  });

  it("refuses a name that differs from another in a dot for an underscore", async () => {
    const stem = fresh("c");
    expect((await create({ topic_name: `${stem}.x_y` })).status).toBe(201);
    for (const name of [`${stem}_x_y`, `${stem}_x.y`]) {
      const { status, body } = await create({ topic_name: name });
      expect([status, body]).toEqual([400, { error_code: 40002, message: `Topic '${name}' collides with existing topic: ${stem}.x_y` }]);
    }
    expect((await create({ topic_name: `${stem}-x-y` })).status).toBe(201);
  });

  it.each(["", ".", "..", "a b", "a/b", "ü", "漢字", "a\u0000b", "a%2eb", "x".repeat(250), "x".repeat(10_000)])("refuses the name %j", async (topic_name) => {
    const { status, body } = await create({ topic_name });
    expect([status, body]).toEqual([422, { error_code: 42206, message: "Payload error. Invalid topic name." }]);
  });

  it.each(["...", "-", "_", "A", "x".repeat(200)])("takes the name %j", async (stem) => {
    const name = `${stem}${fresh("-")}`;
    expect((await create({ topic_name: name })).status).toBe(201);
    expect((await get(name)).body.topic_name).toBe(name);
  });

  it.each<[unknown, string]>([
    [{ replication_factor: 3 }, "Unable to replicate the partition 3 time(s): The target replication factor of 3 cannot be reached because only 1 broker(s) are registered or some brokers have all their log directories cordoned."],
    [{ replication_factor: 0 }, "Replication factor must be larger than 0, or -1 to use the default value."],
    [{ replication_factor: -2 }, "Replication factor must be larger than 0, or -1 to use the default value."],
    [{ partitions_count: 0 }, "Number of partitions was set to an invalid non-positive value."],
    [{ partitions_count: -2 }, "Number of partitions was set to an invalid non-positive value."],
    [{ partitions_count: 20_000 }, "Excessively large number of partitions per request."],
    [{ configs: [{ name: "nope", value: "1" }] }, "Unknown topic config name: nope"],
  ])("refuses %j in Kafka's words", async (more, message) => {
    const name = fresh("t-");
    const { status, body } = await create({ topic_name: name, ...(more as object) });
    expect([status, body]).toEqual([400, { error_code: 40002, message }]);
    expect((await get(name)).status).toBe(404);
  });

  it("refuses replicas on a node that is not there", async () => {
    const { status, body } = await create({ topic_name: fresh("t-"), replicas_assignments: { 0: [7] } });
    expect([status, body.error_code]).toEqual([500, 50002]);
  });

  it.each<[string, unknown, number, number]>([
    ["no body", "", 422, 42206],
    ["no name", {}, 400, 400],
    ["a name that is no text", { topic_name: 1 }, 400, 400],
    ["an unknown field", { topic_name: "t", partitions: 3 }, 400, 400],
    ["a count that is no number", { topic_name: "t", partitions_count: "x" }, 400, 400],
    ["a count beyond 32 bits", { topic_name: "t", partitions_count: 2 ** 31 }, 400, 400],
    ["a list", [], 400, 400],
    ["broken JSON", '{"topic_name":', 400, 400],
    ["two objects", '{"topic_name":"a"}{"topic_name":"b"}', 400, 400],
  ])("refuses a body with %s", async (_, body, status, code) => {
    const answer = await create(body);
    expect([answer.status, answer.body.error_code, typeof answer.body.message]).toEqual([status, code, "string"]);
  });

  it("refuses another media type", async () => {
    const answer = await at().call(`POST ${at().topics}`, { body: { topic_name: "t" }, headers: { "content-type": "text/plain" } });
    expect([answer.status, answer.body.error_code]).toEqual([415, 415]);
  });

  it("lists topics by name, and none of Kafka's own", async () => {
    const names = [await at().newTopic(), await at().newTopic()];
    const { status, body } = await at().call(`GET ${at().topics}`);
    expect([status, body.kind, body.metadata.next]).toEqual([200, "KafkaTopicList", null]);
    const listed: string[] = body.data.map((topic: { topic_name: string }) => topic.topic_name);
    expect(listed).toEqual(expect.arrayContaining(names));
    expect(listed).toEqual(listed.toSorted());
    expect(listed.filter((name) => INTERNAL.has(name))).toEqual([]);
    expect(body.data.every((topic: { authorized_operations: string[] }) => topic.authorized_operations.length === 0)).toBe(true);
  });

  it("has Kafka's own topics, each by its name", async () => {
    const { status, body } = await get("__consumer_offsets");
    expect([status, body.is_internal, body.partitions_count > 0]).toEqual([200, true, true]);
    expect((await create({ topic_name: "__consumer_offsets" })).body.message).toBe("Topic '__consumer_offsets' already exists.");
    expect(await at().produce("__consumer_offsets", { value: { type: "STRING", data: "x" } })).toEqual([
      { error_code: 40002, message: "The request attempted to perform an operation on an invalid topic." },
    ]);
  });

  it("tells authorized operations where it is asked to", async () => {
    const name = await at().newTopic();
    expect((await get(name, "?include_authorized_operations=true")).body.authorized_operations.toSorted()).toEqual(ALL);
    expect((await get(name, "?includeAuthorizedOperations=true")).body.authorized_operations).toEqual([]);
    const { body } = await at().call(`GET ${at().topics}?includeAuthorizedOperations=true`);
    expect(body.data.find((topic: { topic_name: string }) => topic.topic_name === name).authorized_operations.toSorted()).toEqual(ALL);
  });

  it("deletes a topic with all there was in it", async () => {
    const name = await at().newTopic(2);
    await at().produce(name, { partition_id: 0, value: { type: "STRING", data: "x" } });
    const gone = await at().call(`DELETE ${at().topics}/${name}`);
    expect([gone.status, gone.text]).toEqual([204, ""]);
    expect((await get(name)).status).toBe(404);
    expect((await create({ topic_name: name })).status).toBe(201);
    const { body } = await at().call(`GET ${at().topics}/${name}/partitions/0/offset`);
    expect([body.earliest_offset, body.latest_offset]).toEqual([0, 0]);
  });

  it.each(["GET /{t}", "DELETE /{t}", "GET /{t}/partitions", "GET /{t}/configs", "GET /{t}/partitions/0/offset"])("does not find %s of a topic that is not there", async (line) => {
    const [method, path = ""] = line.split(" ");
    for (const name of [fresh("no-"), "%2e%2e%2f", "a%00b", "%ff", "x".repeat(300)]) {
      const { status, body } = await at().call(`${method} ${at().topics}${path.replace("{t}", name)}`);
      expect([status, body]).toEqual([404, MISSING]);
    }
  });

  describe("partitions", () => {
    it("lists them, and gets each", async () => {
      const name = await at().newTopic(3);
      const { status, body } = await at().call(`GET ${at().topics}/${name}/partitions`);
      expect([status, body.kind]).toEqual([200, "KafkaPartitionList"]);
      expect(body.data.map((partition: { partition_id: number }) => partition.partition_id)).toEqual([0, 1, 2]);
      expect((await at().call(`GET ${at().topics}/${name}/partitions/2`)).body).toEqual(body.data[2]);
      expect((await at().call(`GET ${at().topics}/${name}/partitions/3`)).status).toBe(404);
    });

    it("adds some, and never takes any away", async () => {
      const name = await at().newTopic(2);
      const patch = (partitions_count: number) => at().call(`PATCH ${at().topics}/${name}`, { body: { partitions_count } });
      const grown = await patch(4);
      expect([grown.status, grown.body.partitions_count]).toEqual([200, 4]);
      expect(await at().produce(name, { partition_id: 3, value: { type: "STRING", data: "x" } })).toMatchObject([{ error_code: 200, partition_id: 3, offset: 0 }]);
      expect((await patch(4)).body).toEqual({ error_code: 40002, message: "Topic already has 4 partition(s)." });
      expect((await patch(1)).body).toEqual({ error_code: 40002, message: `The topic ${name} currently has 4 partition(s); 1 would not be an increase.` });
      expect((await at().call(`PATCH ${at().topics}/${fresh("no-")}`, { body: { partitions_count: 2 } })).body).toEqual(MISSING);
    });
  });
}
