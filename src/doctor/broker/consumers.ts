import { type Finding, notChecked } from "../finding.ts";
import { found, SYSTEM } from "./found.ts";
import type { Topic } from "./topic.ts";

/** Where a consumer of the platform goes on, as the database has it. */
export type Position = { consumer: string; topic: string; partition: number; next: number };

/** The first offset of a partition that is not there yet. */
export type EndOf = (place: { topic: string; partition: number }) => Promise<number>;

type Standing = Position & { end: number };

const KAFKAS_MISSING = 40403;

/** Whether every consumer stands where this broker has records: one that stands behind the end was at another broker. */
export async function* consumerFindings(read: () => Promise<Position[]>, { topics, endOf }: { topics: readonly Topic[]; endOf: EndOf }): AsyncGenerator<Finding, void> {
  // Before the ends, which only move on.
  const positions = await read().catch(() => undefined);
  if (positions === undefined) return yield notChecked(SYSTEM, "consumers", "The database does not tell where consumers stand");
  const standings = await Promise.all(positions.map((position) => standingOf(position, { topics, endOf }))).catch(() => undefined);
  if (standings === undefined) return yield notChecked(SYSTEM, "consumers", "The broker does not tell where its partitions end");
  const ahead = standings.filter(({ next, end }) => next > end);
  if (ahead.length === 0) return yield found("consumers", { count: standings.length });
  for (const [topic, [first, ...rest]] of Map.groupBy(ahead, ({ topic }) => topic)) {
    const consumers = [...new Set([first!, ...rest].map(({ consumer }) => consumer))].toSorted().join(", ");
    yield found("consumers-ahead", { topic, consumers, partition: first!.partition, next: first!.next, end: first!.end });
  }
}

async function standingOf(position: Position, { topics, endOf }: { topics: readonly Topic[]; endOf: EndOf }): Promise<Standing> {
  const topic = topics.find(({ name }) => name === position.topic);
  const isThere = topic?.code !== KAFKAS_MISSING && position.partition < (topic?.data?.partitions_count ?? Infinity);
  return { ...position, end: isThere ? await endOf(position) : 0 };
}
