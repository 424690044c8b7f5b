/** Placeholders that cannot be resolved to an end. */
export class PlaceholderFault extends Error {
  override readonly name = "PlaceholderFault";
}

/** Replaces every `${name}` and `${name:default}` in a text; throws a PlaceholderFault. */
export type Resolve = (text: string) => string;

const MAX_NESTING = 32;
const MAX_CHAIN = 100;
const MAX_LENGTH = 1024 * 1024;

/**
 * Spring's placeholders: nested ones, names made of others, defaults after the first colon, `\${` for a literal `${`.
 * What nothing gives a value stays as it is. One resolver makes at most a mebibyte of all it is given.
 */
export function placeholders(lookup: (name: string) => string | undefined): Resolve {
  const values = new Map<string, string>();
  let length = 0;

  function resolve(text: string, chain: readonly string[]): string {
    let out = "";
    let done = 0;
    for (let start = text.indexOf("${"); start !== -1; start = text.indexOf("${", done)) {
      if (text[start - 1] === "\\" && start > done) {
        out += `${text.slice(done, start - 1)}\${`;
        done = start + 2;
        continue;
      }
      const end = endOf(text, start);
      if (end === -1) break;
      const body = text.slice(start + 2, end);
      out += text.slice(done, start) + (replacement(body, chain) ?? `\${${body}}`);
      done = end + 1;
    }
    if (done === 0) return text;
    out += text.slice(done);
    length += out.length;
    if (length > MAX_LENGTH) throw new PlaceholderFault(`Placeholders make more than ${MAX_LENGTH} characters`);
    return out;
  }

  function replacement(body: string, chain: readonly string[]): string | undefined {
    const colon = colonOf(body);
    const name = resolve(colon === -1 ? body : body.slice(0, colon), chain);
    const value = valueOf(name, chain);
    return value ?? (colon === -1 ? undefined : resolve(body.slice(colon + 1), chain));
  }

  function valueOf(name: string, chain: readonly string[]): string | undefined {
    const known = values.get(name);
    if (known !== undefined) return known;
    const raw = lookup(name);
    if (raw === undefined) return undefined;
    if (chain.includes(name)) throw new PlaceholderFault(`The placeholder "${name}" leads back to itself`);
    if (chain.length >= MAX_CHAIN) throw new PlaceholderFault(`The placeholder "${chain[0]}" needs more than ${MAX_CHAIN} others`);
    const value = resolve(raw, [...chain, name]);
    values.set(name, value);
    return value;
  }

  return (text) => resolve(text, []);
}

/** Where the placeholder that begins at `start` is closed, or -1. */
function endOf(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text.startsWith("${", at)) {
      depth += 1;
      at += 1;
      if (depth > MAX_NESTING) throw new PlaceholderFault(`Placeholders are nested more than ${MAX_NESTING} levels deep`);
    } else if (text[at] === "}") {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return -1;
}

/** The colon before the default; one inside a nested placeholder is that one's. */
function colonOf(body: string): number {
  let depth = 0;
  for (let at = 0; at < body.length; at += 1) {
    if (body.startsWith("${", at)) depth += 1;
    else if (body[at] === "}") depth = Math.max(0, depth - 1);
    else if (body[at] === ":" && depth === 0) return at;
  }
  return -1;
}
