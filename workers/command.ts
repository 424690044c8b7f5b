import { constants } from "node:os";
import process from "node:process";
import { parseArgs } from "node:util";
import { AdministrationError } from "../src/administration/administer.ts";
import { SettingsError } from "../src/env.ts";
import { describe } from "../src/http/log.ts";
import { Problem } from "../src/http/problem.ts";
import { closeAll, type Closers, SIGNALS } from "./process.ts";

type Options = Record<string, { type: "boolean" | "string" }>;

type Flags<Of extends Options> = { [Name in keyof Of]?: Of[Name]["type"] extends "boolean" ? boolean : string };

type Command<Of extends Options> = {
  /** What it does, as it stands after "Cannot". */
  name: string;
  usage: string;
  options: Of;
  /** How many arguments it takes besides: all of them are needed. */
  takes?: number;
  /** The status it ends with when it could not do its work. */
  failed: number;
};

type Asked<Of extends Options> = { flags: Flags<Of>; args: string[]; closers: Closers };

/** Runs one of our commands: `work` answers the status it ends with. Why it could not is one message; `--help` is an answer. */
export async function runCommand<const Of extends Options>({ name, usage, options, takes = 0, failed }: Command<Of>, work: (asked: Asked<Of>) => Promise<number>): Promise<void> {
  const closers: Closers = [];
  endOnSignal(closers);
  try {
    const { values, positionals: args } = asked({ options: { ...options, help: { type: "boolean", short: "h" } }, allowPositionals: takes > 0 }, usage);
    if (values["help"]) return console.log(usage);
    if (args.length !== takes) throw new SettingsError(usage);
    process.exitCode = await work({ flags: values as Flags<Of>, args, closers });
  } catch (error) {
    console.error(sentenceOf(error, name));
    process.exitCode = failed;
  } finally {
    await closeAll(closers);
  }
}

/** Closes what is open before a signal ends the process, with the status that shells have for it; a second one does not wait. */
function endOnSignal(closers: Closers): void {
  let isEnding = false;
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      const status = 128 + constants.signals[signal];
      if (isEnding) process.exit(status);
      isEnding = true;
      void closeAll(closers).finally(() => process.exit(status));
    });
  }
}

/** Why the command of this name could not do its work, for who runs it. */
export function sentenceOf(error: unknown, name: string): string {
  const isForeseen = error instanceof SettingsError || error instanceof AdministrationError || error instanceof Problem;
  return isForeseen ? error.message : `Cannot ${name}: ${describe(error)}`;
}

function asked(config: Parameters<typeof parseArgs>[0], usage: string) {
  try {
    return parseArgs(config);
  } catch (cause) {
    throw new SettingsError(`${(cause as Error).message}\n\n${usage}`, { cause });
  }
}
