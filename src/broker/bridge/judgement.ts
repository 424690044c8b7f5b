import { badRequest, invalidTopic, Refusal, tooLarge, unknownTopic } from "../rest/refusal.ts";
import type { Judgement } from "./protocol/request.ts";

/** Kafka's error codes that we act on (`org.apache.kafka.common.protocol.Errors`). */
export const KAFKA = {
  OFFSET_OUT_OF_RANGE: 1,
  UNKNOWN_TOPIC_OR_PARTITION: 3,
  LEADER_NOT_AVAILABLE: 5,
  REQUEST_TIMED_OUT: 7,
  MESSAGE_TOO_LARGE: 10,
  RECORD_LIST_TOO_LARGE: 18,
  NOT_ENOUGH_REPLICAS_AFTER_APPEND: 20,
  INVALID_TIMESTAMP: 32,
  OUT_OF_ORDER_SEQUENCE_NUMBER: 45,
  DUPLICATE_SEQUENCE_NUMBER: 46,
  INVALID_PRODUCER_EPOCH: 47,
  UNKNOWN_PRODUCER_ID: 59,
  INVALID_RECORD: 87,
} as const;

/** What the REST interface calls them: by their kinds in Kafka's Java client. */
const KINDS: [code: number, codes: number[]][] = [
  [40002, [17, 32, 36, 37, 38, 40, 42, 44, 73, 87]],
  [40301, [29, 30, 31, 53, 65]],
  [40101, [33, 34, 58]],
  [42901, [89]],
  [50003, [5, 6, 7, 9, 13, 14, 15, 16, 19, 20, 41, 51, 56, 60, 72, 74, 75, 78, 100, 103]],
];

/** In Kafka's own words, for where it sends the code alone. */
const TEXTS = new Map<number, string>([
  [5, "There is no leader for this topic-partition as we are in the middle of a leadership election."],
  [6, "For requests intended only for the leader, this error indicates that the broker is not the current leader. For requests intended for any replica, this error indicates that the broker is not a replica of the topic partition."],
  [7, "The request timed out."],
  [17, invalidTopic().message],
  [19, "Messages are rejected since there are fewer in-sync replicas than required."],
  [20, "Messages are written to the log, but to fewer in-sync replicas than required."],
  [29, "Topic authorization failed."],
  [31, "Cluster authorization failed."],
  [32, "The timestamp of the message is out of acceptable range."],
  [36, "Topic with this name already exists."],
  [37, "Number of partitions is below 1."],
  [38, "Replication factor is below 1 or larger than the number of available brokers."],
  [39, "Replica assignment is invalid."],
  [40, "Configuration is invalid."],
  [44, "Request parameters do not satisfy the configured policy."],
  [56, "Disk error when trying to access log file on the disk."],
  [73, "Topic deletion is disabled."],
  [87, "This record has failed the validation on broker and hence will be rejected."],
  [89, "The throttling quota has been exceeded."],
]);

/** Kafka's refusal as the REST interface tells it. */
export function refusalOf({ code, message }: Judgement): Refusal {
  if (code === KAFKA.UNKNOWN_TOPIC_OR_PARTITION) return unknownTopic();
  if (code === KAFKA.MESSAGE_TOO_LARGE || code === KAFKA.RECORD_LIST_TOO_LARGE) return tooLarge();
  const [kind = 50002] = KINDS.find(([, codes]) => codes.includes(code)) ?? [];
  const text = message ?? TEXTS.get(code) ?? `Kafka refused with error ${code}.`;
  return kind === 40002 ? badRequest(text) : new Refusal(kind, text);
}

export function isRetriable(code: number): boolean {
  return code === KAFKA.UNKNOWN_TOPIC_OR_PARTITION || refusalOf({ code, message: null }).code === 50003;
}

/** Throws what `judgement` refuses. */
export function demandDone(judgement: Judgement | undefined): void {
  const answer = demandAnswer(judgement);
  if (answer.code !== 0) throw refusalOf(answer);
}

/** `answer`, to one of the things that Kafka was asked for; throws where there is none. */
export function demandAnswer<Answer>(answer: Answer | undefined): Answer {
  if (answer === undefined) throw new Error("Kafka answered nothing of what it was asked for");
  return answer;
}
