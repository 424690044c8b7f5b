import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { show } from "./child.ts";

export type Outcome = { files: number; passed: number; failed: number; skipped: string[]; seconds: number };

type Report = {
  numPassedTests: number;
  numFailedTests: number;
  testResults: { assertionResults: { fullName: string; status: string }[] }[];
};

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs");
/** By these names tests look for real systems; only those that are meant may be there. */
const NAMES = /^(KEYCLOAK_|VAULT_|KAFKA_|TEST_DATABASE_URL$|TEST_REDIS_URL$)/;

/** Runs `paths`, one after another: what they share is emptied between them. */
export async function runVitest(paths: readonly string[], { environment, report }: { environment: Record<string, string>; report: string }): Promise<Outcome> {
  const inherited = Object.entries(process.env).filter(([name]) => !NAMES.test(name));
  const began = performance.now();
  const code = await show([process.execPath, VITEST, "run", ...paths, "--no-file-parallelism", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`], {
    cwd: ROOT,
    env: { ...Object.fromEntries(inherited), ...environment },
  });
  const { numPassedTests: passed, numFailedTests, testResults } = reported(report);
  const skipped = testResults.flatMap(({ assertionResults }) => assertionResults.filter(({ status }) => status !== "passed" && status !== "failed").map(({ fullName }) => fullName));
  // What fails before or beside the tests is a failure too.
  const failed = code !== 0 && numFailedTests === 0 ? 1 : numFailedTests;
  return { files: testResults.length, passed, failed, skipped, seconds: (performance.now() - began) / 1000 };
}

function reported(path: string): Report {
  if (!existsSync(path)) return { numPassedTests: 0, numFailedTests: 0, testResults: [] };
  return JSON.parse(readFileSync(path, "utf8")) as Report;
}
