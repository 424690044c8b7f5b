import { sql } from "drizzle-orm";
import { expect } from "vitest";
import * as z from "zod";
import { recordReader } from "../../src/broker/reading.ts";
import { database } from "../../src/database/client.ts";
import { type CloudEvent, envelopeOf } from "../../src/events/envelope.ts";
import { consumer, type Consumer } from "../../src/events/consumer.ts";
import type { Effect } from "../../src/events/consumer-store.ts";
import type { Fetch } from "../../src/http/fetch.ts";
import type { LogEntry } from "../../src/http/log.ts";
import { embeddedUnderTest } from "../broker/embedded.ts";
import type { Wire } from "../platform.ts";
import { fresh, openWire } from "../wire/broker/wire.ts";

export type Following = Awaited<ReturnType<typeof following>>;

export type Wires = { broker?: Wire; database?: Wire };

export const MINUTE = 60_000;

/** Each event's effect is a row, and there is nothing that would keep a second one out. */
const noteEffect: Effect = ({ events }) => sql`
  noted AS (INSERT INTO public.effects (topic, id, subject, number) SELECT data->>'topic', id, subject, (data->>'number')::int FROM ${events} ORDER BY "offset")`;

/** An embedded broker, a database, and consumers of one name between them whose wires can be cut. */
export async function following() {
  const under = await embeddedUnderTest({ isOpen: true });
  const wire = await openWire(under);
  const { database: stored, now, clock } = under;
  const log: LogEntry[] = [];
  await stored.query("DROP TABLE IF EXISTS public.effects");
  await stored.query("CREATE TABLE public.effects (place bigserial PRIMARY KEY, topic text, id text, subject text, number int)");
  let numbers = 0;

  function runner(topic: string, wires: Wires = {}, effect = noteEffect): Consumer {
    const through = (cut: Wire | undefined, fetch: Fetch): Fetch => (cut ? (request) => cut(request, fetch) : fetch);
    return consumer({
      name: nameOf(topic),
      topics: [topic],
      types: { "user.updated": z.object({ topic: z.string(), number: z.unknown() }) },
      effect,
      db: database({ url: stored.url, endpoint: stored.endpoint, fetch: through(wires.database, stored.fetch), now, timeout: 5000 }),
      reader: recordReader({ url: under.baseUrl, fetch: through(wires.broker, under.fetch), now }),
      now,
      log: (entry) => void log.push(entry),
      service: "tests",
    });
  }

  /** An event of `subject`; numbers rise. */
  function event(topic: string, subject: string, overrides: Record<string, unknown> = {}): CloudEvent {
    numbers += 1;
    const made = envelopeOf({ id: crypto.randomUUID(), type: "user.updated", key: subject, data: { topic, number: numbers }, traceparent: null, createdAt: now() });
    return { ...made, ...overrides } as CloudEvent;
  }

  /** Sends records as they are: bytes, text, or what is written as JSON. */
  async function send(topic: string, values: unknown[], partition?: number): Promise<void> {
    for (let at = 0; at < values.length; at += 100) {
      const records = values.slice(at, at + 100).map((value) => {
        const subject = (value as { subject?: unknown } | null)?.subject;
        const bytes = value instanceof Uint8Array ? value : Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
        return {
          ...(partition !== undefined && { partition_id: partition }),
          ...(typeof subject === "string" && { key: { type: "STRING", data: subject } }),
          value: { type: "BINARY", data: value === null ? null : Buffer.from(bytes).toString("base64") },
        };
      });
      const reports = await wire.produce(topic, ...records);
      if (reports.length !== records.length || reports.some(({ error_code }) => error_code !== 200)) throw new Error(`Cannot send: ${JSON.stringify(reports)}`);
    }
  }

  /** Sends so many events, of so many subjects in turn, and answers them. */
  async function sendMany(topic: string, count: number, subjects = 25): Promise<CloudEvent[]> {
    const events = Array.from({ length: count }, (_, index) => event(topic, `USR${index % subjects}`));
    await send(topic, events);
    return events;
  }

  /** Ids in the order of their effects. */
  async function effects(topic: string): Promise<string[]> {
    return (await stored.query("SELECT id FROM public.effects WHERE topic = $1 ORDER BY place", [topic])).map(({ id }) => id ?? "");
  }

  /** The numbers of each subject's events in the order of their effects. */
  async function numbersBySubject(topic: string): Promise<Record<string, number[]>> {
    const rows = await stored.query("SELECT subject, json_agg(number ORDER BY place) AS numbers FROM public.effects WHERE topic = $1 GROUP BY 1", [topic]);
    return Object.fromEntries(rows.map(({ subject, numbers }) => [subject ?? "", JSON.parse(numbers ?? "[]") as number[]]));
  }

  /** Each of these events has had its effect once, and those of a subject in order. */
  async function expectOnceInOrder(topic: string, events: { id: string }[]): Promise<void> {
    const had = await effects(topic);
    expect(had).toHaveLength(events.length);
    expect(new Set(had)).toEqual(new Set(idsOf(events)));
    for (const numbers of Object.values(await numbersBySubject(topic))) expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  }

  const nameOf = (topic: string) => `reader of ${topic}`;

  async function position(topic: string, partition = 0): Promise<Record<string, string | null> | undefined> {
    const [row] = await stored.query("SELECT next_offset, tries FROM events.positions WHERE consumer = $1 AND topic = $2 AND partition = $3", [nameOf(topic), topic, String(partition)]);
    return row;
  }

  const newTopic = (partitions = 1, configs: Record<string, string> = {}) =>
    wire.newTopic(partitions, { configs: Object.entries(configs).map(([name, value]) => ({ name, value })) });

  return { ...under, wire, log, runner, event, send, sendMany, effects, expectOnceInOrder, position, newTopic, clock, now, query: stored.query, aName: () => fresh("t-") };
}

export const idsOf = (events: { id: string }[]) => events.map(({ id }) => id);

export const isReading = ({ url }: Request) => url.includes("/records?");

/** Whether a request of the database holds these words of SQL. */
export const isStatement = async (request: Request, words: string) => (await request.clone().text()).includes(words);

/** Changes the records' answers of a broker; `null` leaves one as it is. */
export function lying(change: (body: any, request: Request) => unknown): Wire {
  return async (request, pass) => {
    const response = await pass(request);
    if (!isReading(request) || response.status !== 200) return response;
    const body: unknown = await response.json();
    return Response.json(change(body, request) ?? body);
  };
}

/** Runs until the end is reached, however often that fails. */
export async function runToEnd(runners: Consumer[], tries = 400): Promise<void> {
  for (let round = 0; round < tries; round++) {
    const runs = await Promise.allSettled(runners.map((runner) => runner.run()));
    if (runs.every((run) => run.status === "fulfilled" && run.value.state === "at-end")) return;
  }
  throw new Error("The end is not reached");
}

/** The same numbers in [0, 1) for the same seed (mulberry32). */
export function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
