import type { NewRecord } from "../broker/produce.ts";
import { type CloudEvent, envelopeOf, headersOf } from "./envelope.ts";
import type { Taken } from "./relay-store.ts";

/** What every intermediary forwards (CloudEvents 1.0, 3.4 Size Limits). */
export const MAX_EVENT_BYTES = 64 * 1024;

/** An event on its way, and its record. */
export type Sending = { taken: Taken; record: NewRecord; bytes: number };

const MAX_RECORDS = 100;
/** Of the values of one request: with keys, headers and their encoding it stays below the 1 MiB that proxies take. */
const MAX_BYTES = 256 * 1024;

/** Undefined for an event that is too large for any broker. */
export function sendingOf(taken: Taken): Sending | undefined {
  if (!taken.data) return undefined;
  const event: CloudEvent = envelopeOf({ ...taken, data: taken.data });
  const bytes = new TextEncoder().encode(JSON.stringify(event)).byteLength;
  return bytes > MAX_EVENT_BYTES ? undefined : { taken, bytes, record: { key: taken.key, headers: headersOf(event), value: event } };
}

/**
 * What goes in one request each. An event whose answer was lost goes in ever smaller company: one that breaks whatever it
 * is sent with, over and over, ends alone, and last.
 */
export function batchesOf(sendings: readonly Sending[]): Sending[][] {
  const batches: Sending[][] = [];
  let bytes = 0;
  for (const sending of sendings.toSorted((one, other) => one.taken.unanswered - other.taken.unanswered)) {
    const batch = batches.at(-1);
    const max = Math.max(1, Math.floor(MAX_RECORDS / 4 ** sending.taken.unanswered));
    if (batch && batch.length < max && bytes + sending.bytes <= MAX_BYTES) {
      batch.push(sending);
      bytes += sending.bytes;
    } else {
      batches.push([sending]);
      bytes = sending.bytes;
    }
  }
  return batches;
}
