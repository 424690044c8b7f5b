import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { migratePostgres } from "../../workers/migrations.ts";
import { asOwner, ownDatabase } from "../systems/postgres.ts";
import { first, writeMigrations } from "./folder.ts";

const LOCK = 4_738_267_091;

test("A role whose statements must be short waits for others who migrate, and for long changes", async () => {
  const own = await ownDatabase(process.env["TEST_DATABASE_URL"] ?? "");
  const owner = new Client({ connectionString: own.url });
  await owner.connect();
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-test-"));
  onTestFinished(async () => {
    await owner.end();
    await own.drop();
    rmSync(folder, { recursive: true, force: true });
  });
  writeMigrations(folder, [`${first}\n--> statement-breakpoint\nSELECT pg_sleep(0.4);`]);
  // As the role's own settings do.
  const url = new URL(own.url);
  url.searchParams.set("options", "-c statement_timeout=200 -c idle_in_transaction_session_timeout=200");
  await owner.query(`BEGIN; SELECT pg_advisory_xact_lock(${LOCK})`);
  const migrated = migratePostgres(url.href, folder);
  migrated.catch(() => {});
  await expect.poll(() => asOwner(own.url, "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory' AND now() - query_start > interval '400 ms'")).toHaveLength(1);
  await owner.query("COMMIT");
  await migrated;
  expect((await owner.query("SELECT step FROM steps")).rows).toEqual([{ step: "first" }]);
});
