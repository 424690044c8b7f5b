import { toBase64 } from "../passwords/base64.ts";
import type { Reply } from "./run.ts";

/** What Upstash answers of one command. */
export type Answer = { result: unknown } | { error: string };

/** What would keep the connection, which all share, waiting, listening or in a state of its own. */
const REFUSED: ReadonlySet<string> = new Set(
  [
    "BLPOP BRPOP BRPOPLPUSH BLMOVE BLMPOP BZPOPMIN BZPOPMAX BZMPOP WAIT WAITAOF",
    "SUBSCRIBE PSUBSCRIBE SSUBSCRIBE UNSUBSCRIBE PUNSUBSCRIBE SUNSUBSCRIBE MONITOR SYNC PSYNC REPLCONF",
    "MULTI EXEC DISCARD WATCH UNWATCH AUTH HELLO SELECT CLIENT RESET QUIT ASKING READONLY READWRITE",
  ].flatMap((names) => names.split(" ")),
);

/** The command in the body of a request, or undefined for what is none. */
export function commandIn(body: unknown): string[] | undefined {
  if (!Array.isArray(body) || body.length === 0 || !body.every(isArgument)) return undefined;
  return body.map(String);
}

/** The commands of a pipeline or transaction, or undefined. */
export function commandsIn(body: unknown): string[][] | undefined {
  if (!Array.isArray(body) || body.length === 0) return undefined;
  const commands = body.flatMap((item) => [commandIn(item)]);
  return commands.every((command) => command !== undefined) ? commands : undefined;
}

/** Why `command` is not sent, in Redis' way to say it; undefined when it is. */
export function refusalOf([name = "", ...rest]: string[]): string | undefined {
  const isBlocking = /^XREAD(GROUP)?$/i.test(name) && rest.some((word) => /^BLOCK$/i.test(word));
  return REFUSED.has(name.toUpperCase()) || isBlocking ? `ERR Command is not available: '${name.slice(0, 64)}'` : undefined;
}

/** `reply` as JSON carries it: bytes as text or, where the caller asks for that, as base64. */
export function answerOf(reply: Reply, isBase64: boolean): Answer {
  if (reply instanceof Error) return { error: reply.message };
  // The one status that callers take as it is.
  return { result: reply === "OK" ? reply : carried(reply, isBase64) };
}

function carried(reply: Reply, isBase64: boolean): unknown {
  if (Array.isArray(reply)) return reply.map((item) => carried(item, isBase64));
  const text = reply instanceof Error ? reply.message : reply;
  if (text instanceof Uint8Array) return isBase64 ? toBase64(text) : new TextDecoder().decode(text);
  return isBase64 && typeof text === "string" ? toBase64(new TextEncoder().encode(text)) : text;
}

function isArgument(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
