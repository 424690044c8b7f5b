import * as z from "zod";
import { readBounded } from "../http/bounded.ts";
import type { Call } from "../http/call.ts";
import type { Fetch } from "../http/fetch.ts";
import { path } from "../http/path.ts";
import { type Answer, type Outcome, shaped, unusable, upstream } from "../http/upstream.ts";
import { fromBase64 } from "../passwords/base64.ts";
import type { KafkaRestNeeds } from "./kafka-rest.ts";
import { BROKER, brokerProblem, ClustersSchema, errorOf, TopicSchema } from "./rest-answer.ts";

export type Place = { topic: string; partition: number };

export type BrokerRecord = {
  offset: number;
  /** Undefined where there is none, or none in UTF-8. */
  text: string | undefined;
};

/** The first offset there is, and the first that is not yet. */
type Range = { earliest: number; latest: number };

export type Stretch =
  /** `next` is where to read on: there may be offsets behind the last record that nobody can read. */
  | ({ outcome: "records"; records: BrokerRecord[]; next: number } & Range)
  /** `out-of-range`: there is no such offset, any more or yet. `too-large`: more than is read at once. */
  | { outcome: "out-of-range" | "too-large" };

export type RecordReader = {
  /** `missing` without such a topic; `unsupported` where the broker's REST interface has no reading. */
  open: (call: Call, topic: string) => Promise<{ outcome: "open"; partitions: number } | { outcome: "missing" | "unsupported" }>;
  /** Records from `offset` on, in order, each once; without it, from the earliest. */
  read: (call: Call, from: Place & { offset: number | null; max: number }) => Promise<Stretch>;
  range: (call: Call, place: Place) => Promise<Range>;
};

const TIMEOUT_MS = 5000;
/** Of one answer; a record of Kafka's default `max.message.bytes` and what stands around it has room. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;

const offset = z.int().nonnegative();
const RangeSchema = z.object({ earliest_offset: offset, latest_offset: offset });
const RecordsSchema = RangeSchema.extend({
  metadata: z.object({ next: z.url() }),
  data: z.array(z.object({ offset, value: z.object({ data: z.string().nullable() }).nullable() })),
});

/** The client of the reading interface that our broker and our bridge add to REST v3. Throws a Problem while the broker is away. */
export function recordReader({ url, authorization, fetch, now }: KafkaRestNeeds): RecordReader {
  const proxy = upstream({ name: BROKER, url, fetch: bounded(fetch), now, timeout: TIMEOUT_MS, maxAnswerBytes: MAX_ANSWER_BYTES });
  let cluster: string | undefined;

  function get(call: Call, at: string, query: Record<string, string> = {}): Promise<Outcome> {
    return proxy.send(call, { method: "GET", path: at, query, ...(authorization !== undefined && { headers: { authorization } }) });
  }

  async function topicPath(call: Call, topic: string): Promise<string> {
    if (cluster === undefined) {
      const outcome = await get(call, "/v3/clusters");
      if (outcome.kind !== "answer" || outcome.status !== 200) throw brokerProblem(outcome);
      cluster = shaped(BROKER, outcome, ClustersSchema).data[0]?.cluster_id ?? "";
    }
    return path`/v3/clusters/${cluster}/topics/${topic}`;
  }

  function failed(outcome: Outcome) {
    // Another cluster may have come to stand behind the URL.
    if (outcome.kind === "answer" && outcome.status === 404) cluster = undefined;
    return brokerProblem(outcome);
  }

  return {
    async open(call, topic) {
      const at = await topicPath(call, topic);
      const found = await get(call, at);
      if (errorOf(found)?.code === 40403) return { outcome: "missing" };
      if (found.kind !== "answer" || found.status !== 200) throw failed(found);
      const { partitions_count: partitions } = shaped(BROKER, found, TopicSchema);
      const tried = await get(call, `${at}/partitions/0/records`, { max: "1" });
      // The topic is there, so this is the path that is not.
      const isThere = tried.kind !== "answer" || (tried.status !== 404 && tried.status !== 405);
      return isThere || isKafkas(tried) ? { outcome: "open", partitions } : { outcome: "unsupported" };
    },

    async read(call, { topic, partition, offset: from, max }) {
      const at = `${await topicPath(call, topic)}/partitions/${partition}/records`;
      const outcome = await get(call, at, { max: String(max), ...(from !== null && { offset: String(from) }) });
      if (outcome.kind === "answer" && outcome.status === 413) return { outcome: "too-large" };
      if (errorOf(outcome)?.code === 40002) return { outcome: "out-of-range" };
      if (outcome.kind !== "answer" || outcome.status !== 200) throw failed(outcome);
      return stretchIn(outcome, from);
    },

    async range(call, { topic, partition }) {
      const outcome = await get(call, `${await topicPath(call, topic)}/partitions/${partition}/offset`);
      if (outcome.kind !== "answer" || outcome.status !== 200) throw failed(outcome);
      return rangeIn(shaped(BROKER, outcome, RangeSchema));
    },
  };
}

/** An answer that is too large is not the broker's failure, which would be met with patience, but one to be asked for in smaller parts. */
function bounded(fetch: Fetch): Fetch {
  return async (request) => {
    const response = await fetch(request);
    if (response.status !== 200) return response;
    const bytes = await readBounded(response.body, MAX_ANSWER_BYTES);
    return bytes ? new Response(bytes as Uint8Array<ArrayBuffer>, { headers: response.headers }) : new Response(null, { status: 413 });
  };
}

/** Whether the 404 is about a topic or a partition, by Kafka's own codes. */
function isKafkas(outcome: Outcome): boolean {
  return /^404\d\d$/.test(String(errorOf(outcome)?.code));
}

function rangeIn({ earliest_offset: earliest, latest_offset: latest }: z.infer<typeof RangeSchema>): Range {
  if (earliest > latest) throw unusable(BROKER, "A partition begins after its end");
  return { earliest, latest };
}

/** Whatever order and number the records came in. */
function stretchIn(answer: Answer, from: number | null): Stretch {
  const { data, metadata, ...offsets } = shaped(BROKER, answer, RecordsSchema);
  const { earliest, latest } = rangeIn(offsets);
  const wanted = new Map(data.filter((record) => record.offset >= (from ?? earliest)).map((record) => [record.offset, record.value?.data]));
  if ([...wanted.keys()].some((found) => found >= latest)) throw unusable(BROKER, "A record stands after the end of its partition");
  const records = [...wanted].map(([found, data]) => ({ offset: found, text: textOf(data) })).toSorted((a, b) => a.offset - b.offset);
  const behind = (records.at(-1)?.offset ?? (from ?? earliest) - 1) + 1;
  const told = Number(new URL(metadata.next).searchParams.get("offset"));
  return { outcome: "records", earliest, latest, records, next: Math.max(behind, Math.min(told, latest) || 0) };
}

function textOf(data: string | null | undefined): string | undefined {
  if (data === null || data === undefined) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(fromBase64(data));
  } catch {
    return undefined;
  }
}
