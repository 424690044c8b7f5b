import type { DoctorDocument } from "../../src/doctor/document.ts";
import type { Finding } from "../../src/doctor/finding.ts";
import { begun, type Settings, worker } from "../command.ts";

/** A process is started several times in a test, also where others have the cores. */
export const MINUTE_MS = 60_000;

export type Visit = { code: number | null; out: string; err: string };

export async function visit(settings: Settings, args: string[] = []): Promise<Visit> {
  const { ended, out, err } = begun(worker("doctor", ...args), settings);
  return { code: await ended, out: out(), err: err() };
}

/** Runs it with `--json`. */
export async function diagnosis(settings: Settings) {
  const { code, out, err } = await visit(settings, ["--json"]);
  if (err !== "") throw new Error(err);
  const document = JSON.parse(out) as DoctorDocument;
  const of = (system: string) => document.findings.filter((finding) => finding.system === system);
  return {
    exit: code,
    text: out,
    document,
    of,
    /** `system/code` of all that is not fine. */
    faults: document.findings.filter(({ status }) => status === "warning" || status === "error").map(({ system, code }) => `${system}/${code}`),
    /** Those with this code. */
    having: (system: string, code: string): Finding[] => of(system).filter((finding) => finding.code === code),
  };
}
