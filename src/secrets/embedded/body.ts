import { readBounded } from "../../http/bounded.ts";
import { badRequest, refuse } from "./refusal.ts";

export type Body = Record<string, unknown>;

const MAX_BYTES = 2 * 1024 * 1024;
const MAX_DEPTH = 250;

/** The JSON object of a body; an empty one is `{}`. */
export async function readBody(request: Request): Promise<Body> {
  const bytes = await readBounded(request.body, MAX_BYTES);
  if (!bytes) throw refuse(413, "http: request body too large");
  if (bytes.byteLength === 0) return {};
  const body = parse(bytes);
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw badRequest("failed to decode JSON input: not an object");
  if (isDeeper(body, MAX_DEPTH)) throw badRequest("failed to decode JSON input: exceeded max depth");
  return body as Body;
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    // The parser's message quotes the body, which holds secrets.
    throw badRequest("failed to decode JSON input");
  }
}

function isDeeper(root: unknown, depth: number): boolean {
  let level = [root];
  for (let at = 0; level.length > 0; at++) {
    if (at > depth) return true;
    level = level.flatMap((value) => (typeof value === "object" && value !== null ? Object.values(value) : []));
  }
  return false;
}

/** A field that is a text, stored where Postgres takes no NUL. */
export function textField(body: Body, name: string): string | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string" || value.includes("\0") || !value.isWellFormed()) throw badField(name, "expected type 'string'");
  return value;
}

/** A list of texts, or one text with commas. */
export function listField(body: Body, name: string): string[] | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  const list = typeof value === "string" ? value.split(",").map((item) => item.trim()).filter((item) => item !== "") : value;
  if (!Array.isArray(list) || !list.every((item) => typeof item === "string" && !item.includes("\0") && item.isWellFormed())) throw badField(name, "expected a list of strings");
  return list as string[];
}

export function countField(body: Body, name: string): number | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  const count = typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value;
  if (typeof count !== "number" || !Number.isInteger(count) || count < 0 || count > 2 ** 31 - 1) throw badField(name, "cannot parse value as 'int'");
  return count;
}

export function flagField(body: Body, name: string): boolean | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (value === true || value === "true") return true;
  if (value === false || value === "false") return false;
  throw badField(name, "cannot parse value as 'bool'");
}

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };
const MAX_SECONDS = 100 * 365 * 86_400;

/** Seconds, given as a number of them or as Go writes durations: `1h30m`. */
export function secondsField(body: Body, name: string): number | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  const seconds = typeof value === "string" ? secondsIn(value) : value;
  if (typeof seconds !== "number" || !(seconds >= 0) || seconds > MAX_SECONDS) throw badField(name, "invalid duration");
  return Math.floor(seconds);
}

function secondsIn(text: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  if (!/^(\d{1,9}[smhd]){1,4}$/.test(text)) return Number.NaN;
  return [...text.matchAll(/(\d+)([smhd])/g)].reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS[unit ?? ""] ?? 0), 0);
}

function badField(name: string, reason: string) {
  return badRequest(`Field validation failed: error converting input for field "${name}": ${reason}`);
}
