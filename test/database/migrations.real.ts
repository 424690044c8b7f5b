import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { migratePostgres } from "../../workers/migrations.ts";
import { first, writeMigrations } from "./folder.ts";

const LOCK = 4_738_267_091;

test("A role whose statements must be short waits for others who migrate, and for long changes", async () => {
  const given = process.env["TEST_DATABASE_URL"] ?? "";
  const other = new Client({ connectionString: given });
  await other.connect();
  const name = `short_${crypto.randomUUID().replaceAll("-", "")}`;
  await other.query(`CREATE DATABASE ${name}`);
  const url = new URL(given);
  url.pathname = name;
  const owner = new Client({ connectionString: url.href });
  await owner.connect();
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-test-"));
  onTestFinished(async () => {
    await owner.end();
    await other.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await other.end();
    rmSync(folder, { recursive: true, force: true });
  });
  writeMigrations(folder, [`${first}\n--> statement-breakpoint\nSELECT pg_sleep(0.4);`]);
  // As the role's own settings do.
  url.searchParams.set("options", "-c statement_timeout=200 -c idle_in_transaction_session_timeout=200");
  await owner.query(`BEGIN; SELECT pg_advisory_xact_lock(${LOCK})`);
  const migrated = migratePostgres(url.href, folder);
  migrated.catch(() => {});
  await expect.poll(async () => (await other.query("SELECT 1 FROM pg_stat_activity WHERE datname = $1 AND wait_event = 'advisory' AND now() - query_start > interval '400 ms'", [name])).rowCount).toBe(1);
  await owner.query("COMMIT");
  await migrated;
  expect((await owner.query("SELECT step FROM steps")).rows).toEqual([{ step: "first" }]);
});
