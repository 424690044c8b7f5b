/** What a policy's HCL (version 1) is made of: items with their keys, such as `path "x" { … }` and `capabilities = […]`. */
export type Item = { keys: string[]; value: Value };
export type Value = string | number | boolean | Value[] | Items;
export type Items = { items: Item[] };

type Token = { kind: "string" | "word" | "number" | "sign"; text: string; at: number };

const PATTERN = /(?<space>[\s,]+|#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\/)|"(?<string>(?:[^"\\\n]|\\.)*)"|(?<number>-?\d+(?:\.\d+)?)|(?<word>[A-Za-z_][\w.-]*)|(?<sign>[={}[\]])/y;

const MAX_DEPTH = 16;

/** Throws an error whose message says where, never quoting what was not understood. */
export function parseHcl(source: string): Items {
  const tokens = tokensOf(source);
  let next = 0;

  function fail(expected: string): never {
    throw new SyntaxError(`At ${placeOf(source, tokens[next]?.at ?? source.length)}: expected ${expected}`);
  }

  function isSign(text: string): boolean {
    return tokens[next]?.kind === "sign" && tokens[next]?.text === text;
  }

  function takeSign(text: string): void {
    if (!isSign(text)) fail(`"${text}"`);
    next += 1;
  }

  function takeItems(isOver: () => boolean, depth: number): Items {
    const items: Item[] = [];
    while (!isOver()) items.push(takeItem(depth));
    return { items };
  }

  function takeItem(depth: number): Item {
    const keys: string[] = [];
    for (let token = tokens[next]; token?.kind === "word" || token?.kind === "string"; token = tokens[next]) {
      keys.push(token.text);
      next += 1;
    }
    if (keys.length === 0) fail("a key");
    if (isSign("=") && keys.length === 1) {
      next += 1;
      return { keys, value: takeValue(depth) };
    }
    if (!isSign("{")) fail("start of object ('{') or assignment ('=')");
    return { keys, value: takeObject(depth) };
  }

  function takeObject(depth: number): Items {
    if (depth > MAX_DEPTH) fail("less nesting");
    takeSign("{");
    const items = takeItems(() => next >= tokens.length || isSign("}"), depth + 1);
    takeSign("}");
    return items;
  }

  function takeValue(depth: number): Value {
    if (isSign("{")) return takeObject(depth);
    if (isSign("[")) return takeList(depth);
    const token = tokens[next];
    if (!token || token.kind === "sign") fail("a value");
    next += 1;
    if (token.kind === "number") return Number(token.text);
    if (token.kind === "word" && token.text !== "true" && token.text !== "false") fail("a value");
    return token.kind === "word" ? token.text === "true" : token.text;
  }

  function takeList(depth: number): Value[] {
    if (depth > MAX_DEPTH) fail("less nesting");
    takeSign("[");
    const values: Value[] = [];
    while (next < tokens.length && !isSign("]")) values.push(takeValue(depth + 1));
    if (next >= tokens.length) fail("comma or list end, got: EOF");
    takeSign("]");
    return values;
  }

  return takeItems(() => next >= tokens.length, 0);
}

function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < source.length; ) {
    PATTERN.lastIndex = at;
    const match = PATTERN.exec(source);
    if (!match) throw new SyntaxError(`At ${placeOf(source, at)}: illegal character`);
    const { string, number, word, sign } = match.groups ?? {};
    if (string !== undefined) tokens.push({ kind: "string", text: unescaped(string, () => placeOf(source, at)), at });
    else if (number !== undefined) tokens.push({ kind: "number", text: number, at });
    else if (word !== undefined) tokens.push({ kind: "word", text: word, at });
    else if (sign !== undefined) tokens.push({ kind: "sign", text: sign, at });
    at = PATTERN.lastIndex;
  }
  return tokens;
}

/** HCL's escapes are JSON's for all that a policy needs. */
function unescaped(text: string, place: () => string): string {
  try {
    return JSON.parse(`"${text.replaceAll("\t", "\\t")}"`) as string;
  } catch {
    throw new SyntaxError(`At ${place()}: literal not terminated`);
  }
}

function placeOf(source: string, at: number): string {
  const before = source.slice(0, at).split("\n");
  return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}
