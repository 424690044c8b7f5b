const MAX_SHOWN = 200;
/** Control, format and private characters: what hides, or turns the direction of the rest of the line. */
const INVISIBLE = /\p{C}|[\u2028\u2029]/gu;

const UNITS: [name: string, milliseconds: number][] = [
  ["days", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
];

/** How long `milliseconds` are, in words: `4 s`, `12 min`, `3 h`, `2 days`. A clock that ran backwards makes it `0 s`. */
export function duration(milliseconds: number): string {
  const [name, size] = UNITS.find(([, size]) => milliseconds >= size) ?? ["s", 1000];
  const count = Math.floor(Math.max(0, milliseconds) / size);
  return `${count} ${name === "days" && count === 1 ? "day" : name}`;
}

export function ago(at: number, now: number): string {
  return now - at < 1000 ? "just now" : `${duration(now - at)} ago`;
}

/** `1 instance`, `4,312 instances`. */
export function counted(count: number, noun: string): string {
  return `${number(count)} ${noun}${count === 1 ? "" : "s"}`;
}

export function number(count: number): string {
  return count.toLocaleString("en");
}

/** Text of strangers, as much of it as a page can bear, with nothing in it that does not show. */
export function visible(text: string, max = MAX_SHOWN): string {
  const short = text.length > max ? `${text.slice(0, max)}…` : text;
  return short.replaceAll(INVISIBLE, "\u{FFFD}");
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(names: readonly string[]): string {
  return new Intl.ListFormat("en-GB", { type: "conjunction" }).format(names);
}
