import type * as z from "zod";
import type { BrokerRecord } from "../broker/reading.ts";
import { readEnvelope } from "./envelope.ts";

/** The event types a consumer handles, with what it needs of their data: more than that is not asked of an event. */
export type Handled = Readonly<Record<string, z.ZodType<Record<string, unknown>>>>;

export type Delivery = {
  offset: number;
  id: string;
  type: string;
  subject: string;
  /** Milliseconds since the epoch. */
  time: number;
  data: Record<string, unknown>;
};

const MAX_ID_LENGTH = 255;
/** What JSON escapes and Postgres keeps in no text: NUL, and half of a surrogate pair. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i;

/** The events among `records` that are handled, and the offsets of what cannot be read. */
export function deliveriesIn(records: BrokerRecord[], types: Handled): { events: Delivery[]; unreadable: number[] } {
  const events: Delivery[] = [];
  const unreadable: number[] = [];
  for (const { offset, text } of records) {
    const delivery = text === undefined ? "unreadable" : deliveryIn(text, { offset, types });
    if (delivery === "unreadable") unreadable.push(offset);
    else if (delivery !== "not-handled") events.push(delivery);
  }
  return { events, unreadable };
}

function deliveryIn(text: string, { offset, types }: { offset: number; types: Handled }): Delivery | "not-handled" | "unreadable" {
  const event = readEnvelope(text);
  if (!event) return "unreadable";
  const { id, type, subject } = event;
  if (!Object.hasOwn(types, type)) return "not-handled";
  const data = types[type]?.safeParse(event.data).data;
  if (!data || id.length > MAX_ID_LENGTH) return "unreadable";
  const delivery = { offset, id, type, subject, time: Date.parse(event.time), data };
  return UNSTORABLE.test(JSON.stringify(delivery)) ? "unreadable" : delivery;
}
