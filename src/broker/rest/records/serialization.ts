import { fromBase64 } from "../../../passwords/base64.ts";
import type { RecordToAppend } from "../cluster.ts";
import { badPayload, unreadable } from "../refusal.ts";
import type { RecordBody } from "./schema.ts";

export type Serialized = Omit<RecordToAppend, "partition" | "timestamp"> & { timestamp: number | undefined };

type Datum = NonNullable<RecordBody["key"]>;

const BATCH_OVERHEAD = 70;
const HEADER_OVERHEAD = 2;
const MAX_SHOWN = 64;

/** What of `body` is kept; throws what a producer refuses about it. */
export function serialize({ key, value, headers, timestamp }: RecordBody): Serialized {
  const keyBytes = key ? bytesOf(key) : null;
  const valueBytes = value ? bytesOf(value) : null;
  const encoded = (headers ?? []).map((header): [string, Uint8Array | null] => [header.name.toWellFormed(), headerValue(header.value)]);
  const inHeaders = encoded.reduce((sum, [name, bytes]) => sum + HEADER_OVERHEAD + new TextEncoder().encode(name).length + (bytes?.length ?? 0), 0);
  return {
    key: keyBytes,
    value: valueBytes,
    headers: encoded,
    timestamp: timestamp ? instantOf(timestamp) : undefined,
    size: BATCH_OVERHEAD + (keyBytes?.length ?? 0) + (valueBytes?.length ?? 0) + inHeaders,
  };
}

function bytesOf({ type, data, ...schema }: Datum): Uint8Array | null {
  const needsRegistry = type === "AVRO" || type === "JSONSCHEMA" || type === "PROTOBUF" || Object.values(schema).some((field) => field !== null && field !== undefined);
  if (!type || needsRegistry) throw badPayload("Schema Registry must be configured when using schemas.");
  if (data === undefined) throw unreadable("Error processing message: Null data");
  if (data === null) return null;
  if (type === "JSON") return new TextEncoder().encode(JSON.stringify(data));
  if (typeof data !== "string") throw unreadable(`data=${shown(data)} is not a ${type === "STRING" ? "string" : "base64 string"}.`);
  if (type === "STRING") return new TextEncoder().encode(data);
  return bytesIn(data) ?? refuse(`data=${shown(data)} is not a valid base64 string.`);
}

function headerValue(value: string | null | undefined): Uint8Array | null {
  if (value === null || value === undefined) return null;
  return bytesIn(value) ?? refuse("Error processing message: A header's value is base64");
}

/** The bytes of base64, padded or not; undefined for anything else, white space among it. */
function bytesIn(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  try {
    return fromBase64(text);
  } catch {
    return undefined;
  }
}

function instantOf(text: string): number {
  const milliseconds = Date.parse(text);
  return milliseconds >= 0 ? milliseconds : refuse("Error processing message: A timestamp is not before 1970");
}

function shown(data: unknown): string {
  return JSON.stringify(data).slice(0, MAX_SHOWN);
}

function refuse(message: string): never {
  throw unreadable(message);
}
