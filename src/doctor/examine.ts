import { TooLate, within } from "../http/within.ts";
import { type Finding, type Findings, findingsOf, notChecked, type Table } from "./finding.ts";
import { endFindings } from "./findings/reach.ts";

export type Examination = { system: string; table: Table; findings: Findings };

/** Milliseconds for all checks of one system; each call has a deadline of its own within them. */
const LIMIT_MS = 25_000;
/** Milliseconds after it for what is under way to end and for giving back what was opened: calls of 5 s, up to two in a row. */
const ENDING_MS = 15_000;

/** All findings of the systems, which are looked at side by side; in their order. */
export async function examineAll(examinations: readonly Examination[], now: () => number): Promise<Finding[]> {
  return (await Promise.all(examinations.map((examination) => examine(examination, now)))).flat();
}

/** What was found until the end or the deadline; of checks that were not reached, that and why. */
async function examine({ system, table, findings }: Examination, now: () => number): Promise<Finding[]> {
  const found: Finding[] = [];
  const until = now() + LIMIT_MS;
  /** By the checks, not by our waiting for them. */
  let thrown: unknown;
  const because = await collect().catch(async (error: unknown) => {
    const ending = endingOf(system, { error, isTheirs: error === thrown });
    found.push(ending);
    // Its place is behind the call that is under way; without it the finally blocks of the checks would not run.
    if (error instanceof TooLate) await within(ENDING_MS, findings.return(undefined)).catch(() => undefined);
    return ending.sentence;
  });
  const checks = new Set(Object.values(table).map(({ check }) => check));
  const rest = because === undefined ? [] : [...checks].filter((check) => !found.some((finding) => finding.check === check));
  return [...found, ...rest.map((check) => notChecked(system, check, because ?? ""))];

  async function collect(): Promise<string | undefined> {
    for (;;) {
      const next = await within(Math.max(1, until - now()), findings.next().catch((error: unknown) => {
        thrown = error;
        throw error;
      }));
      if (next.done) return next.value;
      found.push(next.value);
    }
  }
}

function endingOf(system: string, { error, isTheirs }: { error: unknown; isTheirs: boolean }): Finding {
  const ending = findingsOf(system, endFindings);
  if (error instanceof TooLate) return isTheirs ? ending("stalled") : ending("late", { seconds: LIMIT_MS / 1000 });
  // A message of somebody else's may quote what was sent.
  return ending("failed", { reason: error instanceof Error ? error.name : typeof error });
}
