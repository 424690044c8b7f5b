import { bounded, isObject, printable, type Refuse, text } from "./fields.ts";

export const MAX_ENTRIES = 64;
export const MAX_BYTES = 8192;
const MAX_KEY = 256;
/** Where Java writes what class the map has. */
const CLASS = "@class";

/** The metadata in `value`: numbers become text, what is null is left out, what is nested becomes its JSON. */
export function metadataOf(value: unknown, refuse: Refuse): Record<string, string> {
  if (value === undefined || value === null || value === "") return {};
  if (!isObject(value)) throw refuse.unreadable();
  const kept = Object.entries(value).filter(([key, inner]) => key !== CLASS && inner !== null);
  const entries = kept.map(([key, inner]) => [key, printable(text(inner) ?? json(inner, refuse))] as const);
  if (entries.some(([key, inner]) => bounded(key, MAX_KEY) === undefined || inner === undefined)) throw refuse.field("metadata");
  const metadata = Object.fromEntries(entries) as Record<string, string>;
  if (entries.length > MAX_ENTRIES || new TextEncoder().encode(JSON.stringify(metadata)).length > MAX_BYTES) throw refuse.field("metadata");
  return metadata;
}

function json(value: unknown, refuse: Refuse): string {
  try {
    return JSON.stringify(value);
  } catch {
    // Nested so deep that there is no stack left to write it with.
    throw refuse.field("metadata");
  }
}
