import { type Item, type Items, parseHcl, type Value } from "./hcl.ts";

const CAPABILITIES = ["create", "read", "update", "patch", "delete", "list", "sudo", "deny"] as const;

export type Capability = (typeof CAPABILITIES)[number];

/** `path` as the policy spells it: `*` at its end globs, a segment `+` is any one segment. */
export type Rule = { path: string; capabilities: Capability[] };

const OLD_STYLE: Record<string, Capability[]> = {
  deny: ["deny"],
  read: ["read", "list"],
  write: ["create", "read", "update", "delete", "list"],
  sudo: ["create", "read", "update", "delete", "list", "sudo"],
};

const MAX_POLICY_CHARACTERS = 64 * 1024;

/** The rules of a policy, which is HCL or the same in JSON. Throws a SyntaxError for what is not understood: nothing is ignored. */
export function parsePolicy(text: string): Rule[] {
  if (text.length > MAX_POLICY_CHARACTERS) throw new SyntaxError(`more than ${MAX_POLICY_CHARACTERS} characters`);
  const { items } = text.trimStart().startsWith("{") ? fromJson(text) : parseHcl(text);
  return items.flatMap((item) => (item.keys[0] === "name" ? [] : rulesOf(item)));
}

function rulesOf({ keys: [kind, path, ...more], value }: Item): Rule[] {
  if (kind !== "path") throw new SyntaxError(`1 error occurred:\n\t* invalid key "${kind}"\n\n`);
  if (!isItems(value) || more.length > 0) throw new SyntaxError(`a "path" is not an object`);
  // JSON's `{"path": {"x": {…}}}` is one item whose content are the paths.
  if (path === undefined) return value.items.flatMap((item) => rulesOf({ keys: ["path", ...item.keys], value: item.value }));
  return [{ path: checkedPath(path), capabilities: capabilitiesIn(path, value) }];
}

function checkedPath(path: string): string {
  if (path.includes("+*")) throw new SyntaxError(`path "${path}": invalid use of wildcards ('+*' is forbidden)`);
  if (path.includes("\0") || !path.isWellFormed()) throw new SyntaxError("a path has text that is not allowed");
  return path.startsWith("/") ? path.slice(1) : path;
}

function capabilitiesIn(path: string, { items }: Items): Capability[] {
  const found = new Set<Capability>();
  for (const { keys, value } of items) {
    const [key = ""] = keys;
    if (key === "capabilities") for (const name of namesIn(path, value)) found.add(capability(path, name));
    else if (key === "policy") for (const name of oldStyle(path, value)) found.add(name);
    // A restriction that this server would not keep may not be written down as if it did.
    else if (key !== "comment") throw new SyntaxError(`path "${path}": 1 error occurred:\n\t* "${key}" is not supported by this server\n\n`);
  }
  return found.has("deny") ? ["deny"] : [...found];
}

function namesIn(path: string, value: Value): string[] {
  const names = Array.isArray(value) ? value : [value];
  if (names.every((name) => typeof name === "string")) return names;
  throw new SyntaxError(`path "${path}": capabilities are not a list of strings`);
}

function capability(path: string, name: string): Capability {
  const known = CAPABILITIES.find((candidate) => candidate === name);
  if (known) return known;
  throw new SyntaxError(`path "${path}": invalid capability "${name}"`);
}

function oldStyle(path: string, value: Value): Capability[] {
  const found = typeof value === "string" && Object.hasOwn(OLD_STYLE, value) ? OLD_STYLE[value] : undefined;
  if (found) return found;
  throw new SyntaxError(`path "${path}": invalid policy`);
}

function fromJson(text: string): Items {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new SyntaxError("the JSON is not valid");
  }
  return valueOf(parsed) as Items;
}

function valueOf(value: unknown): Value {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.map(valueOf);
  if (typeof value === "object" && value !== null) return { items: Object.entries(value).map(([key, inner]) => ({ keys: [key], value: valueOf(inner) })) };
  throw new SyntaxError("null is not a value");
}

function isItems(value: Value): value is Items {
  return typeof value === "object" && !Array.isArray(value);
}
