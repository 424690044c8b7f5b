import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { DoctorDocument } from "../../src/doctor/document.ts";
import type { Finding } from "../../src/doctor/finding.ts";

const COMMAND = fileURLToPath(new URL("../../workers/doctor.ts", import.meta.url));

/** A process is started several times in a test, also where others have the cores. */
export const MINUTE_MS = 60_000;

export type Visit = { code: number | null; out: string; err: string };

/** A folder that goes with the test. */
export function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-doctor-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs the command with `settings` and nothing else of ours in its environment. */
export async function visit(settings: Record<string, string>, args: string[] = []): Promise<Visit> {
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(process.execPath, [COMMAND, ...args], { env: { PATH, HOME, ...settings } });
  let out = "";
  let err = "";
  child.stdout.on("data", (part: Buffer) => (out += part.toString()));
  child.stderr.on("data", (part: Buffer) => (err += part.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, out, err };
}

/** Runs it with `--json`. */
export async function diagnosis(settings: Record<string, string>) {
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
