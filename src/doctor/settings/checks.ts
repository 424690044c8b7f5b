import type { Finding, Findings } from "../finding.ts";
import { combinationFindings } from "./combinations.ts";
import { fileFindings, type SecretFile } from "./files.ts";
import { found } from "./found.ts";
import { KNOWN, type Mistake } from "./mistakes.ts";
import { type Given, nameFindings } from "./names.ts";
import { ANYTHING, WHAT } from "./needed.ts";
import { type Openness, opennessFindings, transportFindings } from "./openness.ts";
import { strengthFindings } from "./strength.ts";

export type SettingsFacts = Openness & {
  mistakes: readonly Mistake[];
  /** Whether the settings file cannot be read. */
  isFileUnreadable: boolean;
  /** Numbers of the lines in it that say nothing. */
  strays: readonly number[];
  names: Given;
  files: readonly SecretFile[];
  /** Where what the first start makes is kept, and how that is. */
  installation: { path: string; state: "kept" | "none" | "broken" };
  /** Whether there is an embedded database. */
  hasEmbedded: boolean;
};

/** Everything that can be told without asking anybody. */
export async function* settingsChecks(facts: SettingsFacts): Findings {
  const { told, names, mistakes, isFileUnreadable, strays, installation, files } = facts;
  const { file } = names;
  if (isFileUnreadable) yield found("file-unreadable", { file });
  const valuesOf = [...strays.map((line) => found("line-odd", { line, file })), ...mistakes.map((mistake) => valueFinding(mistake, names)), ...combinationFindings(told, facts)];
  yield* valuesOf;
  if (!isFileUnreadable && valuesOf.length === 0) yield found("read", { count: Object.keys(told).filter((name) => KNOWN.has(name)).length });
  yield* nameFindings(names);
  yield* strengthFindings(told);
  if (installation.state === "broken") yield found("broken-file", { path: installation.path });
  if (installation.state === "none") yield found("first-start", { path: installation.path });
  yield* fileFindings(files);
  yield* opennessFindings(facts);
  yield* transportFindings(told);
  return undefined;
}

function valueFinding({ name, message, isMissing }: Mistake, { file, inFile, environment }: Given): Finding {
  if (isMissing) return found("missing", { name, what: WHAT[name] ?? ANYTHING, file });
  return found("invalid", { name, message, source: inFile.includes(name) && !environment.includes(name) ? file : "the environment" });
}
