import type { Finding } from "../finding.ts";
import { found } from "./found.ts";

export type Topic = {
  name: string;
  /** Partitions that it is made with. */
  wanted: number;
  /** Of the answer; undefined without one. */
  status?: number | undefined;
  code?: number | undefined;
  data?: { partitions_count: number; replication_factor: number; authorized_operations: string[] } | undefined;
};

const NEEDED = ["READ", "WRITE", "DESCRIBE"];
/** What would let whoever learns the credential destroy what was published. */
const EXCESS = ["DELETE"];

export function topicFindings({ name: topic, wanted, status, code, data }: Topic, brokers: number): Finding[] {
  if (!data) return [absent({ topic, wanted, status, code })];
  const { partitions_count: partitions, replication_factor: replicas, authorized_operations: operations } = data;
  const shape = partitions < wanted ? found("topic-narrow", { topic, partitions, wanted }) : found("topic", { topic, partitions, replicas });
  const single = replicas === 1 && brokers > 1 ? [found("topic-single", { topic, brokers })] : [];
  return [shape, ...single, ...rights(topic, operations)];
}

function absent({ topic, wanted, status, code }: { topic: string; wanted: number; status: number | undefined; code: number | undefined }): Finding {
  if (code === 40403) return found("topic-missing", { topic, partitions: wanted });
  if (code === 40301 || status === 401 || status === 403) return found("topic-hidden", { topic });
  return found("topic-odd", { topic, status: status ?? "no answer" });
}

/** None where the interface does not tell. */
function rights(topic: string, operations: readonly string[]): Finding[] {
  if (operations.length === 0) return [];
  const missing = NEEDED.filter((operation) => !operations.includes(operation));
  if (missing.length > 0) return [found("rights-missing", { topic, missing: missing.join(", ") })];
  const excess = EXCESS.filter((operation) => operations.includes(operation));
  return [found("rights", { topic }), ...(excess.length > 0 ? [found("rights-excess", { topic, excess: excess.join(", ") })] : [])];
}
