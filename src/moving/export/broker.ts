import type { Database } from "../../database/client.ts";
import { readEnvelope } from "../../events/envelope.ts";
import { fromBase64 } from "../../passwords/base64.ts";
import { paged } from "../batches.ts";
import type { Topic, UnreadEvent } from "../schema.ts";
import { recordsFrom, type StoredRecord, topics, unreadPartitions } from "./broker-store.ts";

/** A record of the largest size that is taken, some times over, is what one answer of the database may be. */
const PAGE = 5;

export async function* exportedTopics(db: Database): AsyncGenerator<Topic> {
  yield* await topics(db);
}

/** The events that a consumer of the platform has yet to read: elsewhere they have to be sent again, since no offset means the same there. */
export async function* exportedEvents(db: Database): AsyncGenerator<UnreadEvent> {
  for (const unread of await unreadPartitions(db)) {
    const records = paged<StoredRecord>((last) => recordsFrom(db, { ...unread, offset: last ? last.offset + 1 : unread.offset, limit: PAGE }));
    for await (const { value } of records) {
      const event = value === null ? undefined : readEnvelope(new TextDecoder().decode(fromBase64(value)));
      // What is no event has no effect wherever it is read.
      if (!event) continue;
      const { id, type, subject: key, data, traceparent = null, time: createdAt } = event;
      yield { id, topic: unread.topic, type, key, data, traceparent, createdAt };
    }
  }
}
