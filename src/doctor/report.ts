import { documentOf } from "./document.ts";
import type { Finding, Status } from "./finding.ts";
import { SYSTEMS } from "./systems.ts";

type Style = { colours: boolean };

const MARKS = { ok: "ok", warning: "warning", error: "ERROR", "not-checked": "-" } as const satisfies Record<Status, string>;
const COLOURS = { ok: 32, warning: 33, error: 31, "not-checked": 2 } as const satisfies Record<Status, number>;
const WORST: readonly Status[] = ["error", "warning", "ok", "not-checked"];
const MARK_WIDTH = 7;

/** The findings for people: a block a system, a line a finding, and under it what mends it. */
export function reportOf(findings: Finding[], { colours }: Style): string {
  const paint = (text: string, colour: number) => (colours ? `\u001B[${colour}m${text}\u001B[0m` : text);
  const width = Math.max(...findings.map(({ check }) => check.length));
  const indent = " ".repeat(MARK_WIDTH + width + 6);
  const lineOf = ({ status, check, sentence, remedy }: Finding) => {
    const line = `  ${paint(MARKS[status].padEnd(MARK_WIDTH), COLOURS[status])}  ${check.padEnd(width)}  ${sentence}`;
    return remedy === null ? line : `${line}\n${indent}${paint(`> ${remedy}`, 1)}`;
  };
  const blocks = Object.entries(SYSTEMS).flatMap(([system, { title }]) => {
    const own = findings.filter((finding) => finding.system === system);
    return own.length === 0 ? [] : [[paint(title, 1), ...merged(own).map(lineOf)].join("\n")];
  });
  const { counts, status } = documentOf(findings, 0);
  const summary = WORST.map((name) => ({ name, count: counts[name] })).filter(({ count }) => count > 0);
  const words = { error: "errors", warning: "warnings", ok: "fine", "not-checked": "not checked" };
  return [...blocks, paint(summary.map(({ name, count }) => `${count} ${count === 1 ? words[name].replace(/s$/, "") : words[name]}`).join(", "), COLOURS[status])].join("\n\n");
}

/** What was not checked for one reason is one line. */
function merged(findings: readonly Finding[]): Finding[] {
  const skipped = Map.groupBy(findings.filter(({ status }) => status === "not-checked"), ({ sentence }) => sentence);
  const lines = [...skipped].map(([because, [first, ...rest]]) =>
    rest.length === 0 ? first! : { ...first!, check: "", sentence: `Not checked (${because}): ${[...new Set([first!, ...rest].map(({ check }) => check))].join(", ")}` },
  );
  return [...findings.filter(({ status }) => status !== "not-checked"), ...lines];
}

/** Every finding there is, with what mends it: names in braces stand for what is found. */
export function listOf(): string {
  const blocks = Object.entries(SYSTEMS).map(([system, { title, table }]) => {
    const rows = Object.entries<{ status: string; sentence: string; remedy?: string }>(table).filter(([, { status }]) => status !== "ok");
    return [title, ...rows.map(([code, { status, sentence, remedy }]) => `  ${system}/${code} (${status}): ${sentence}\n      > ${remedy ?? ""}`)].join("\n");
  });
  return blocks.join("\n\n");
}
