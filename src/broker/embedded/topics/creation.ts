import type { Database } from "../../../database/client.ts";
import { badRequest, Refusal } from "../../rest/refusal.ts";
import type { NewTopicBody } from "../../rest/topics/schema.ts";
import { configFault } from "./configs.ts";
import { findRival, insertTopic, type StoredTopic, type TopicToMake } from "./store.ts";

/** The one node there is. */
export const NODE = 1;
/** Of what Kafka's controller takes in one request. */
const MAX_PARTITIONS = 10_000;

/** Makes what `body` asks for, by the rules and in the words of Kafka, or only tries. */
export async function createTopic(db: Database, body: NewTopicBody): Promise<StoredTopic> {
  const made = await topicToMake(db, body);
  if (body.validate_only === true) await refuseTaken(db, made.name);
  // The name may have become free again before it could be told who had it.
  else while (!(await insertTopic(db, made))) await refuseTaken(db, made.name);
  return { ...made, id: 0, isInternal: false };
}

async function topicToMake(db: Database, body: NewTopicBody): Promise<TopicToMake> {
  try {
    return { name: body.topic_name, partitions: partitionsOf(body), configs: configsOf(body) };
  } catch (error) {
    // Whatever else is wrong with it, of a name that is taken Kafka says so.
    await refuseTaken(db, body.topic_name);
    throw error;
  }
}

async function refuseTaken(db: Database, name: string): Promise<void> {
  const rival = await findRival(db, name);
  if (rival === name) throw badRequest(`Topic '${name}' already exists.`);
  if (rival !== undefined) throw badRequest(`Topic '${name}' collides with existing topic: ${rival}`);
}

/** What is refused even of a topic that exists comes after that it exists: Kafka says the latter first. */
function partitionsOf({ partitions_count, replication_factor, replicas_assignments }: NewTopicBody): number {
  const assignments = Object.entries(replicas_assignments ?? {});
  if (assignments.length > 0) return assigned(assignments);
  const replicas = replication_factor ?? -1;
  if (replicas < -1 || replicas === 0) throw badRequest("Replication factor must be larger than 0, or -1 to use the default value.");
  const partitions = partitions_count ?? -1;
  if (partitions < -1 || partitions === 0) throw badRequest("Number of partitions was set to an invalid non-positive value.");
  checkSize(partitions);
  if (replicas > 1) throw badRequest(unreachable(replicas));
  return partitions === -1 ? 1 : partitions;
}

export function checkSize(partitions: number): void {
  if (partitions > MAX_PARTITIONS) throw badRequest("Excessively large number of partitions per request.");
}

function assigned(assignments: [string, number[]][]): number {
  const isComplete = assignments.every(([partition, nodes]) => Number(partition) < assignments.length && /^\d+$/.test(partition) && nodes.length > 0);
  if (!isComplete) throw badAssignment("partitions should be a consecutive 0-based integer sequence.");
  const unknown = assignments.flatMap(([, nodes]) => nodes).find((node) => node !== NODE);
  if (unknown !== undefined) throw badAssignment(`The manual partition assignment includes broker ${unknown}, but no such broker is registered.`);
  if (assignments.some(([, nodes]) => nodes.length > 1)) throw badAssignment(`The manual partition assignment includes the broker ${NODE} more than once.`);
  checkSize(assignments.length);
  return assignments.length;
}

function badAssignment(message: string): Refusal {
  return new Refusal(50002, message);
}

function unreachable(replicas: number): string {
  return (
    `Unable to replicate the partition ${replicas} time(s): The target replication factor of ${replicas} cannot be reached because ` +
    "only 1 broker(s) are registered or some brokers have all their log directories cordoned."
  );
}

function configsOf({ configs }: NewTopicBody): Record<string, string> {
  const set: Record<string, string> = {};
  for (const { name, value } of configs ?? []) {
    const fault = configFault(name, value ?? null);
    if (fault !== undefined) throw badRequest(fault);
    set[name] = value ?? "";
  }
  return set;
}
