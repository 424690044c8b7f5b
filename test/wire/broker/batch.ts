import { expect, it } from "vitest";
import { fresh, string, textOf, type Wire } from "./wire.ts";

export function batchSuite(at: () => Wire): void {
  const batch = (topic: string, entries: unknown) => at().call(`POST ${at().topics}/${topic}/records:batch`, { body: { entries } });

  it("delivers ten entries in order, each under its id", async () => {
    const topic = await at().newTopic();
    const ids = Array.from({ length: 10 }, (_, index) => `id-${index}`);
    const { status, body } = await batch(topic, ids.map(entry));
    expect([status, body.failures]).toEqual([207, []]);
    expect(body.successes.map(({ id, offset }: any) => [id, offset])).toEqual(ids.map((id, index) => [id, index]));
    expect(body.successes[0]).toMatchObject({ cluster_id: at().cluster, topic_name: topic, partition_id: 0, value: { type: "STRING", size: 5 } });
    const read = await at().read(topic);
    expect(read.body.data.map((record: any) => textOf(record.value))).toEqual(ids.map((id) => `v${id}`));
  });

  it("tells failures by their id, and delivers the rest", async () => {
    const topic = await at().newTopic();
    const { status, body } = await batch(topic, [entry("a"), { id: "b", partition_id: 9 }, { id: "c", value: { data: 1 } }, { id: "d", partition_id: -1 }, entry("e")]);
    expect(status).toBe(207);
    expect(body.successes.map(({ id, offset }: any) => [id, offset])).toEqual([["a", 0], ["e", 1]]);
    expect(body.failures.map(({ id, error_code }: any) => [id, error_code])).toEqual([["b", 40401], ["c", 422], ["d", 40402]]);
    expect(body.failures[1].message).toBe("Error: 42206 : Payload error. Schema Registry must be configured when using schemas.");
  });

  it("fails every entry for a topic that is not there", async () => {
    const { status, body } = await batch(fresh("no-"), [entry("a"), entry("b")]);
    expect([status, body.successes, body.failures.map(({ error_code }: any) => error_code)]).toEqual([207, [], [40401, 40401]]);
  });

  it.each<[string, unknown, string]>([
    ["no entries", undefined, "Empty batch."],
    ["none", [], "Empty batch."],
    ["eleven", Array.from({ length: 11 }, (_, index) => entry(String(index))), "Too many entries in batch."],
    ["an id twice", [entry("a"), entry("a")], "Batch entry IDs are not distinct."],
    ["an id that is a number", [entry(1)], "Batch entry identifier is not a valid string."],
    ["no id", [{ value: string("v") }], "Batch entry identifier is not a valid string."],
    ["an empty id", [entry("")], "Batch entry identifier is not a valid string."],
    ["an id too long", [entry("x".repeat(81))], "Batch entry identifier is not a valid string."],
    ["an id of other characters", [entry("a b")], "Batch entry identifier is not a valid string."],
  ])("refuses a batch with %s whole", async (_, entries, message) => {
    const topic = await at().newTopic();
    const { status, body } = await batch(topic, entries);
    expect([status, body]).toEqual([422, { error_code: 42208, message }]);
    expect((await at().read(topic)).body.latest_offset).toBe(0);
  });
}

function entry(id: unknown) {
  return { id, partition_id: 0, value: string(`v${id}`) };
}
