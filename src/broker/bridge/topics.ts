import { ACL_OPERATIONS } from "../acl-operation.ts";
import type { Topic } from "../rest/cluster.ts";
import { away, Refusal } from "../rest/refusal.ts";
import type { KafkaClient } from "./client.ts";
import { KAFKA, refusalOf } from "./judgement.ts";
import { CredentialsRefused, Unanswered } from "./network.ts";
import type { TopicMetadata } from "./protocol/metadata.ts";

const NOT_ASKED = -(2 ** 31);

export function topicIn({ name, isInternal, partitions, operations }: TopicMetadata): Topic {
  return {
    name,
    isInternal,
    replicationFactor: partitions[0]?.replicas.length ?? 0,
    leaders: partitions.map(({ leader }) => leader),
    operations: operations === NOT_ASKED ? [] : ACL_OPERATIONS.filter((_, code) => operations & (1 << code)),
  };
}

export async function findTopic(client: KafkaClient, until: number, { name, withOperations = false }: { name: string; withOperations?: boolean }): Promise<Topic | undefined> {
  const { topics } = await client.metadata(until, { topics: [name], withOperations });
  const [found] = topics;
  if (!found || found.code === KAFKA.UNKNOWN_TOPIC_OR_PARTITION) return undefined;
  // Some of its partitions may have no leader for the moment: it is there all the same.
  if (found.code !== 0 && found.code !== KAFKA.LEADER_NOT_AVAILABLE) throw refusalOf({ code: found.code, message: null });
  return topicIn(found);
}

/** What the interface answers where Kafka did not. */
export function answerless(error: unknown): unknown {
  if (error instanceof CredentialsRefused) return new Refusal(40101, "Kafka does not accept the credentials of this bridge.");
  if (!(error instanceof Unanswered)) return error;
  if (error.mayBeDone) return new Refusal(50003, "The broker did not answer in time.");
  return away();
}
