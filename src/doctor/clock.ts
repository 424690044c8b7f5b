import type { Answered } from "./client.ts";
import { type Finding, findingsOf } from "./finding.ts";
import { clockFindings } from "./findings/reach.ts";

/** What a system took for the time while it was asked, in milliseconds since the epoch. */
type Reading = { began: number; ended: number; theirs: number };

const OFF_MS = 2000;
const WRONG_MS = 30_000;
/** `Date` and the claims of tokens say whole seconds. */
const GRAIN_MS = 1000;

/** By how much the two clocks differ at least: what the way of the answer and the grain explain is no difference. */
export function clockFinding(system: string, { began, ended, theirs }: Reading): Finding {
  const least = theirs - ended;
  const most = theirs + GRAIN_MS - began;
  const skew = least > 0 ? least : Math.min(most, 0);
  const distance = Math.abs(skew);
  const code = distance > WRONG_MS ? "clock-wrong" : distance > OFF_MS ? "clock-off" : "clock-fine";
  return findingsOf(system, clockFindings)(code, { seconds: Math.round(Math.max(distance, OFF_MS) / 1000), direction: skew > 0 ? "ahead of" : "behind" });
}

/** By the `Date` of an answer; undefined without one. */
export function clockByDate(system: string, { headers, began, ended }: Answered): Finding | undefined {
  const theirs = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(theirs) ? undefined : clockFinding(system, { began, ended, theirs });
}
