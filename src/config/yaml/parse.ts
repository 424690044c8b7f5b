import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Pair, parseAllDocuments, type ParsedNode, visit, type YAMLMap, type YAMLSeq } from "yaml";
import { BrokenFile } from "../broken-file.ts";
import { type Budget, budget } from "../limits.ts";
import { type Properties, type Property, type Scalar, textOf } from "../value.ts";
import { plainScalar, taggedScalar } from "./scalar.ts";

type Node = ParsedNode | null;
/** `at` is the offset of the value with its tag and anchor. */
type Entry = { node: Node; at: number };
type Walk = { targets: ReadonlyMap<object, ParsedNode>; lines: LineCounter; budget: Budget; found: Map<string, Property> };

const MAX_DEPTH = 64;
const YAML_TAG = "tag:yaml.org,2002:";
const COLLECTION_TAGS: ReadonlySet<string> = new Set(["!", `${YAML_TAG}map`, `${YAML_TAG}seq`]);
/** What SnakeYAML refuses anywhere in a stream. */
const UNPRINTABLE = /(?![\t\n\r\x85])\p{Cc}|[\uFFFE\uFFFF]/u;

/** The documents of a YAML file, flattened as Spring does it; those without content are left out. Throws a BrokenFile. */
export function parseYaml(text: string): Properties[] {
  const lines = new LineCounter();
  const counted = budget();
  const place = (offset: number) => placeOf(lines, offset);
  // Unique keys are looked after here: the parser's own check takes a time that grows with the square of their number.
  const options = { version: "1.1", schema: "failsafe", merge: false, uniqueKeys: false, lineCounter: lines, prettyErrors: false, keepSourceTokens: true, logLevel: "silent" } as const;
  const parsed = parseAllDocuments(text, options);
  const unprintable = UNPRINTABLE.exec(text);
  if (unprintable) throw new BrokenFile("a control character", place(unprintable.index));
  const documents = Array.isArray(parsed) ? (parsed as Document.Parsed[]) : [];
  return documents.flatMap((document) => {
    const [error] = document.errors;
    if (error) throw new BrokenFile(reasonOf(error.code), place(error.pos[0]));
    const walk: Walk = { targets: targetsIn(document), lines, budget: counted, found: new Map() };
    const root = document.contents;
    if (isMap(root)) flattenMap(walk, { map: root as YAMLMap.Parsed, path: "", depth: 0 });
    else if (!isNothing(root)) flatten(walk, { name: "document", node: root, at: root?.range[0] ?? 0, depth: 0 });
    return walk.found.size === 0 ? [] : [walk.found];
  });
}

/** Alias → what it stands for, in one go: the parser would look through the document for each. */
function targetsIn(document: Document.Parsed): Map<object, ParsedNode> {
  const anchors = new Map<string, ParsedNode>();
  const targets = new Map<object, ParsedNode>();
  visit(document, {
    Alias(_, alias) {
      const target = anchors.get(alias.source);
      if (target) targets.set(alias, target);
    },
    Value(_, node) {
      if (node.anchor !== undefined) anchors.set(node.anchor, node as ParsedNode);
    },
  });
  return targets;
}

/** The parser's code in words: its messages quote the file. */
function reasonOf(code: string): string {
  return code.toLowerCase().replaceAll("_", " ");
}

function placeOf(lines: LineCounter, offset: number): { line: number; column: number } {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

function isNothing(node: Node): boolean {
  return node === null || (isScalar(node) && node.type === "PLAIN" && node.source === "");
}

function flatten(walk: Walk, { name, node, at, depth }: Entry & { name: string; depth: number }): void {
  walk.budget.node();
  if (depth > MAX_DEPTH) throw new BrokenFile(`it is nested more than ${MAX_DEPTH} levels deep`, placeOf(walk.lines, at));
  if (isAlias(node)) {
    const target = walk.targets.get(node);
    if (!target) throw new BrokenFile("an alias of nothing", placeOf(walk.lines, at));
    return flatten(walk, { name, node: target, at: target.range[0], depth: depth + 1 });
  }
  if ((isMap(node) || isSeq(node)) && node.tag !== undefined && !COLLECTION_TAGS.has(node.tag)) throw new BrokenFile("a tag that is not known", placeOf(walk.lines, at));
  if (isMap(node) && node.items.length > 0) return flattenMap(walk, { map: node as YAMLMap.Parsed, path: name, depth });
  if (isSeq(node) && node.items.length > 0) {
    const list = node as YAMLSeq.Parsed;
    return list.items.forEach((_, index) => flatten(walk, { name: `${name}[${index}]`, ...itemOf(list, index), depth: depth + 1 }));
  }
  const value = isScalar(node) ? scalarOf(walk, { node, at }) : "";
  walk.budget.property(name, textOf(value));
  const { line, column } = placeOf(walk.lines, at);
  walk.found.set(name, { value, origin: `${line}:${column}` });
}

type Level = { map: YAMLMap.Parsed; depth: number };

function flattenMap(walk: Walk, { map, path, depth }: Level & { path: string }): void {
  for (const [key, entry] of entriesOf(walk, { map, depth })) {
    const name = path.trim() === "" ? key : key.startsWith("[") ? path + key : `${path}.${key}`;
    flatten(walk, { name, ...entry, depth: depth + 1 });
  }
}

/** What is merged in first, then the map's own, which wins. */
function entriesOf(walk: Walk, { map, depth }: Level): Map<string, Entry> {
  const merged = new Map<string, Entry>();
  const own = new Map<string, Entry>();
  for (const pair of map.items) {
    const at = pair.key?.range[0] ?? map.range[0];
    const entry = { node: pair.value, at: startOf(pair.value, { before: pair.srcToken?.sep, otherwise: at }) };
    if (isScalar(pair.key) && pair.key.type === "PLAIN" && pair.key.source === "<<") {
      for (const [key, value] of mergedIn(walk, { ...entry, depth: depth + 1 })) if (!merged.has(key)) merged.set(key, value);
      continue;
    }
    const key = keyOf(walk, { key: pair.key, at });
    if (own.has(key)) throw new BrokenFile("duplicate key", placeOf(walk.lines, at));
    own.set(key, entry);
  }
  return new Map([...merged, ...own]);
}

/** The entries of a map, or of a list of maps of which the earlier win, that `<<` names. */
function mergedIn(walk: Walk, { node, at, depth }: Entry & { depth: number }): Map<string, Entry> {
  walk.budget.node();
  if (depth > MAX_DEPTH) throw new BrokenFile(`it is nested more than ${MAX_DEPTH} levels deep`, placeOf(walk.lines, at));
  const target = isAlias(node) ? walk.targets.get(node) : node;
  if (isMap(target)) {
    for (const _ of target.items) walk.budget.node();
    return entriesOf(walk, { map: target as YAMLMap.Parsed, depth });
  }
  if (!isSeq(target)) throw new BrokenFile("merged in is no map", placeOf(walk.lines, at));
  const all = (target as YAMLSeq.Parsed).items.flatMap((item) => [...mergedIn(walk, { node: item as Node, at, depth: depth + 1 })]);
  return new Map(all.toReversed());
}

function keyOf({ lines, budget }: Walk, { key, at }: Pick<Pair<ParsedNode, Node>, "key"> & { at: number }): string {
  if (!isScalar(key)) throw new BrokenFile("a key that is not a text", placeOf(lines, at));
  budget.property("", key.source ?? "");
  const value = key.type === "PLAIN" && key.tag === undefined ? plainScalar(key.source ?? "") : String(key.value);
  if (typeof value === "string") return value;
  return `[${value === null ? "null" : textOf(value)}]`;
}

type ScalarNode = { value: unknown; tag?: string; type?: string; source?: string };

function scalarOf({ lines }: Walk, { node, at }: { node: ScalarNode; at: number }): Scalar {
  const text = String(node.value ?? "");
  const isPlain = node.type === "PLAIN" && node.tag === undefined;
  // `!` alone makes text of anything.
  const tag = node.tag === "!" || node.tag === undefined ? "str" : node.tag.startsWith(YAML_TAG) ? node.tag.slice(YAML_TAG.length) : "";
  const value = isPlain ? plainScalar(text) : taggedScalar(tag, text);
  if (value === undefined) throw new BrokenFile("a tag that its value has nothing to do with, or that is not known", placeOf(lines, at));
  return value ?? "";
}

function itemOf(list: YAMLSeq.Parsed, index: number): Entry {
  const node = list.items[index] as Node;
  const token = list.srcToken?.items[index];
  return { node, at: startOf(node, { before: token?.start, otherwise: list.range[0] }) };
}

/** Where a value begins: at its tag or anchor, if it has one. */
function startOf(node: Node, { before, otherwise }: { before: readonly { type: string; offset: number }[] | undefined; otherwise: number }): number {
  const property = before?.find(({ type }) => type === "tag" || type === "anchor");
  return property?.offset ?? node?.range[0] ?? otherwise;
}
