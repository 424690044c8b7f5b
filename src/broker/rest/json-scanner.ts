import { unreadable, type Refusal } from "./refusal.ts";

/** As many levels as the real proxy's reader takes. */
const MAX_DEPTH = 1000;

export type Scan = {
  /** Texts of the objects that are complete. */
  texts: string[];
  /** Why nothing after them can be read. */
  fault?: Refusal;
};

/**
 * Cuts a stream of concatenated JSON objects where each ends; between them there may be white space and nothing else.
 * It only tells where an object ends: whether it is one, `JSON.parse` says.
 */
export function jsonScanner() {
  /** Of the object that is not complete yet: joined once, for a caller may send a few bytes at a time. */
  let parts: string[] = [];
  let depth = 0;
  let isInString = false;
  let isEscaped = false;

  function push(text: string): Scan {
    const texts: string[] = [];
    let begin = 0;
    for (let at = 0; at < text.length; at++) {
      const char = text[at] ?? "";
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (char === "\\") isEscaped = true;
        else if (char === '"') isInString = false;
      } else if (depth === 0) {
        if (" \t\r\n".includes(char)) continue;
        if (char !== "{") return { texts, fault: unreadable("Error processing message: Expected an object") };
        begin = at;
        depth = 1;
      } else if (char === '"') {
        isInString = true;
      } else if (char === "{" || char === "[") {
        depth += 1;
        if (depth > MAX_DEPTH) return { texts, fault: unreadable(`Error processing message: Document nesting depth (${depth}) exceeds the maximum allowed (${MAX_DEPTH})`) };
      } else if (char === "}" || char === "]") {
        depth -= 1;
        if (depth > 0) continue;
        texts.push([...parts, text.slice(begin, at + 1)].join(""));
        parts = [];
      }
    }
    if (depth > 0) parts.push(text.slice(begin));
    return { texts };
  }

  /** The fault of a stream that ends here, in the middle of an object. */
  function end(): Refusal | undefined {
    return depth > 0 ? unreadable("Error processing message: Unexpected end-of-input") : undefined;
  }

  return { push, end };
}
