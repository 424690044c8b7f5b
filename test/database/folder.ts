import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Writes `folder` as drizzle-kit would: with these migrations, the first of them made at `when`. */
export function writeMigrations(folder: string, migrations: string[], when = 1000): void {
  mkdirSync(join(folder, "meta"), { recursive: true });
  const entries = migrations.map((sql, idx) => {
    writeFileSync(join(folder, `${idx}.sql`), sql);
    return { idx, version: "7", when: when + idx, tag: String(idx), breakpoints: true };
  });
  writeFileSync(join(folder, "meta", "_journal.json"), JSON.stringify({ version: "7", dialect: "postgresql", entries }));
}

export const first = `CREATE TABLE steps (step text);\n--> statement-breakpoint\nINSERT INTO steps VALUES ('first');`;
export const second = `INSERT INTO steps VALUES ('second');`;
