import { Problem } from "../http/problem.ts";
import type { Leaf, Tree } from "./leaf.ts";

type Branch = Tree[] | Map<string, Tree>;
/** `start` is where in the name the segment begins. */
type Segment = { key: string | number; start: number };
/** A child of a branch, on the way that `name` leads. */
type Place = { key: string | number; name: string };

const MAX_DEPTH = 64;
/** How many places of a list may be left empty before one that is filled. */
const MAX_GAP = 100;

/** Takes flattened names apart: `a.b[0]` is the first of the list `b` in `a`. Throws `CONFIG_NOT_CONVERTIBLE_400`. */
export function treeOf(values: ReadonlyMap<string, Leaf>): Map<string, Tree> {
  const root = new Map<string, Tree>();
  for (const [name, value] of values) put(root, { name, value });
  return root;
}

function put(root: Map<string, Tree>, { name, value }: { name: string; value: Leaf }): void {
  const segments = segmentsOf(name);
  if (segments.length > MAX_DEPTH) throw refusal(name, `it has more than ${MAX_DEPTH} levels`);
  let branch: Branch = root;
  for (const [index, segment] of segments.slice(0, -1).entries()) {
    const { key, start } = segment;
    const next = segments[index + 1]!;
    const found: Tree | undefined = childOf(branch, { key, name });
    if (found === undefined || found === null) {
      const made: Branch = typeof next.key === "number" ? [] : new Map();
      setChild(branch, { key, name, child: made });
      branch = made;
    } else if (found instanceof Map || Array.isArray(found)) {
      branch = found;
    } else {
      if (typeof key === "number") throw refusal(name, "something is a value and a map at once");
      // A value stands where this name goes on: both are kept, the rest of the name as one.
      return setChild(branch, { key: name.slice(start), name, child: value });
    }
  }
  setChild(branch, { key: segments.at(-1)!.key, name, child: value });
}

function childOf(branch: Branch, { key, name }: Place): Tree | undefined {
  if (branch instanceof Map && typeof key === "string") return branch.get(key);
  if (Array.isArray(branch) && typeof key === "number") return branch[key];
  throw refusal(name, "something is a list and a map at once");
}

function setChild(branch: Branch, { key, name, child }: Place & { child: Tree }): void {
  childOf(branch, { key, name });
  if (branch instanceof Map) return void branch.set(String(key), child);
  const index = Number(key);
  if (index - branch.length > MAX_GAP) throw refusal(name, "the list has too many gaps");
  while (branch.length < index) branch.push(null);
  branch[index] = child;
}

/** Parted by dots and brackets; what is in brackets is an index, or part of a name with its dots. */
function segmentsOf(name: string): Segment[] {
  const segments: Segment[] = [];
  for (let at = 0, isMore = true; isMore; ) {
    const index = indexAt(name, at);
    const end = index === undefined ? endOfText(name, at) : at + index.length;
    segments.push({ key: index === undefined ? name.slice(at, end) : Number(index.slice(1, -1)), start: at });
    const isDot = name[end] === ".";
    at = isDot ? end + 1 : end;
    isMore = isDot || end < name.length;
  }
  return segments;
}

function indexAt(name: string, at: number): string | undefined {
  const index = /\[\d+\]/y;
  index.lastIndex = at;
  return index.exec(name)?.[0];
}

/** The next dot, or the next bracket that is closed: what is in it may have dots. */
function endOfText(name: string, from: number): number {
  for (let at = from; at < name.length; at += 1) {
    if (name[at] === ".") return at;
    const close = name[at] === "[" ? name.indexOf("]", at) : -1;
    if (close === -1) continue;
    if (at > from) return at;
    at = close;
  }
  return name.length;
}

function refusal(name: string, reason: string): Problem {
  return new Problem("CONFIG_NOT_CONVERTIBLE_400", `Cannot write "${name.slice(0, 200)}" in this format: ${reason}`);
}
