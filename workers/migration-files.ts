import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const migrationsFolder = fileURLToPath(new URL("../migrations", import.meta.url));

/** A migration: the name of its file, and when it was written in milliseconds since the epoch. */
export type JournalEntry = { tag: string; when: number };

/** The migrations in `folder` in their order, as drizzle's migrator reads them. */
export function journal(folder: string): JournalEntry[] {
  const path = join(folder, "meta", "_journal.json");
  if (!existsSync(path)) return [];
  const { entries } = JSON.parse(readFileSync(path, "utf8")) as { entries: JournalEntry[] };
  return entries.map(({ tag, when }) => ({ tag, when }));
}
