import { jsonScanner } from "../json-scanner.ts";
import { MAX_BODY_BYTES, shaped } from "../json.ts";
import { badPayload, httpRefusal, Refusal, unreadable } from "../refusal.ts";
import { type RecordBody, recordSchema } from "./schema.ts";

/** Records of one append: as many as keep it short. */
const MAX_AT_ONCE = 100;

/**
 * The records of a streamed body as they arrive, some at a time. One that cannot be read stands there as its refusal;
 * where nothing after it can be read, that is the last.
 */
export async function* recordsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<(RecordBody | Refusal)[]> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const scanner = jsonScanner();
  const reader = body.getReader();
  let size = 0;
  let fault: Refusal | undefined;
  try {
    while (!fault) {
      const { done, value } = await reader.read();
      size += value?.byteLength ?? 0;
      if (size > MAX_BODY_BYTES) fault = httpRefusal(413);
      else {
        const scan = scanner.push(decoder.decode(value, { stream: !done }));
        for (const some of chunks(scan.texts)) yield some.map(recordIn);
        fault = scan.fault ?? (done ? scanner.end() : undefined);
        if (done && size === 0) fault = badPayload("Request body is empty. Data is required.");
      }
      if (done) break;
    }
  } catch (error) {
    // The sender is gone, or sent what is not UTF-8: what came before is delivered all the same.
    fault = unreadable(`Error processing message: ${error instanceof TypeError ? "The text is not UTF-8" : "Unexpected end-of-input"}`);
  } finally {
    await reader.cancel().catch(() => {});
  }
  if (fault) yield [fault];
}

function recordIn(text: string): RecordBody | Refusal {
  try {
    return shaped(text, recordSchema);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function* chunks<T>(items: T[]): Generator<T[]> {
  for (let at = 0; at < items.length; at += MAX_AT_ONCE) yield items.slice(at, at + MAX_AT_ONCE);
}
