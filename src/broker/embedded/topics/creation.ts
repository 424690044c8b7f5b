import { topicNameFault } from "../../topic-name.ts";
import { badPayload, badRequest, Refusal } from "../refusal.ts";
import { configFault } from "./configs.ts";
import type { NewTopicBody } from "./schema.ts";

/** The one node there is. */
export const NODE = 1;
/** Of what Kafka's controller takes in one request. */
const MAX_PARTITIONS = 10_000;

export type TopicToMake = { name: string; partitions: number; configs: Record<string, string> };

/** What `body` asks for, by the rules and in the words of Kafka; whether the name is free is for the database to say. */
export function topicToMake(body: NewTopicBody): TopicToMake {
  const name = body.topic_name;
  if (topicNameFault(name) !== undefined) throw badPayload("Invalid topic name.");
  return { name, partitions: partitionsOf(body), configs: configsOf(body) };
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
