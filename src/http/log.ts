import { causesOf } from "./causes.ts";

/** One line of the log. Only named fields are written, so nothing of a request gets in by accident. */
export type LogEntry = {
  level: "info" | "warn" | "error";
  service: string;
  message: string;
  requestId?: string;
  traceId?: string;
  method?: string;
  /** The route's pattern, never the path or the query as sent. */
  route?: string;
  status?: number;
  durationMs?: number;
  code?: string;
  /** The chain of causes, redacted. */
  error?: string;
};

export type Log = (entry: LogEntry) => void;

const SECRETS = [
  /\beyJ[\w-]+\.[\w-]*\.?[\w-]*/g,
  /\b(Bearer|Basic)\s+[\w+/=.~-]+/gi,
  /((?:password|secret|answer|token|authorization)["']?\s*[:=]\s*["']?)[^"'\s&,}]+/gi,
  /(\w+:\/\/[^\s:/@]*):[^\s@/]+@/g,
];

/** `text` without tokens, credentials and the passwords of URLs. */
function redact(text: string): string {
  return SECRETS.reduce((rest, secret) => rest.replace(secret, (_, kept) => `${typeof kept === "string" ? kept : ""}[redacted]`), text);
}

/** The messages of `error` and its causes on one line; the stack too when it is a defect. */
export function describe(error: unknown, withStack = false): string {
  const lines = causesOf(error).map((link) => {
    if (!(link instanceof Error)) return String(link);
    // A database driver's message quotes the statement's parameters.
    const text = `${link.name}: ${link.message.split("\nparams:")[0]}`;
    return withStack && link.stack ? `${text} ${(link.stack.match(/\n\s+at .*/g) ?? []).slice(0, 6).join("").replace(/\s+/g, " ")}` : text;
  });
  return redact(lines.join(" <- "));
}

/** One JSON line an entry. */
export function jsonLog(write: (line: string) => void, now: () => number): Log {
  return (entry) => write(JSON.stringify({ time: new Date(now()).toISOString(), ...entry }));
}

/** One coloured line an entry, for a terminal. */
export function prettyLog(write: (line: string) => void, now: () => number): Log {
  const colours = { info: 32, warn: 33, error: 31 };
  return ({ level, service, message, method, route, status, durationMs, requestId, code, error }) => {
    const time = new Date(now()).toISOString().slice(11, 23);
    const exchange = method ? `${method} ${route} ${status} ${durationMs} ms` : message;
    const rest = [code, error, requestId && `\u001B[2m${requestId}\u001B[0m`].filter(Boolean).join(" ");
    write(`\u001B[2m${time}\u001B[0m \u001B[${colours[level]}m${service.padEnd(13)}\u001B[0m ${exchange} ${rest}`);
  };
}
