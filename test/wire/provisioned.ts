import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseEnv } from "node:util";
import { runToEnd } from "../runtime/launch.ts";

/** Has `npm run provision` make real systems what the platform needs; answers the settings that it would start from. */
export async function provisioned(told: Record<string, string>): Promise<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-test-"));
  const file = join(folder, "settings.env");
  try {
    const { code, output } = await runToEnd({ file: process.execPath, args: ["workers/provision.ts", "--yes", "--adopt"] }, { ...told, SETTINGS_FILE: file });
    if (code !== 0) throw new Error(`Cannot provision: ${output}`);
    return parseEnv(readFileSync(file, "utf8")) as Record<string, string>;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
