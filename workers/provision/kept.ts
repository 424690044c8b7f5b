import type { Kept } from "../../src/provision/plan.ts";
import { readSettingsFile, writeSettingsFile } from "../settings-file.ts";

/** The settings file, written at every change: what is kept survives whatever comes next. */
export function keptIn(path: string): Kept {
  const settings = readSettingsFile(path) as Record<string, string>;
  return {
    get: (name) => settings[name],
    keep(changed) {
      for (const [name, value] of Object.entries(changed)) {
        if (value === "") delete settings[name];
        else settings[name] = value;
      }
      writeSettingsFile(path, settings);
    },
  };
}
