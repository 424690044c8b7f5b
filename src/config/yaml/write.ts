import type { Leaf, Tree } from "../leaf.ts";
import { readsAsText } from "./scalar.ts";

const INDENT = "  ";
const NUMBERS: Record<string, string> = { Infinity: ".inf", "-Infinity": "-.inf", NaN: ".NaN" };
const ESCAPES: Record<string, string> = { "\\": "\\\\", '"': '\\"', "\t": "\\t", "\n": "\\n", "\r": "\\r" };
/** What cannot stand in a plain or a single-quoted scalar. */
const NEEDS_ESCAPE = /[\p{Cc}\p{Cs}\u2028\u2029\uFEFF\uFFFE\uFFFF]/u;
/** Indicators, and a start or an inside that would end the scalar (YAML 1.1, 5.3). */
const NOT_PLAIN = /^[,[\]{}#&*!|>'"%@`]|^[-?:](?:\s|$)|^(?:---|\.\.\.)|: |:$| #|^ | $/;

/** A YAML document as SnakeYAML writes it in block style, but never folded. */
export function writeYaml(root: Map<string, Tree>): string {
  return root.size === 0 ? "{}\n" : `${linesOf(root).join("\n")}\n`;
}

function linesOf(tree: Tree): string[] {
  if (tree instanceof Map) return tree.size === 0 ? ["{}"] : [...tree].flatMap(([name, value]) => entry(`${key(name)}:`, value));
  if (Array.isArray(tree)) return tree.flatMap((item) => after("- ", linesOf(item)));
  return scalar(tree);
}

function entry(head: string, value: Tree): string[] {
  const lines = linesOf(value);
  if (Array.isArray(value)) return [head, ...lines];
  if (value instanceof Map && value.size > 0) return [head, ...lines.map(indented)];
  return after(`${head} `, lines);
}

function after(head: string, [first = "", ...rest]: string[]): string[] {
  return [head + first, ...rest.map(indented)];
}

function indented(line: string): string {
  return line === "" ? "" : INDENT + line;
}

function scalar(leaf: Leaf | null): string[] {
  if (leaf === null) return ["null"];
  if (typeof leaf === "boolean") return [String(leaf)];
  if (typeof leaf === "string") return text(leaf);
  if ("binary" in leaf) return ["!!binary |-", leaf.binary];
  if ("number" in leaf) return [NUMBERS[leaf.number] ?? leaf.number];
  // Placeholders are replaced in what is written, so that `${count}` becomes a number again; but never more than one scalar.
  const { substituted } = leaf;
  return NEEDS_ESCAPE.test(substituted) || NOT_PLAIN.test(substituted) ? text(substituted) : [substituted];
}

function key(name: string): string {
  return NEEDS_ESCAPE.test(name) ? doubleQuoted(name) : quotedUnlessPlain(name);
}

function text(value: string): string[] {
  const isBlock = value.includes("\n") && !NEEDS_ESCAPE.test(value.replaceAll("\n", "")) && !/^[ \n]| $| \n/.test(value);
  if (isBlock) return literal(value);
  return [NEEDS_ESCAPE.test(value) ? doubleQuoted(value) : quotedUnlessPlain(value)];
}

function literal(value: string): string[] {
  const body = value.endsWith("\n") ? value.slice(0, -1) : value;
  const chomping = value.endsWith("\n\n") ? "+" : value.endsWith("\n") ? "" : "-";
  return [`|${chomping}`, ...body.split("\n")];
}

function quotedUnlessPlain(value: string): string {
  return value !== "" && readsAsText(value) && !NOT_PLAIN.test(value) ? value : `'${value.replaceAll("'", "''")}'`;
}

function doubleQuoted(value: string): string {
  const escaped = value.replaceAll(/[\\"\p{Cc}\p{Cs}\u2028\u2029\uFEFF\uFFFE\uFFFF]/gu, (char) => {
    return ESCAPES[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
  return `"${escaped}"`;
}
