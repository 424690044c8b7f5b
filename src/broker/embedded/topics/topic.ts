import type { Topic } from "../../rest/cluster.ts";
import { NODE } from "./creation.ts";
import type { StoredTopic } from "./store.ts";

export type EmbeddedTopic = Topic & { stored: StoredTopic };

/** What an administrator of a Kafka without access control may do to any topic. */
const ALL_OPERATIONS = ["READ", "WRITE", "CREATE", "DELETE", "ALTER", "DESCRIBE", "DESCRIBE_CONFIGS", "ALTER_CONFIGS"];

export function shown(stored: StoredTopic, withOperations: boolean): EmbeddedTopic {
  const { name, isInternal, partitions } = stored;
  const leaders = Array.from<number>({ length: partitions }).fill(NODE);
  return { name, isInternal, replicationFactor: 1, leaders, operations: withOperations ? ALL_OPERATIONS : [], stored };
}
