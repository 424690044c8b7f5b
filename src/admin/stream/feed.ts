import type { BrokerRecord, RecordReader } from "../../broker/reading.ts";
import { catalogue, type EventType, TOPICS } from "../../events/catalogue.ts";
import { type CloudEvent, readEnvelope } from "../../events/envelope.ts";
import type { Call } from "../../http/call.ts";
import { idOf, type Place } from "./place.ts";

type Wanted = {
  /** All, unless given. */
  types: readonly EventType[] | undefined;
  from: Place | "earliest" | "latest";
};

/** An event, and the id that a stream goes on after it by. */
export type Fed = { id: string; event: CloudEvent };

export type Feed = {
  /** The id by which another feed goes on where this one is. */
  id: () => string;
  /** The partitions there are, after each other. */
  partitions: () => { topic: string; partition: number }[];
  /** What comes next in one partition; undefined when it is not there any more. */
  read: (call: Call, at: { topic: string; partition: number }) => Promise<Fed[] | undefined>;
  /** Looks for topics and partitions that have been made since. */
  refresh: (call: Call) => Promise<void>;
};

const MAX_RECORDS = 100;

/**
 * Events as the broker has them, each partition in its order. `gone`: the broker has no longer what comes next.
 * Throws a Problem while it is away.
 */
export async function openFeed(reader: RecordReader, call: Call, { types, from }: Wanted): Promise<Feed | "gone" | "unsupported"> {
  const topics = Object.keys(TOPICS).filter((topic) => !types || types.some((type) => catalogue[type].topic === topic));
  const place: Place = {};

  /** The partitions of a topic that the place does not have yet begin at `edge`. */
  async function extend(call: Call, { topic, edge }: { topic: string; edge: "earliest" | "latest" }): Promise<"unsupported" | undefined> {
    const found = await reader.open(call, topic);
    if (found.outcome === "unsupported") return found.outcome;
    const offsets = (place[topic] ??= []);
    const partitions = found.outcome === "open" ? found.partitions : 0;
    while (offsets.length < partitions) offsets.push((await reader.range(call, { topic, partition: offsets.length }))[edge]);
    return undefined;
  }

  for (const topic of topics) {
    const known = typeof from === "object" ? from[topic] : undefined;
    if (known) place[topic] = [...known];
    // Whoever has seen the topic has seen it without the partitions that are new.
    const edge = known ? "earliest" : typeof from === "object" ? "latest" : from;
    if ((await extend(call, { topic, edge })) === "unsupported") return "unsupported";
    for (const [partition, offset] of (known ?? []).entries()) {
      const { earliest, latest } = await reader.range(call, { topic, partition });
      if (offset < earliest || offset > latest) return "gone";
    }
  }

  function fedBy({ offset, text }: BrokerRecord, { topic, partition }: { topic: string; partition: number }): Fed[] {
    place[topic]![partition] = offset + 1;
    const event = text === undefined ? undefined : readEnvelope(text);
    const isWanted = event && (!types || types.includes(event.type as EventType));
    return isWanted ? [{ id: idOf(place), event }] : [];
  }

  return {
    id: () => idOf(place),
    partitions: () => topics.flatMap((topic) => (place[topic] ?? []).map((_, partition) => ({ topic, partition }))),

    async read(call, at) {
      const offset = place[at.topic]![at.partition]!;
      let stretch = await reader.read(call, { ...at, offset, max: MAX_RECORDS });
      if (stretch.outcome === "too-large") stretch = await reader.read(call, { ...at, offset, max: 1 });
      if (stretch.outcome === "out-of-range") return undefined;
      // By itself too large for anybody to read.
      if (stretch.outcome === "too-large") place[at.topic]![at.partition] = offset + 1;
      if (stretch.outcome !== "records") return [];
      const fed = stretch.records.flatMap((record) => fedBy(record, at));
      place[at.topic]![at.partition] = stretch.next;
      return fed;
    },

    async refresh(call) {
      for (const topic of topics) await extend(call, { topic, edge: "earliest" });
    },
  };
}
