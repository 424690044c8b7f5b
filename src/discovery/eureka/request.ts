import type { Context } from "hono";
import { preferred } from "../../http/media-type.ts";
import { TYPES } from "./answer.ts";
import { bounded, number } from "./fields.ts";
import { failure, Refusal } from "./refusal.ts";
import type { Form, Format } from "./representation.ts";

const MAX_NAME = 512;

/** The name in the path; nothing has one that is not printable. */
export function name(c: Context, param: "app" | "id"): string {
  const found = bounded(c.req.param(param), MAX_NAME);
  if (found === undefined) throw new Refusal(404);
  return found;
}

export function format(c: Context): Format {
  const type = preferred(c.req.header("accept"), [TYPES.xml, TYPES.json]);
  if (type === undefined) throw new Refusal(406);
  return type === TYPES.json ? "json" : "xml";
}

export function form(c: Context): Form {
  return { format: format(c), isCompact: c.req.header("x-eureka-accept") === "compact" };
}

export function dirtyTimestamp(c: Context): number | undefined {
  const text = c.req.query("lastDirtyTimestamp");
  if (text === undefined) return undefined;
  const given = number(text);
  if (given === undefined) throw failure(400, "lastDirtyTimestamp is not a number");
  return given;
}

export function firstValues(query: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...query].toReversed());
}

export function acceptsGzip(c: Context): boolean {
  const codings = (c.req.header("accept-encoding") ?? "").split(",").map((coding) => coding.trim().toLowerCase());
  return codings.some((coding) => /^(x-)?gzip(;\s*q=(1|0?\.\d*[1-9]).*)?$/.test(coding));
}
