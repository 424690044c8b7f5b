import type { Context, MiddlewareHandler } from "hono";
import { readBounded } from "./bounded.ts";
import { Problem } from "./problem.ts";

const MAX_BODY_BYTES = 64 * 1024;
const MAX_DEPTH = 32;
const MAX_KEYS = 1000;
/** Any parameters; not a spelling more than the validators behind it understand. */
const MEDIA_TYPE = /^application\/json(;\s*[a-z\d-]+=[^;]+)*$/i;

/**
 * Lets a body through only when it is JSON that every later reader understands alike: one media type, 64 KiB,
 * 32 levels, 1,000 keys, no `__proto__`, no NUL, no lone surrogate (Postgres refuses the one and alters the other).
 */
export const jsonBody: MiddlewareHandler = async (c, next) => {
  if (!MEDIA_TYPE.test(c.req.header("content-type") ?? "")) {
    throw new Problem("UNSUPPORTED_MEDIA_TYPE_415", "Send the body as application/json");
  }
  const text = await body(c);
  checkJson(parse(text));
  // Validators read the body through Hono's cache, which holds promises whatever its type says.
  c.req.bodyCache.text = Promise.resolve(text) as unknown as string;
  await next();
};

async function body(c: Context): Promise<string> {
  const bytes = await readBounded(c.req.raw.body, MAX_BODY_BYTES);
  if (!bytes) throw new Problem("PAYLOAD_TOO_LARGE_413", `Send at most ${MAX_BODY_BYTES} bytes`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Problem("MALFORMED_JSON_400", "The body is not UTF-8", { cause });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the body, which may hold a password.
    throw new Problem("MALFORMED_JSON_400", "The body is not JSON");
  }
}

function checkJson(root: unknown): void {
  let keys = 0;
  const rest: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }];
  for (let item = rest.pop(); item; item = rest.pop()) {
    const { value, depth } = item;
    if (typeof value === "string") checkText(value);
    if (typeof value !== "object" || value === null) continue;
    if (depth >= MAX_DEPTH) throw new Problem("MALFORMED_JSON_400", `The body is nested more than ${MAX_DEPTH} levels deep`);
    for (const [key, inner] of Object.entries(value)) {
      keys += 1;
      if (keys > MAX_KEYS) throw new Problem("MALFORMED_JSON_400", `The body has more than ${MAX_KEYS} keys`);
      if (key === "__proto__") throw new Problem("MALFORMED_JSON_400", "The body has a key that is not allowed");
      checkText(key);
      rest.push({ value: inner, depth: depth + 1 });
    }
  }
}

function checkText(text: string): void {
  if (text.includes("\0") || !text.isWellFormed()) {
    throw new Problem("MALFORMED_JSON_400", "The body has text with a NUL or a lone surrogate");
  }
}
