import { type Judgement, type Request, request } from "./request.ts";

const ALL_IN_SYNC = -1;

export function producerIdRequest(): Request<{ code: number; id: bigint }> {
  return request({
    api: 22,
    version: 1,
    write(to) {
      to.string(null);
      to.int32(0);
    },
    read(from) {
      from.int32();
      return { code: from.int16(), id: from.bigint64() };
    },
  });
}

export type PartitionToWrite = { topic: string; partition: number; batch: Uint8Array };

export type Written = Judgement & {
  topic: string;
  partition: number;
  baseOffset: number;
  /** -1 where the records keep their own. */
  appendTime: number;
  /** For which of its records a batch was refused. */
  faults: { index: number; message: string | null }[];
};

/** Version 8 is the first that says which records are at fault (Kafka 2.4). */
export function produceRequest({ partitions, timeout }: { partitions: PartitionToWrite[]; timeout: number }): Request<Written[]> {
  const topics = [...Map.groupBy(partitions, ({ topic }) => topic)];
  return request({
    api: 0,
    version: 8,
    write(to) {
      to.string(null);
      to.int16(ALL_IN_SYNC);
      to.int32(timeout);
      to.array(topics, ([topic, some]) => {
        to.string(topic);
        to.array(some, ({ partition, batch }) => {
          to.int32(partition);
          to.bytes(batch);
        });
      });
    },
    read(from) {
      const written = from.array(() => {
        const topic = from.string() ?? "";
        return from.array((): Written => {
          const place = { topic, partition: from.int32(), code: from.int16(), baseOffset: from.int64(), appendTime: from.int64() };
          from.int64();
          const faults = from.array(() => ({ index: from.int32(), message: from.string() }));
          return { ...place, faults, message: from.string() };
        });
      });
      return written.flat();
    },
  });
}
