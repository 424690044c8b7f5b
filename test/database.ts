import { openAsBlob } from "node:fs";
import { pgliteRun } from "../src/database/pglite.ts";
import type { Database } from "../src/database/client.ts";
import type { Fetch } from "../src/http/fetch.ts";
import { behindEndpoint } from "../workers/database.ts";
import { memoryPglite, type Postgres } from "../workers/pglite.ts";
import { migratedContent, stateOfMigrations } from "./migrated.ts";
import { realUrl } from "./systems/embedded.ts";
import { migratedPostgres } from "./systems/postgres.ts";

export type TestDatabase = {
  db: Database;
  /** Answers `POST /sql`: what `db` speaks through. */
  fetch: Fetch;
  /** What the endpoint takes as `Neon-Connection-String`. */
  url: string;
  endpoint: string;
  /** Rows of one statement, values as Postgres text: to look with, past all that is under test. */
  query: (sql: string, params?: (string | null)[]) => Promise<Record<string, string | null>[]>;
  /** Empties every table but the record of migrations; identities begin at 1 again. */
  reset: () => Promise<void>;
  close: () => Promise<void>;
};

/** A migrated database of its own, behind the driver and the endpoint that are used everywhere: on the Postgres that TEST_DATABASE_URL names, or in memory. */
export async function testDatabase(): Promise<TestDatabase> {
  const real = realUrl("database");
  if (real) return testDatabaseOn(await migratedPostgres(real, stateOfMigrations()));
  const pglite = await memoryPglite(await openAsBlob(migratedContent()));
  return testDatabaseOn({ run: pgliteRun(pglite), close: () => pglite.close() });
}

export function testDatabaseOn(backend: Postgres): TestDatabase {
  const { client: db, fetch, url, endpoint = "", close } = behindEndpoint(backend, "of-the-tests");
  const query: TestDatabase["query"] = async (sql, params = []) => {
    const [result] = await backend.run({ statements: [{ query: sql, params }] });
    return (result?.rows ?? []).map((row) => Object.fromEntries(result?.fields.map(({ name }, index) => [name, row[index] ?? null]) ?? []));
  };
  const reset = async () => void (await query(RESET));
  return { db, fetch, url, endpoint, query, reset, close };
}

/** Most tables are empty most of the time, and emptying one costs more than looking. */
const RESET = `
  DO $$ DECLARE name text; has_triggers boolean; has_rows boolean; BEGIN
    FOR name, has_triggers IN SELECT format('%I.%I', schemaname, tablename), hastriggers FROM pg_tables
      WHERE schemaname NOT IN ('pg_catalog', 'information_schema', 'drizzle')
    LOOP
      EXECUTE format('SELECT EXISTS (SELECT FROM %s)', name) INTO has_rows;
      IF NOT has_rows THEN CONTINUE; END IF;
      -- Some tables are kept from being emptied.
      IF has_triggers THEN EXECUTE format('ALTER TABLE %s DISABLE TRIGGER USER', name); END IF;
      EXECUTE format('TRUNCATE %s CASCADE', name);
      IF has_triggers THEN EXECUTE format('ALTER TABLE %s ENABLE TRIGGER USER', name); END IF;
    END LOOP;
    FOR name IN SELECT format('%I.%I', schemaname, sequencename) FROM pg_sequences
      WHERE schemaname <> 'drizzle' AND last_value IS NOT NULL
    LOOP
      EXECUTE format('ALTER SEQUENCE %s RESTART', name);
    END LOOP;
  END $$`;
