import { Pool } from "pg";
import { postgresRun } from "../src/database/postgres.ts";
import { describe, type Log } from "../src/http/log.ts";
import { migratePostgres } from "./migrations.ts";
import type { Backend } from "./pglite.ts";

const MAX_CONNECTIONS = 16;

/** An ordinary Postgres, brought up to date; `timeout` is the milliseconds that one statement may take there. */
export async function openPostgres(url: string, { timeout, log }: { timeout: number; log: Log }): Promise<Backend> {
  await migratePostgres(url);
  const pool = new Pool({
    connectionString: url,
    application_name: "gatehouse",
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: timeout,
    statement_timeout: timeout,
    idle_in_transaction_session_timeout: timeout,
    // The server's clocks do not help when the network has swallowed it.
    query_timeout: timeout + 1000,
  });
  const run = postgresRun(pool, (error) => {
    log({ level: "warn", service: "database", message: "Lost an idle connection", error: describe(error) });
  });
  return { run, close: () => pool.end() };
}
