import type { Outcome } from "./vitest.ts";

export type Result = Outcome & {
  name: string;
  /** The systems that it ran on, with their versions. */
  on: string;
  differences?: readonly string[];
};

const HEAD = ["system", "suite", "files", "passed", "failed", "skipped", "differences", "seconds"];

/** What came out, and at the end the line that vitest has there. */
export function summary(results: readonly Result[]): string {
  const rows = results.map(({ on, name, files, passed, failed, skipped, differences = [], seconds }) => [on, name, files, passed, failed, skipped.length, differences.length, seconds.toFixed(1)]);
  const sum = (count: (result: Result) => number) => results.reduce((total, result) => total + count(result), 0);
  const [passed, failed] = [sum((result) => result.passed), sum((result) => result.failed)];
  return [
    `\n${table([HEAD, ...rows])}\n`,
    ...listed("Differences that are taken into account", results.map(({ name, differences = [] }) => [name, differences])),
    ...listed("Skipped", results.map(({ name, skipped }) => [name, skipped])),
    `Tests  ${failed > 0 ? `${failed} failed | ` : ""}${passed} passed (${passed + failed})`,
  ].join("\n");
}

/** Lines of columns as wide as they need to be. */
function table(rows: readonly (readonly (string | number)[])[]): string {
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)));
  return rows.map((row) => row.map((cell, column) => String(cell).padEnd(widths[column] ?? 0)).join("   ").trimEnd()).join("\n");
}

function listed(title: string, groups: readonly (readonly [string, readonly string[]])[]): string[] {
  const filled = groups.filter(([, sentences]) => sentences.length > 0);
  if (filled.length === 0) return [];
  return [`${title}:\n${filled.map(([name, sentences]) => `  ${name}\n${sentences.map((sentence) => `  - ${sentence}`).join("\n")}`).join("\n")}\n`];
}
