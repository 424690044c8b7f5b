import { type Request, request } from "./request.ts";

/** Only what is committed, or was never part of a transaction. */
const READ_COMMITTED = 1;
const ANY_REPLICA = -1;

export const EARLIEST = -2;
export const LATEST = -1;

type Place = { topic: string; partition: number };

export function listOffsetRequest({ topic, partition, time }: Place & { time: typeof EARLIEST | typeof LATEST }): Request<{ code: number; offset: number } | undefined> {
  return request({
    api: 2,
    version: 2,
    write(to) {
      to.int32(ANY_REPLICA);
      to.int8(READ_COMMITTED);
      to.array([topic], (name) => {
        to.string(name);
        to.array([partition], (index) => {
          to.int32(index);
          to.int64(time);
        });
      });
    },
    read(from) {
      from.int32();
      const topics = from.array(() => {
        from.string();
        return from.array(() => ({ partition: from.int32(), code: from.int16(), time: from.int64(), offset: from.int64() }));
      });
      return topics[0]?.[0];
    },
  });
}

/** A transaction that was given up: its records from an offset on are not to be read. */
export type Aborted = { producer: bigint; firstOffset: number };

export type Fetched = {
  code: number;
  /** The first offset that cannot be read yet, and the first there is. */
  latest: number;
  earliest: number;
  aborted: Aborted[];
  /** Whole batches, and perhaps the beginning of another. */
  batches: Uint8Array;
};

/** What is there now, without waiting; the first batch whole, even when it is larger than `maxBytes`. */
export function fetchRequest({ topic, partition, offset, maxBytes }: Place & { offset: number; maxBytes: number }): Request<Fetched | undefined> {
  return request({
    api: 1,
    version: 11,
    write(to) {
      to.int32(ANY_REPLICA);
      to.int32(0);
      to.int32(0);
      to.int32(maxBytes);
      to.int8(READ_COMMITTED);
      to.int32(0);
      to.int32(-1);
      to.array([topic], (name) => {
        to.string(name);
        to.array([partition], (index) => {
          to.int32(index);
          to.int32(-1);
          to.int64(offset);
          to.int64(-1);
          to.int32(maxBytes);
        });
      });
      to.int32(0);
      to.string("");
    },
    read(from) {
      from.int32();
      const code = from.int16();
      from.int32();
      const topics = from.array(() => {
        from.string();
        return from.array((): Fetched => {
          from.int32();
          const found = { code: from.int16(), highWatermark: from.int64(), latest: from.int64(), earliest: from.int64() };
          const aborted = from.array(() => ({ producer: from.bigint64(), firstOffset: from.int64() }));
          from.int32();
          return { ...found, aborted, batches: from.bytes() };
        });
      });
      const found = topics[0]?.[0];
      return code === 0 ? found : found && { ...found, code };
    },
  });
}
