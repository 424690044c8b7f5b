import type { Reader } from "./reader.ts";
import { type Judgement, type Request, request } from "./request.ts";

type NewTopic = {
  name: string;
  /** -1 leaves it to Kafka, as does an assignment. */
  partitions: number;
  replicationFactor: number;
  assignments: { partition: number; nodes: number[] }[];
  configs: { name: string; value: string | null }[];
  isTrial: boolean;
  timeout: number;
};

/** Both are -1 where Kafka does not tell. */
export type TopicCreation = Judgement & { partitions: number; replicationFactor: number };

/** Version 5 is the first that tells what the topic has become (Kafka 2.4). */
export function createTopicRequest(topic: NewTopic): Request<TopicCreation | undefined> {
  return request({
    api: 19,
    version: 5,
    isFlexible: true,
    write(to) {
      to.compactArray([topic], ({ name, partitions, replicationFactor, assignments, configs }) => {
        to.compactString(name);
        to.int32(partitions);
        to.int16(replicationFactor);
        to.compactArray(assignments, ({ partition, nodes }) => {
          to.int32(partition);
          to.compactArray(nodes, to.int32);
          to.tags();
        });
        to.compactArray(configs, ({ name: config, value }) => {
          to.compactString(config);
          to.compactString(value);
          to.tags();
        });
        to.tags();
      });
      to.int32(topic.timeout);
      to.boolean(topic.isTrial);
      to.tags();
    },
    read(from) {
      from.int32();
      return from.compactArray(() => creationIn(from))[0];
    },
  });
}

function creationIn(from: Reader): TopicCreation {
  from.compactString();
  const creation = { code: from.int16(), message: from.compactString(), partitions: from.int32(), replicationFactor: from.int16() };
  from.compactArray(() => {
    from.compactString();
    from.compactString();
    from.raw(3);
    from.tags();
  });
  from.tags();
  return creation;
}

export function createPartitionsRequest({ name, partitions, timeout }: { name: string; partitions: number; timeout: number }): Request<Judgement | undefined> {
  return request({
    api: 37,
    version: 1,
    write(to) {
      to.array([name], (topic) => {
        to.string(topic);
        to.int32(partitions);
        to.int32(-1);
      });
      to.int32(timeout);
      to.boolean(false);
    },
    read(from) {
      from.int32();
      return from.array(() => ({ name: from.string(), code: from.int16(), message: from.string() }))[0];
    },
  });
}

export function deleteTopicRequest({ name, timeout }: { name: string; timeout: number }): Request<Judgement | undefined> {
  return request({
    api: 20,
    version: 3,
    write(to) {
      to.array([name], to.string);
      to.int32(timeout);
    },
    read(from) {
      from.int32();
      return from.array(() => ({ name: from.string(), code: from.int16(), message: null }))[0];
    },
  });
}
