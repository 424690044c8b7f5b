/** What a system took for the time while it was asked, in milliseconds since the epoch. */
export type Reading = { began: number; ended: number; theirs: number };

export type Skew = { code: "clock-fine" | "clock-off" | "clock-wrong"; values: { seconds: number; direction: "ahead of" | "behind" } };

const OFF_MS = 2000;
const WRONG_MS = 30_000;
/** `Date` and the claims of tokens say whole seconds. */
const GRAIN_MS = 1000;

/** By how much the two clocks differ at least: what the way of the answer and the grain explain is no difference. */
export function skewOf({ began, ended, theirs }: Reading): Skew {
  const least = theirs - ended;
  const most = theirs + GRAIN_MS - began;
  const skew = least > 0 ? least : Math.min(most, 0);
  const distance = Math.abs(skew);
  const code = distance > WRONG_MS ? "clock-wrong" : distance > OFF_MS ? "clock-off" : "clock-fine";
  return { code, values: { seconds: Math.round(Math.max(distance, OFF_MS) / 1000), direction: skew > 0 ? "ahead of" : "behind" } };
}

/** The `Date` of an answer; undefined without one. */
export function dateIn(headers: Headers): number | undefined {
  const date = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(date) ? undefined : date;
}
