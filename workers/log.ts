import process from "node:process";
import { jsonLog, type Log, prettyLog } from "../src/http/log.ts";

/** Lines for a person where one looks on, JSON else. */
export function logOf(format: "json" | "pretty" | "auto"): Log {
  const isPretty = format === "pretty" || (format === "auto" && process.stdout.isTTY);
  return (isPretty ? prettyLog : jsonLog)((line) => console.log(line), Date.now);
}
