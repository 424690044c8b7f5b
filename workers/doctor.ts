// The command that looks at what the platform would start with, and at the systems behind it: `npm run doctor`. It changes nothing.
import process from "node:process";
import { documentOf } from "../src/doctor/document.ts";
import { examineAll } from "../src/doctor/examine.ts";
import { masked } from "../src/doctor/masked.ts";
import { listOf, reportOf } from "../src/doctor/report.ts";
import { SettingsError } from "../src/env.ts";
import { runCommand } from "./command.ts";

const USAGE = `Usage: npm run doctor -- [--json | --list]

Checks every setting, URL, credential and right that the platform would start with, against the live systems, and changes nothing.
  --json  one document for scripts
  --list  every finding there is, with what mends it
Ends with 0 when nothing is an error, 1 when something is, 2 when it could not run.`;

const NOT_RUN = 2;

await runCommand({ name: "examine the platform", usage: USAGE, options: { json: { type: "boolean" }, list: { type: "boolean" } }, failed: NOT_RUN }, async ({ flags: { json, list } }) => {
  if (json && list) throw new SettingsError(USAGE);
  if (list) return print(listOf());
  return examine({ isJson: json ?? false }).catch((error: unknown) => {
    // Of its text nobody knows what it has in it.
    console.error(`Cannot examine the platform: ${error instanceof Error ? `${error.name} ${(error.stack ?? "").match(/\n\s+at .*/)?.[0].trim() ?? ""}` : typeof error}`);
    return NOT_RUN;
  });
});
// What was not waited for keeps nothing open.
process.stdout.write("", () => process.exit());

async function examine({ isJson }: { isJson: boolean }): Promise<number> {
  // After the flags: who asks for the usage does not wait for what looks at systems.
  const [{ readEverything }, { examinationsOf }] = await Promise.all([import("./doctor/settings.ts"), import("./doctor/examinations.ts")]);
  const read = readEverything();
  const findings = masked(await examineAll(await examinationsOf(read), Date.now), { ...read.made, ...read.told });
  const document = documentOf(findings, Date.now());
  const colours = process.stdout.isTTY && !process.env["NO_COLOR"];
  print(isJson ? JSON.stringify(document, null, 2) : reportOf(findings, { colours }));
  return document.status === "error" ? 1 : 0;
}

function print(text: string): 0 {
  console.log(text);
  return 0;
}
