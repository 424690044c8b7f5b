/** Kafka's `AclOperation`: each name at the place of its byte code. */
export const ACL_OPERATIONS = [
  "UNKNOWN", "ANY", "ALL", "READ", "WRITE", "CREATE", "DELETE", "ALTER", "DESCRIBE", "CLUSTER_ACTION", "DESCRIBE_CONFIGS",
  "ALTER_CONFIGS", "IDEMPOTENT_WRITE", "CREATE_TOKENS", "DESCRIBE_TOKENS", "TWO_PHASE_COMMIT",
];

/** The byte codes of these operations, each once, ascending; a name that is new to us is UNKNOWN, as it is to Kafka's clients. */
export function operationCodes(names: string[]): number[] {
  return [...new Set(names.map((name) => Math.max(0, ACL_OPERATIONS.indexOf(name))))].toSorted((a, b) => a - b);
}
