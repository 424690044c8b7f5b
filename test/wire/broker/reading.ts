import { beforeAll, expect, it } from "vitest";
import { string, textOf, type Wire } from "./wire.ts";

/** Reading is ours, and the bridge's; a plain REST proxy offers `…/offset` only. */
export function readingSuite(at: () => Wire): void {
  let topic: string;
  beforeAll(async () => {
    topic = await at().newTopic(2);
    await at().produce(topic, ...Array.from({ length: 150 }, (_, index) => ({ partition_id: 0, value: string(`v${index}`) })));
  });

  it("tells the earliest and the latest offset", async () => {
    const { status, body } = await at().call(`GET ${at().topics}/${topic}/partitions/0/offset`);
    expect([status, body]).toEqual([200, expect.objectContaining({ kind: "KafkaPartitionWithOffsets", partition_id: 0, earliest_offset: 0, latest_offset: 150 })]);
    expect((await at().call(`GET ${at().topics}/${topic}/partitions/1/offset`)).body).toMatchObject({ earliest_offset: 0, latest_offset: 0 });
    expect((await at().call(`GET ${at().topics}/${topic}/partitions/0/offset?offset_type=x`)).status).toBe(400);
  });

  it("reads a hundred from the beginning, unless told otherwise", async () => {
    const { body } = await at().read(topic);
    expect([body.kind, body.earliest_offset, body.latest_offset]).toEqual(["KafkaRecordList", 0, 150]);
    expect(values(body)).toEqual(Array.from({ length: 100 }, (_, index) => `v${index}`));
    expect(values((await at().read(topic, 0, "?offset=148")).body)).toEqual(["v148", "v149"]);
    expect(values((await at().read(topic, 0, "?offset=3&max=2")).body)).toEqual(["v3", "v4"]);
  });

  it("reads on where `next` says, to the end", async () => {
    let path = `${at().topics}/${topic}/partitions/0/records?max=70`;
    const all: string[] = [];
    for (let page = 0; page < 4; page++) {
      const { body } = await at().call(`GET ${path}`);
      all.push(...values(body));
      path = body.metadata.next.slice(body.metadata.next.indexOf("/v3"));
    }
    expect(all).toEqual(Array.from({ length: 150 }, (_, index) => `v${index}`));
    expect(path).toContain("offset=150");
  });

  it.each(["?offset=151", "?offset=999999999999999"])("has nothing beyond the end: %s", async (query) => {
    const { status, body } = await at().read(topic, 0, query);
    expect([status, body]).toEqual([400, { error_code: 40002, message: "The requested offset is not within the range of offsets maintained by the server." }]);
  });

  it.each(["?max=0", "?max=501", "?max=-1", "?max=x", "?offset=-1", "?offset=x", "?offset=1e3", "?offset=9999999999999999999"])("refuses %s", async (query) => {
    const { status, body } = await at().read(topic, 0, query);
    expect([status, body.error_code]).toEqual([400, 400]);
  });

  it("does not find a partition that is not there", async () => {
    expect((await at().read(topic, 2)).body).toEqual({ error_code: 40402, message: "Partition not found." });
    expect((await at().call(`GET ${at().topics}/${topic}/partitions/x/records`)).status).toBe(404);
    expect((await at().call(`GET ${at().topics}/${topic}/partitions/2147483648/records`)).status).toBe(404);
  });

  it("answers large records a few at a time", async () => {
    const large = await at().newTopic();
    for (let index = 0; index < 4; index++) await at().produce(large, { value: string(`${index}`.repeat(300_000)) });
    const { body, text } = await at().read(large);
    expect(body.data.map((record: any) => record.offset)).toEqual([0]);
    expect(text.length).toBeLessThan(1024 * 1024);
    expect((await at().read(large, 0, "?offset=3")).body.data.map((record: any) => record.offset)).toEqual([3]);
  });
}

function values(body: any): string[] {
  return body.data.map((record: any) => textOf(record.value));
}
