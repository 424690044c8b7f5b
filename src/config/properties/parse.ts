import { BrokenFile } from "../broken-file.ts";
import { budget } from "../limits.ts";
import type { Properties, Property } from "../value.ts";


const SPACE = " \t\f";
const ESCAPES: Record<string, string> = { t: "\t", n: "\n", r: "\r", f: "\f" };
/** Parts documents, as Spring Boot has it; the lines beside it must not be comments of the same kind. */
const SEPARATOR = /^[#!]---[ \t\f]*$/;

/** The documents of a `.properties` file (`java.util.Properties`, Spring Boot's `#---`). Throws a BrokenFile. */
export function parseProperties(text: string): Properties[] {
  const lines = text.split(/\r\n|\r|\n/);
  const counted = budget();
  const documents: Map<string, Property>[] = [];
  let found = new Map<string, Property>();
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? "";
    if (isSeparator(lines, index)) {
      documents.push(found);
      found = new Map();
      continue;
    }
    if (/^[ \t\f]*(?:[#!]|$)/.test(line)) continue;
    const { raw, places } = logicalLine(lines, index);
    index = places.at(-1)?.line ?? index;
    const { key, value, start } = split(raw, places);
    counted.node();
    counted.property(key, value);
    const at = placeOf(places, start);
    found.set(key, { value, origin: `${at.line}:${at.column}` });
  }
  documents.push(found);
  return documents.filter(({ size }) => size > 0);
}

function isSeparator(lines: readonly string[], index: number): boolean {
  const line = lines[index] ?? "";
  const isSameComment = (other: string | undefined) => other?.startsWith(line.slice(0, 1)) === true;
  return SEPARATOR.test(line) && !isSameComment(lines[index - 1]) && !isSameComment(lines[index + 1]);
}

/** Where in the logical line each natural one begins: `from` of it stands at `column` (from 0) of `line` (from 0). */
type Piece = { from: number; line: number; column: number };

function logicalLine(lines: readonly string[], first: number): { raw: string; places: Piece[] } {
  const places: Piece[] = [];
  const parts: string[] = [];
  let from = 0;
  for (let line = first; line < lines.length; line += 1) {
    const text = lines[line] ?? "";
    const column = text.search(/[^ \t\f]|$/);
    const continues = backslashesAtEnd(text) % 2 === 1;
    const part = text.slice(column, continues ? -1 : undefined);
    places.push({ from, line, column });
    parts.push(part);
    from += part.length;
    if (!continues) break;
  }
  return { raw: parts.join(""), places };
}

/** Counted from the end: an expression would try at each of them. */
function backslashesAtEnd(text: string): number {
  let count = 0;
  while (text[text.length - 1 - count] === "\\") count += 1;
  return count;
}

function placeOf(places: readonly Piece[], offset: number): { line: number; column: number } {
  const piece = places.findLast(({ from }) => from <= offset) ?? { from: 0, line: 0, column: 0 };
  return { line: piece.line + 1, column: piece.column + offset - piece.from + 1 };
}

function split(raw: string, places: readonly Piece[]): { key: string; value: string; start: number } {
  let end = 0;
  while (end < raw.length && !`=:${SPACE}`.includes(raw[end] ?? "")) end += raw[end] === "\\" ? 2 : 1;
  let start = skipSpace(raw, end);
  if (raw[start] === "=" || raw[start] === ":") start = skipSpace(raw, start + 1);
  return { key: unescape(raw.slice(0, end), { places, offset: 0 }), value: unescape(raw.slice(start), { places, offset: start }), start };
}

function skipSpace(raw: string, from: number): number {
  let at = from;
  while (at < raw.length && SPACE.includes(raw[at] ?? "")) at += 1;
  return at;
}

function unescape(raw: string, { places, offset }: { places: readonly Piece[]; offset: number }): string {
  return raw.replaceAll(/\\(u[0-9A-Fa-f]{4}|[^]?)/g, (whole, escape: string, at: number) => {
    if (escape.length > 1) return String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    if (escape === "u") throw new BrokenFile("a \\u without four hexadecimal digits", placeOf(places, offset + at));
    return ESCAPES[escape] ?? escape;
  });
}
