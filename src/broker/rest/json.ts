import type { Context } from "hono";
import * as z from "zod";
import { readBounded } from "../../http/bounded.ts";
import { jsonScanner } from "./json-scanner.ts";
import { badPayload, httpRefusal, unreadable } from "./refusal.ts";

export const MAX_BODY_BYTES = 1024 * 1024;

// TypeScript does not know the source text of a value yet (ECMAScript, JSON.parse source text access).
type Parse = (text: string, revive: (key: string, value: unknown, context: { source?: string }) => unknown) => unknown;
const parse = JSON.parse as Parse;
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };

/** The body as one JSON object that fits `schema`. */
export async function readJson<Schema extends z.ZodType>(c: Context, schema: Schema): Promise<z.output<Schema>> {
  demandJson(c);
  const bytes = await readBounded(c.req.raw.body, MAX_BODY_BYTES);
  if (!bytes) throw httpRefusal(413);
  if (bytes.byteLength === 0) throw badPayload("Request body is empty. Data is required.");
  const scanner = jsonScanner();
  const { texts, fault } = scanner.push(decoded(bytes));
  const [text] = texts;
  if (text === undefined || texts.length > 1 || fault) throw fault ?? scanner.end() ?? unreadable("Error processing message: Expected one object");
  return shaped(text, schema);
}

export function demandJson(c: Context): void {
  if (!/^application\/json\s*(;|$)/i.test(c.req.header("content-type") ?? "")) throw httpRefusal(415);
}

export function shaped<Schema extends z.ZodType>(text: string, schema: Schema): z.output<Schema> {
  const { data, error } = schema.safeParse(parsed(text));
  if (!error) return data as z.output<Schema>;
  const [issue] = error.issues;
  const at = issue?.path.length ? `${issue.path.join(".")}: ` : "";
  throw unreadable(`Error processing message: ${at}${issue?.message ?? "Unexpected shape"}`);
}

function parsed(text: string): unknown {
  try {
    return parse(text, (_, value, { source }) => {
      // What a double cannot hold is kept as it was written: a record must come out as it went in.
      if (typeof value !== "number" || Number.isSafeInteger(value) || source === undefined || String(value) === source) return value;
      return rawJSON(source);
    });
  } catch {
    throw unreadable("Error processing message: The text is not JSON");
  }
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw unreadable("Error processing message: The text is not UTF-8");
  }
}
