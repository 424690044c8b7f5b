import { UNSHOWN_PASSWORD } from "../../provision/identity/administrator.ts";
import { PENDING } from "../../provision/plan.ts";
import { CREDENTIALS } from "../../provision/settings.ts";
import type { Finding } from "../finding.ts";
import { found } from "./found.ts";
import { KNOWN } from "./mistakes.ts";

export type Given = {
  /** Names in the environment of this process, which has many that are not ours. */
  environment: readonly string[];
  /** Names in the settings file. */
  inFile: readonly string[];
  file: string;
};

/** Shorter ones begin too much. */
const LEAST_BEGINNING = 4;

/** Names that nothing reads: those close to one of ours, and in the file any. */
export function nameFindings({ environment, inFile, file }: Given): Finding[] {
  const slips = (names: readonly string[], source: string) => names.filter((name) => !KNOWN.has(name) && !CREDENTIALS.includes(name) && !name.startsWith(PENDING)).map((name) => ({ name, source, known: closest(name) }));
  const inEnvironment = slips(environment, "the environment").flatMap(({ name, known, source }) => (known ? [found("typo", { name, known, source })] : []));
  const filed = slips(inFile, file).map(({ name, known = begun(name), source }) => (known ? found("typo", { name, known, source }) : found("unknown", { name, file })));
  const administrators = [...new Set([...environment, ...inFile])].filter((name) => CREDENTIALS.includes(name)).map((name) => found("administrators", { name }));
  const unshown = inFile.includes(UNSHOWN_PASSWORD) ? [found("unshown", { name: UNSHOWN_PASSWORD, file })] : [];
  const all = [...inEnvironment, ...filed, ...administrators, ...unshown];
  return all.length > 0 ? all : [found("names")];
}

function closest(name: string): string | undefined {
  return [...KNOWN].find((known) => distance(spelled(name), known) <= (known.length < 9 ? 1 : 2));
}

/** The shortest that begins like `name`, or that `name` begins with: the environment has too many such, as `HOSTNAME`. */
function begun(name: string): string | undefined {
  const given = spelled(name);
  const alike = [...KNOWN].filter((known) => Math.min(known.length, given.length) >= LEAST_BEGINNING && (known.startsWith(given) || given.startsWith(known)));
  return alike.toSorted((a, b) => a.length - b.length)[0];
}

function spelled(name: string): string {
  return name.toUpperCase().replaceAll("-", "_");
}

/** Letters to insert, delete, change or swap with the next (Damerau and Levenshtein, of one transposition each). */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Infinity;
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const change = a[row - 1] === b[column - 1] ? 0 : 1;
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swapped = isSwap ? rows[row - 2]![column - 2]! + 1 : Infinity;
      current.push(Math.min(rows[row - 1]![column]! + 1, current[column - 1]! + 1, rows[row - 1]![column - 1]! + change, swapped));
    }
    rows.push(current);
  }
  return rows[a.length]![b.length]!;
}
