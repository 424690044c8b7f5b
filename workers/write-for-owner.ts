import { renameSync, rmSync, writeFileSync } from "node:fs";

/** Writes `text` so that only the owner may read it; a crash leaves the old file or the new one, never half of one. */
export function writeForOwner(path: string, text: string): void {
  const made = `${path}.${crypto.randomUUID()}`;
  try {
    writeFileSync(made, text, { mode: 0o600, flush: true });
    renameSync(made, path);
  } finally {
    rmSync(made, { force: true });
  }
}
