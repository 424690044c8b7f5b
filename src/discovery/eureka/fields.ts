/** Makes the error for a registration that cannot be taken; the words are those of Netflix's server. */
export type Refuse = {
  unreadable: () => Error;
  missing: (what: string) => Error;
  field: (name: string) => Error;
  sentence: (text: string) => Error;
};

/** Control characters, what XML cannot hold, and halves of characters: in no field, whatever its length. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\uFFFE\uFFFF\u2028\u2029]/u;
const UNPRINTABLE_IN_TEXT = /[\p{Cs}\uFFFE\uFFFF]|(?![\t\n])\p{Cc}/u;

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Clients send numbers and booleans as such or as text. */
export function text(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

/** One line of 1 to `max` printable characters. */
export function bounded(value: unknown, max: number): string | undefined {
  return typeof value === "string" && value !== "" && value.length <= max && !UNPRINTABLE.test(value) ? value : undefined;
}

/** A whole number, given as one or as text. */
export function number(value: unknown): number | undefined {
  const given = typeof value === "string" && /^-?\d{1,16}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(given) ? (given as number) : undefined;
}

/** A whole number that Java clients can read (`Integer.valueOf`): one beyond makes them lose the whole list. */
export function int32(value: unknown): number | undefined {
  const given = number(value);
  return given === undefined || given !== (given | 0) ? undefined : given;
}

/** Several lines of printable text. Line ends become the one that XML makes of them. */
export function printable(value: string): string | undefined {
  const lines = value.replace(/\r\n?/g, "\n");
  return UNPRINTABLE_IN_TEXT.test(lines) ? undefined : lines;
}
