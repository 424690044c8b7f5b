import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { reader } from "../../src/broker/bridge/protocol/reader.ts";
import { writer } from "../../src/broker/bridge/protocol/writer.ts";
import { decompression } from "../../src/broker/bridge/records/compression.ts";
import { crc32c } from "../../src/broker/bridge/records/crc32c.ts";
import { batchesIn } from "../../src/broker/bridge/records/decode.ts";
import { encodeBatch } from "../../src/broker/bridge/records/encode.ts";
import { type Lost, taker } from "../../src/broker/bridge/records/taker.ts";
import type { RecordToAppend } from "../../src/broker/rest/cluster.ts";
import { zippedBatch } from "./batches.ts";

const MEGABYTE = 1024 * 1024;
const decompress = decompression({});
const text = (value: string) => new TextEncoder().encode(value);
const base64 = (bytes: Uint8Array | null) => bytes && Buffer.from(bytes).toString("base64");

function record(more: Partial<RecordToAppend> = {}): RecordToAppend {
  return { partition: 0, timestamp: 1_700_000_000_000, key: null, value: text("v"), headers: [], size: 80, ...more };
}

type Wanted = { from?: number; max?: number; maxBytes?: number };

async function read(batches: Uint8Array, { from = 0, max = 500, maxBytes = 512 * 1024 }: Wanted = {}) {
  const lost: Lost[] = [];
  const taking = taker({ from, max, maxBytes }, { decompress, passOver: (some) => lost.push(some) });
  for (const batch of batchesIn({ batches, aborted: [] })) await taking.take(batch);
  const { records, next } = taking.state();
  return { next, records, lost };
}

it("has the checksum of RFC 3720", () => {
  expect(crc32c(text("123456789")) >>> 0).toBe(0xe3069283);
  expect(crc32c(new Uint8Array(32)) >>> 0).toBe(0x8a9136aa);
});

it.each([0, 1, -1, 63, 64, -64, -65, 8191, 8192, 2 ** 31 - 1, -(2 ** 31)])("writes the number %i as it reads it", (value) => {
  const to = writer(1);
  to.varint(value);
  to.varlong(value);
  to.int32(value);
  to.int64(value);
  const from = reader(to.done());
  expect([from.varint(), from.varlong(), from.int32(), from.int64(), from.left()]).toEqual([value, value, value, value, 0]);
});

it("writes text and lists in both manners, and knows nothing from nought", () => {
  const to = writer(1);
  for (const value of ["", "ü", null, "x".repeat(300)]) {
    to.string(value);
    to.compactString(value);
  }
  to.array([1, 2], to.int16);
  to.compactArray(["a"], to.compactString);
  to.tags();
  const from = reader(to.done());
  for (const value of ["", "ü", null, "x".repeat(300)]) expect([from.string(), from.compactString()]).toEqual([value, value]);
  expect([from.array(from.int16), from.compactArray(from.compactString)]).toEqual([[1, 2], ["a"]]);
  from.tags();
  expect(from.left()).toBe(0);
});

it("ends where its bytes do", () => {
  expect(() => reader(new Uint8Array(3)).int32()).toThrow(RangeError);
  expect(() => reader(new Uint8Array(20).fill(0xff)).varint()).toThrow(RangeError);
  expect(() => reader(new Uint8Array(20).fill(0xff)).varlong()).toThrow(RangeError);
  expect(() => reader(new Uint8Array([0x00, 0x7f])).string()).toThrow(RangeError);
});

it("reads a batch as it wrote it, from any of its offsets", async () => {
  const sent = [
    record({ key: text("k"), headers: [["h", text("1")], ["h", null], ["", text("")]] }),
    record({ value: null, timestamp: 1_600_000_000_000 }),
    record({ value: text("x".repeat(100_000)), timestamp: 1_800_000_000_000 }),
  ];
  const bytes = encodeBatch(sent, { producer: 2n ** 62n, epoch: 32_767, sequence: 2 ** 31 - 1 });
  const expected = sent.map(({ key, value, headers, timestamp }, offset) => ({ offset, timestamp, key: base64(key), value: base64(value), headers: headers.map(([name, content]) => [name, base64(content)]) }));
  expect(await read(bytes)).toEqual({ next: 3, records: expected, lost: [] });
  expect(await read(bytes, { from: 2 })).toEqual({ next: 3, records: expected.slice(2), lost: [] });
});

it("leaves what Kafka has cut", async () => {
  const [one, two] = [encodeBatch([record()], { producer: 1n, epoch: 0, sequence: 0 }), encodeBatch([record()], { producer: 1n, epoch: 0, sequence: 1 })];
  for (const cut of [1, 11, 12, 40, two.length - 1]) expect((await read(new Uint8Array([...one, ...two.subarray(0, cut)]))).next).toBe(1);
});

it("says what it cannot read", async () => {
  const bytes = encodeBatch([record()], { producer: 1n, epoch: 0, sequence: 0 });
  await expect(read(bytes.with(16, 1))).rejects.toThrow("Cannot read records of format 1");
  await expect(read(bytes.with(22, 4))).rejects.toThrow('Cannot read records that are compressed by "zstd"');
});

// "abc" eight times: three letters as they are, then 21 that are copied from three before.
it.each<[string, number, string]>([
  ["snappy in blocks", 2, "82534e41505059000000000100000001000000081808616263520300"],
  ["snappy without", 2, "1808616263520300"],
])("unpacks %s", async (_, codec, hex) => {
  expect(new TextDecoder().decode((await decompress(codec, Buffer.from(hex, "hex"))).bytes)).toBe("abc".repeat(8));
});

it("unpacks an LZ4 frame, its blocks plain and packed", async () => {
  const packed = Buffer.from([0x3f, ...text("abc"), 3, 0, 2, 0]);
  const block = (bytes: Uint8Array, flag = 0) => Buffer.concat([Buffer.from(new Uint32Array([bytes.length + flag]).buffer), bytes]);
  const frame = Buffer.concat([Buffer.from("04224d1860408200", "hex").subarray(0, 7), block(packed), block(text("plain"), 0x80000000), Buffer.alloc(4)]);
  expect(new TextDecoder().decode((await decompress(3, frame)).bytes)).toBe(`${"abc".repeat(8)}plain`);
});

it.each<[string, number, Buffer]>([
  ["snappy that says it is endless", 2, Buffer.from("ffffffff0f00", "hex")],
  ["snappy that copies from before its beginning", 2, Buffer.from("18520300", "hex")],
  ["snappy in blocks of which one goes backwards", 2, Buffer.from("82534e41505059000000000100000001fffffffc00000000", "hex")],
  ["snappy in blocks of which one is empty", 2, Buffer.from("82534e4150505900000000010000000100000000", "hex")],
  ["snappy in blocks of which one ends beyond the end", 2, Buffer.from("82534e41505059000000000100000001000000091808616263520300", "hex")],
  ["LZ4 that is none", 3, Buffer.alloc(20)],
  ["gzip that is none", 1, Buffer.from("nothing of the kind")],
])("says what is wrong with %s", async (_, codec, bytes) => {
  expect(await decompress(codec, bytes)).toMatchObject({ fault: expect.any(Error) });
});

it("unpacks no more than has room", async () => {
  const { bytes, fault } = await decompress(1, gzipSync(new Uint8Array(40 * MEGABYTE)));
  expect([bytes.length > 30 * MEGABYTE, bytes.length <= 32 * MEGABYTE, fault]).toEqual([true, true, new Error("Cannot unpack more than 33554432 bytes")]);
});

it("looks no further into a batch than it was asked for", async () => {
  const bytes = zippedBatch(Array.from({ length: 1000 }, () => record()));
  expect(await read(bytes, { max: 2 })).toMatchObject({ next: 2, records: [{ offset: 0 }, { offset: 1 }], lost: [] });
  // What comes after them is not even there.
  const cut = zippedBatch([record(), record(), record()], (plain) => gzipSync(plain.subarray(0, -5)));
  expect(await read(cut, { max: 2 })).toMatchObject({ next: 2, records: [{}, {}], lost: [] });
  expect(await read(cut)).toMatchObject({ next: 3, records: [{}, {}], lost: [{ from: 2, to: 2 }] });
});

it("reads what is unpacked of a batch that is too large, passes over the rest, and goes on", async () => {
  const large = zippedBatch(Array.from({ length: 36 }, () => record({ value: new Uint8Array(MEGABYTE), size: MEGABYTE + 100 })));
  const next = encodeBatch([record()], { producer: 1n, epoch: 0, sequence: 0 });
  new DataView(next.buffer, next.byteOffset).setBigInt64(0, 36n);
  const all = new Uint8Array([...large, ...next]);
  expect((await read(all)).records.map(({ offset }) => offset)).toEqual([0]);
  expect((await read(all, { from: 30 })).records.map(({ offset }) => offset)).toEqual([30]);
  const { records, lost, next: after } = await read(all, { from: 33 });
  expect([records.map(({ offset }) => offset), lost, after]).toEqual([[36], [{ from: 33, to: 35, fault: new Error("Cannot unpack more than 33554432 bytes") }], 37]);
});

it("passes over a record that is too large to be handed on, or has endless headers, and over no other", async () => {
  const large = record({ value: new Uint8Array(9 * MEGABYTE), size: 9 * MEGABYTE + 100 });
  const headers = record({ headers: Array.from({ length: 10_001 }, (): [string, null] => ["", null]), size: 40_000 });
  const bytes = zippedBatch([record(), large, headers, record(), large]);
  const reads: unknown[] = [];
  for (let from = 0; from < 5; ) {
    const { records, lost, next } = await read(bytes, { from });
    reads.push([records.map(({ offset }) => offset), lost.map(({ from: first, to: last }) => [first, last])]);
    from = next;
  }
  expect(reads).toEqual([[[0], []], [[3], [[1, 2]]], [[], [[4, 4]]]]);
});

it("reads what is whole where something follows it", async () => {
  const { records, lost, next } = await read(zippedBatch([record(), record()], (plain) => new Uint8Array([...gzipSync(plain), 1, 2, 3])));
  expect([records.length, lost, next]).toEqual([2, [], 2]);
});

it("passes over a batch of which nothing can be unpacked", async () => {
  expect(await read(zippedBatch([record(), record()], () => text("nothing of the kind")))).toMatchObject({ records: [], lost: [{ from: 0, to: 1 }], next: 2 });
});
