import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder that is gone when the test is. */
export function ownFolder(): string {
  const made = mkdtempSync(join(tmpdir(), "gatehouse-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}
