import { embeddedBroker } from "../../src/broker/embedded/app.ts";
import { kafkaRest } from "../../src/broker/kafka-rest.ts";
import { database } from "../../src/database/client.ts";
import { readEnvelope } from "../../src/events/envelope.ts";
import { relay } from "../../src/events/relay.ts";
import type { Fetch } from "../../src/http/fetch.ts";
import type { LogEntry } from "../../src/http/log.ts";
import type { TestDatabase } from "../database.ts";
import { embeddedUnderTest } from "../broker/embedded.ts";
import { openWire, textOf } from "../wire/broker/wire.ts";

/** What a request of a relay is for. */
export type Step = "find" | "take" | "produce" | "settle" | "tidy";

/** What stands between a relay and the systems outside: by the step it is at. */
export type Between = (step: Step, request: Request, pass: Fetch) => Response | Promise<Response>;

export type RelayUnderTest = Awaited<ReturnType<typeof relayUnderTest>>;

const BEGIN = Date.parse("2026-11-16T09:30:00Z");

export const SECOND = 1000;

type Written = { key: string; topic?: string; type?: string; data?: Record<string, unknown> };

/** An outbox, an embedded broker over the same database, and as many relays between them as are asked for. */
export async function relayUnderTest() {
  const under = await embeddedUnderTest({ isOpen: true });
  const { database: stored } = under;
  const clock = { time: BEGIN };
  const now = () => clock.time;
  const log: LogEntry[] = [];
  let app = embeddedBroker({ db: stored.db, now });
  const broker: Fetch = (request) => app.fetch(request);

  /** One more relay; what it sends goes through `between`. */
  function newRelay(between: Between = (_, request, pass) => pass(request), random: () => number = Math.random) {
    const through = (fetch: Fetch): Fetch => async (request) => between(await stepOf(request), request, fetch);
    return relay({
      db: database({ url: stored.url, endpoint: stored.endpoint, fetch: through(stored.fetch), now, timeout: 5000 }),
      broker: kafkaRest({ url: "http://broker.test", fetch: through(broker), now }),
      log: (entry) => void log.push(entry),
      now,
      random,
      newId: () => crypto.randomUUID(),
    });
  }

  const write = (events: Written[]) => writeTo(stored, events, clock.time);

  /** Writes events `0` to `count - 1` of each key, a key after the other; what of each key was written, in order. */
  async function writeEach(count: number, keys: string[]): Promise<Map<string, string[]>> {
    const all = new Map<string, string[]>(keys.map((key) => [key, []]));
    const events = Array.from({ length: count * keys.length }, (_, index) => ({ key: keys[index % keys.length]!, data: { n: Math.floor(index / keys.length) } }));
    for (const [index, id] of (await write(events)).entries()) all.get(events[index]!.key)!.push(id);
    return all;
  }

  return {
    stored,
    clock,
    log,
    broker,
    newRelay,
    write,
    writeEach,
    /** Everything in the topic: for each key the ids in the order they stand there. */
    received: (topic = "platform.users") => receivedFrom({ fetch: broker, baseUrl: "http://broker.test" }, topic),
    /** How many events have not been sent and not been set aside. */
    pending: async () => Number((await stored.query("SELECT count(*) FROM events.outbox WHERE sent_at IS NULL AND set_aside_at IS NULL"))[0]?.["count"]),
    /** As it was at the beginning: nothing written, nothing received. */
    async reset() {
      await stored.reset();
      app = embeddedBroker({ db: stored.db, now });
      clock.time = BEGIN;
      log.length = 0;
    },
    close: under.close,
  };
}

export function keysOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `USR${String(index).padStart(4, "0")}`);
}

async function stepOf(request: Request): Promise<Step> {
  if (request.url.endsWith("/records")) return "produce";
  if (!request.url.endsWith("/sql")) return "find";
  const text = await request.clone().text();
  if (text.includes("RECURSIVE")) return "take";
  return text.includes("DELETE FROM") ? "tidy" : "settle";
}

/** Writes events as one statement each would, and answers their ids. */
async function writeTo({ query }: TestDatabase, events: Written[], time: number): Promise<string[]> {
  const rows = events.map(({ key, topic = "platform.users", type = "user.updated", data = {} }) => ({ key, topic, type, data: { userId: key, ...data } }));
  const written = await query(
    `INSERT INTO events.outbox (topic, type, key, data, traceparent, created_at)
     SELECT topic, type, key, data, '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', to_timestamp($2::float8 / 1000)
     FROM jsonb_to_recordset($1::jsonb) AS e(key text, topic text, type text, data jsonb) RETURNING id`,
    [JSON.stringify(rows), String(time)],
  );
  return written.map(({ id }) => id ?? "");
}

export type Received = Map<string, string[]>;

async function receivedFrom(under: { fetch: Fetch; baseUrl: string }, topic: string): Promise<Received> {
  const wire = await openWire(under);
  const received: Received = new Map();
  for (let partition = 0; ; partition++) {
    for (let offset = 0; ; ) {
      const { status, body } = await wire.read(topic, partition, `?offset=${offset}&max=500`);
      if (status !== 200) return received;
      if (body.data.length === 0) break;
      for (const { key, value } of body.data) {
        const event = readEnvelope(textOf(value));
        if (!event || event.subject !== textOf(key)) throw new Error(`Not an event: ${textOf(value)}`);
        const ids = received.get(event.subject) ?? [];
        received.set(event.subject, [...ids, event.id]);
      }
      offset = body.data.at(-1).offset + 1;
    }
  }
}

