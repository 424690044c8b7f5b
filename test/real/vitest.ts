import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { show } from "./child.ts";

export type Outcome = { files: number; passed: number; failed: number; skipped: string[]; seconds: number };

type Report = { testResults: { status: string; assertionResults: { fullName: string; status: string }[] }[] };

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs");
/** By these names tests look for real systems; only those that are meant may be there. */
const NAMES = /^(KEYCLOAK_|VAULT_|KAFKA_|TEST_DATABASE_URL$|TEST_REDIS_URL$)/;

/** Over a network, and on a machine that has to run the systems too, everything takes longer. */
const LIMITS = ["--testTimeout=60000", "--hookTimeout=180000"];

/** Runs `paths`, one after another: what they share is emptied between them. */
export async function runVitest(paths: readonly string[], { environment, report }: { environment: Record<string, string>; report: string }): Promise<Outcome> {
  const inherited = Object.entries(process.env).filter(([name]) => !NAMES.test(name));
  const began = performance.now();
  const options = ["--no-file-parallelism", ...LIMITS, "--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const code = await show([process.execPath, VITEST, "run", ...paths, ...options], { cwd: ROOT, env: { ...Object.fromEntries(inherited), ...environment } });
  const files = existsSync(report) ? (JSON.parse(readFileSync(report, "utf8")) as Report).testResults : [];
  const tests = files.flatMap(({ status: file, assertionResults }) => assertionResults.map(({ fullName, status }) => ({ fullName, status: outcomeOf(status, file) })));
  const count = (wanted: string) => tests.filter(({ status }) => status === wanted).length;
  return {
    files: files.length,
    passed: count("passed"),
    // What fails before or beside the tests is a failure too.
    failed: count("failed") || Number(code !== 0),
    skipped: tests.flatMap(({ fullName, status }) => (status === "skipped" ? [fullName] : [])),
    seconds: (performance.now() - began) / 1000,
  };
}

/** What is not run in a file that fails has not been left out on purpose. */
function outcomeOf(status: string, file: string): "passed" | "failed" | "skipped" {
  if (status === "passed") return "passed";
  return status === "failed" || file === "failed" ? "failed" : "skipped";
}
