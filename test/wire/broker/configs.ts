import { expect, it } from "vitest";
import { fresh, type Wire } from "./wire.ts";

export function configsSuite(at: () => Wire): void {
  const configs = (topic: string) => `${at().topics}/${topic}/configs`;
  const alter = (topic: string, body: unknown) => at().call(`POST ${configs(topic)}:alter`, { body });
  const value = async (topic: string, name: string) => (await at().call(`GET ${configs(topic)}/${name}`)).body.value;

  it("lists every configuration with where it comes from", async () => {
    const topic = await at().newTopic(1, { configs: [{ name: "retention.ms", value: "60000" }] });
    const { status, body } = await at().call(`GET ${configs(topic)}`);
    expect([status, body.kind]).toEqual([200, "KafkaTopicConfigList"]);
    const byName = new Map<string, any>(body.data.map((config: { name: string }) => [config.name, config]));
    expect(byName.get("retention.ms")).toMatchObject({ topic_name: topic, value: "60000", is_default: false, is_read_only: false, is_sensitive: false, source: "DYNAMIC_TOPIC_CONFIG" });
    expect(byName.get("cleanup.policy")).toMatchObject({ value: "delete", is_default: true, source: "DEFAULT_CONFIG" });
    expect((await at().call(`GET ${configs(topic)}/retention.ms`)).body).toEqual(byName.get("retention.ms"));
    expect((await at().call(`GET ${configs(topic)}/nope`)).status).toBe(404);
  });

  it("sets some and resets others at once", async () => {
    const topic = await at().newTopic(1, { configs: [{ name: "retention.ms", value: "60000" }] });
    const answer = await alter(topic, { data: [{ name: "retention.bytes", value: "1000" }, { name: "retention.ms", operation: "DELETE" }] });
    expect([answer.status, answer.text]).toEqual([204, ""]);
    expect([await value(topic, "retention.bytes"), await value(topic, "retention.ms")]).toEqual(["1000", "604800000"]);
  });

  it("changes nothing when it is only to validate, or when one change is wrong", async () => {
    const topic = await at().newTopic();
    expect((await alter(topic, { data: [{ name: "retention.ms", value: "1" }], validate_only: true })).status).toBe(204);
    expect((await alter(topic, { data: [{ name: "retention.ms", value: "1" }, { name: "nope", value: "1" }] })).status).toBe(404);
    expect((await alter(topic, { data: [{ name: "retention.ms", value: "1" }, { name: "retention.bytes", value: "x" }] })).status).toBe(400);
    expect(await value(topic, "retention.ms")).toBe("604800000");
  });

  it.each([
    ["retention.ms", "x"],
    ["retention.ms", "-2"],
    ["retention.ms", "99999999999999999999"],
    ["cleanup.policy", "burn"],
    ["preallocate", "maybe"],
    ["max.message.bytes", "4294967296"],
  ])("refuses %s = %s", async (name, wrong) => {
    const topic = await at().newTopic();
    for (const answer of [await alter(topic, { data: [{ name, value: wrong }] }), await at().call(`POST ${at().topics}`, { body: { topic_name: fresh("t-"), configs: [{ name, value: wrong }] } })]) {
      expect([answer.status, answer.body.error_code]).toEqual([400, 40002]);
      expect(answer.body.message).toContain(`Invalid value ${wrong} for configuration ${name}`);
    }
  });

  it("does not find an unknown one, or the topic", async () => {
    const topic = await at().newTopic();
    const unknown = await alter(topic, { data: [{ name: "nope", value: "1" }] });
    expect([unknown.status, unknown.body.message]).toEqual([404, `Config nope cannot be found for TOPIC ${topic} in cluster ${at().cluster}.`]);
    expect((await alter(fresh("no-"), { data: [{ name: "retention.ms", value: "1" }] })).body.error_code).toBe(40403);
  });
}
