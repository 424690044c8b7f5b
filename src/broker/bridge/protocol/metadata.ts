import type { Reader } from "./reader.ts";
import { type Request, request } from "./request.ts";

export type TopicMetadata = {
  code: number;
  name: string;
  isInternal: boolean;
  partitions: { partition: number; leader: number; replicas: number[] }[];
  /** A bit for each operation's byte code; the lowest number where they were not asked for. */
  operations: number;
};

export type Metadata = {
  nodes: { id: number; host: string; port: number }[];
  clusterId: string;
  controller: number;
  topics: TopicMetadata[];
};

/** Of these topics; of all, where `topics` is null. Version 8 is the first with authorized operations (Kafka 2.3). */
export function metadataRequest({ topics, withOperations = false }: { topics: string[] | null; withOperations?: boolean }): Request<Metadata> {
  return request({
    api: 3,
    version: 8,
    write(to) {
      if (topics) to.array(topics, to.string);
      else to.int32(-1);
      // No topic is made because somebody asked for it.
      to.boolean(false);
      to.boolean(false);
      to.boolean(withOperations);
    },
    read(from) {
      from.int32();
      const nodes = from.array(() => ({ id: from.int32(), host: from.string() ?? "", port: from.int32(), rack: from.string() }));
      const clusterId = from.string() ?? "";
      const controller = from.int32();
      return { nodes, clusterId, controller, topics: from.array(() => topicIn(from)) };
    },
  });
}

function topicIn(from: Reader): TopicMetadata {
  const code = from.int16();
  const name = from.string() ?? "";
  const isInternal = from.boolean();
  const partitions = from.array(() => {
    from.int16();
    const partition = from.int32();
    const leader = from.int32();
    from.int32();
    const [replicas] = [from.array(from.int32), from.array(from.int32), from.array(from.int32)];
    return { partition, leader, replicas };
  });
  return { code, name, isInternal, partitions: partitions.toSorted((a, b) => a.partition - b.partition), operations: from.int32() };
}
