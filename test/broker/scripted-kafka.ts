import type { KafkaConnection, KafkaNetwork, RawRequest } from "../../src/broker/bridge/network.ts";
import { type Writer, writer } from "../../src/broker/bridge/protocol/writer.ts";

export const PRODUCE = 0;
export const FETCH = 1;
export const OFFSETS = 2;
export const METADATA = 3;
export const CREATE_TOPICS = 19;
export const PRODUCER_ID = 22;

type Script = {
  ports: number[];
  connect?: (port: number) => Promise<void>;
  answer: (request: RawRequest) => Uint8Array | Promise<Uint8Array>;
};

/** A Kafka of nodes that answer by a script, byte for byte as Kafka would. */
export function scriptedKafka({ ports, connect = async () => {}, answer }: Script) {
  const dialled: number[] = [];
  const sent: RawRequest[] = [];

  function connection(): KafkaConnection {
    const { promise: broken, reject } = Promise.withResolvers<never>();
    broken.catch(() => {});
    let isOpen = true;
    return {
      isOpen: () => isOpen,
      send(request) {
        sent.push(request);
        return Promise.race([answer(request), broken]);
      },
      close() {
        isOpen = false;
        reject(new Error("closed"));
      },
    };
  }

  const network: KafkaNetwork = {
    brokers: ports.map((port) => ({ host: "kafka.test", port })),
    async connect({ port }) {
      dialled.push(port);
      await connect(port);
      return connection();
    },
  };
  return { network, dialled, sent };
}

function bytes(write: (to: Writer) => void): Uint8Array {
  const to = writer();
  to.int32(0);
  write(to);
  return to.done();
}

/** Version 8: these nodes, and topics with so many partitions, each led by the first of them. */
export function metadata(ports: number[], topics: Record<string, number> = {}): Uint8Array {
  return bytes((to) => {
    to.array([...ports.entries()], ([id, port]) => {
      to.int32(id);
      to.string("kafka.test");
      to.int32(port);
      to.string(null);
    });
    to.string("cluster");
    to.int32(0);
    to.array(Object.entries(topics), ([name, partitions]) => {
      to.int16(0);
      to.string(name);
      to.boolean(false);
      to.array(Array.from({ length: partitions }, (_, index) => index), (partition) => {
        to.int16(0);
        to.int32(partition);
        to.int32(0);
        to.int32(0);
        for (const nodes of [[0, 1], [0, 1], []]) to.array(nodes, to.int32);
      });
      to.int32(0);
    });
    to.int32(0);
  });
}

/** Version 5; without `partitions`, to a user who must not know the topic's configuration. */
export function created(topic: string, partitions = -1): Uint8Array {
  const to = writer();
  to.tags();
  to.int32(0);
  to.compactArray([topic], (name) => {
    to.compactString(name);
    to.int16(0);
    to.compactString(null);
    to.int32(partitions);
    to.int16(-1);
    to.compactArray([], () => {});
    to.tags();
  });
  to.tags();
  return to.done();
}

export function producerId(id: bigint): Uint8Array {
  return bytes((to) => {
    to.int16(0);
    to.int64(id);
    to.int16(0);
  });
}

/** Version 2: of partition 0. */
export function offsetOf(topic: string, offset: number): Uint8Array {
  return bytes((to) => {
    to.array([topic], (name) => {
      to.string(name);
      to.array([0], (partition) => {
        to.int32(partition);
        to.int16(0);
        to.int64(-1);
        to.int64(offset);
      });
    });
  });
}

/** Version 11: these batches of partition 0, which ends at `latest`. */
export function fetched(topic: string, { batches, latest }: { batches: Uint8Array; latest: number }): Uint8Array {
  return bytes((to) => {
    to.int16(0);
    to.int32(0);
    to.array([topic], (name) => {
      to.string(name);
      to.array([0], (partition) => {
        to.int32(partition);
        to.int16(0);
        for (const offset of [latest, latest, 0]) to.int64(offset);
        to.array([], () => {});
        to.int32(-1);
        to.int32(batches.length);
        to.raw(batches);
      });
    });
  });
}

/** Version 8: what becomes of the one batch that was sent. */
export function written(topic: string, code: number): Uint8Array {
  const to = writer();
  to.array([topic], (name) => {
    to.string(name);
    to.array([0], (partition) => {
      to.int32(partition);
      to.int16(code);
      for (const value of [0, -1, 0]) to.int64(value);
      to.array([], () => {});
      to.string(null);
    });
  });
  to.int32(0);
  return to.done();
}
