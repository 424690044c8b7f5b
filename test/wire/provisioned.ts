import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { runToEnd, type Settings, worker } from "../command.ts";

/** Has `npm run provision` make real systems what the platform needs; answers the settings that it would start from. */
export async function provisioned(told: Settings): Promise<Settings> {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-test-"));
  const file = join(folder, "settings.env");
  try {
    const { code, output } = await runToEnd(worker("provision", "--yes", "--adopt"), { ...told, SETTINGS_FILE: file });
    if (code !== 0) throw new Error(`Cannot provision: ${output}`);
    return parseEnv(readFileSync(file, "utf8")) as Settings;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
