const MAX_LENGTH = 249;

/** Why Kafka refuses `name` for a topic, in its own words; undefined when it does not. */
export function topicNameFault(name: string): string | undefined {
  const invalid = "Topic name is invalid:";
  if (name === "") return `${invalid} the empty string is not allowed`;
  if (name === "." || name === "..") return `${invalid} '${name}' is not allowed`;
  if (name.length > MAX_LENGTH) return `${invalid} the length of '${name.slice(0, 64)}…' is longer than the max allowed length ${MAX_LENGTH}`;
  if (/[^A-Za-z0-9._-]/.test(name)) return `${invalid} '${name}' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'`;
  return undefined;
}

/** What two topics must not share: a metric's name has `_` where a topic's has `.`, so Kafka refuses `a_b` beside `a.b`. */
export function collisionKey(name: string): string {
  return name.replaceAll(".", "_");
}

/** Topics of Kafka's own: never listed by the REST interface, each described by its own name. */
export const INTERNAL_TOPICS = ["__consumer_offsets", "__share_group_state", "__transaction_state"];
