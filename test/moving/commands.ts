import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { openDatabase } from "../../workers/database.ts";
import { runToEnd, type Settings, worker } from "../command.ts";

/** Commands load everything anew, each on a machine that does other things too. */
export const LIMIT_MS = 240_000;

export function run(script: "export" | "import", args: string[], settings: Settings) {
  return runToEnd(worker(script, ...args), settings);
}

export type Counts = Record<string, { made: number; same: number; changed: number; different: number; failed: number }>;

/** What the import says it has done, by kind. */
export function countsIn(output: string): Counts {
  const rows = [...output.matchAll(/^(\S+) +(\d+) +(\d+) +(\d+) +(\d+) +(\d+)$/gm)];
  return Object.fromEntries(
    rows.map(([, kind = "", ...numbers]) => {
      const [made = 0, same = 0, changed = 0, different = 0, failed = 0] = numbers.map(Number);
      return [kind, { made, same, changed, different, failed }];
    }),
  );
}

/** The sums of all kinds. */
export function totalOf(counts: Counts) {
  const sum = (of: keyof Counts[string]) => Object.values(counts).reduce((total, count) => total + count[of], 0);
  return { made: sum("made"), same: sum("same"), changed: sum("changed"), different: sum("different"), failed: sum("failed") };
}

/** As if the one who writes the audit log had read nothing of its topic, though it has had the effect of some. */
export const STANDING_STILL = "UPDATE events.positions SET next_offset = 0 WHERE consumer = 'audit' AND topic = 'platform.audit'";

export function linesOf(folder: string, name: string): Record<string, any>[] {
  return readFileSync(join(folder, `${name}.jsonl`), "utf8").split("\n").slice(0, -1).map((line) => JSON.parse(line) as Record<string, any>);
}

export function filesOf(folder: string): Record<string, string> {
  return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

/** The rows of a statement in the embedded database of a platform that is stopped. */
export async function query({ data }: { data: string }, statement: string): Promise<Record<string, unknown>[]> {
  const { client, close } = await openDatabase({ url: undefined, directory: join(data, "postgres"), password: "of-the-tests", log: () => {} });
  try {
    return (await client.execute(sql.raw(statement))).rows;
  } finally {
    await close();
  }
}
