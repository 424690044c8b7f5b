// The command that looks at what the platform would start with, and at the systems behind it: `npm run doctor`. It changes nothing.
import process from "node:process";
import { parseArgs } from "node:util";
import { documentOf } from "../src/doctor/document.ts";
import { examineAll } from "../src/doctor/examine.ts";
import { masked } from "../src/doctor/masked.ts";
import { listOf, reportOf } from "../src/doctor/report.ts";

const USAGE = `Usage: npm run doctor -- [--json | --list]

Checks every setting, URL, credential and right that the platform would start with, against the live systems, and changes nothing.
  --json  one document for scripts
  --list  every finding there is, with what mends it
Ends with 0 when nothing is an error, 1 when something is, 2 when it could not run.`;

const NOT_RUN = 2;

process.exitCode = await doctor(process.argv.slice(2)).catch((error: unknown) => {
  // Of its text nobody knows what it has in it.
  console.error(`Cannot examine the platform: ${error instanceof Error ? `${error.name} ${(error.stack ?? "").match(/\n\s+at .*/)?.[0].trim() ?? ""}` : typeof error}`);
  return NOT_RUN;
});
// What was not waited for keeps nothing open.
process.stdout.write("", () => process.exit());

async function doctor(args: string[]): Promise<number> {
  const flags = flagsIn(args);
  if (flags === undefined) {
    console.error(USAGE);
    return NOT_RUN;
  }
  if (flags.help) return print(USAGE);
  if (flags.list) return print(listOf());
  // After the flags: who asks for the usage does not wait for what looks at systems.
  const [{ readEverything }, { examinationsOf }] = await Promise.all([import("./doctor/settings.ts"), import("./doctor/examinations.ts")]);
  const read = readEverything();
  const findings = masked(await examineAll(await examinationsOf(read), Date.now), { ...read.made, ...read.told });
  const document = documentOf(findings, Date.now());
  const colours = process.stdout.isTTY && !process.env["NO_COLOR"];
  print(flags.json ? JSON.stringify(document, null, 2) : reportOf(findings, { colours }));
  return document.status === "error" ? 1 : 0;
}

function print(text: string): 0 {
  console.log(text);
  return 0;
}

function flagsIn(args: string[]) {
  try {
    const { values } = parseArgs({ args, options: { json: { type: "boolean" }, list: { type: "boolean" }, help: { type: "boolean", short: "h" } } });
    return values.json && values.list ? undefined : values;
  } catch {
    return undefined;
  }
}
