import { AdministrationError } from "../../src/administration/administer.ts";
import { type Plan, plan } from "../../src/provision/plan.ts";
import { journal, migrationsFolder } from "../migration-files.ts";
import { migratePostgres, reasonOf } from "../migrations.ts";
import { clientOf, whileOpen } from "../pg.ts";
import { hostOf } from "../postgres-url.ts";

const TIMEOUT_MS = 10_000;

/** Whether the Postgres at `url` is there, and has every migration. */
export async function planDatabase(url: string): Promise<Plan> {
  const pending = await pendingMigrations(url);
  if (pending === 0) return plan();
  const change = `Bring the database at "${hostOf(url)}" up to date by ${pending} ${pending === 1 ? "migration" : "migrations"}`;
  return plan({ steps: [{ change, apply: () => migratePostgres(url) }] });
}

async function pendingMigrations(url: string): Promise<number> {
  const entries = journal(migrationsFolder);
  const client = clientOf({ url, connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS });
  try {
    return await whileOpen(client, async () => {
      const { rows: tables } = await client.query<{ found: string | null }>("SELECT to_regclass('drizzle.__drizzle_migrations')::text AS found");
      if (!tables[0]?.found) return entries.length;
      const { rows } = await client.query<{ last: string | null }>("SELECT max(created_at) AS last FROM drizzle.__drizzle_migrations");
      return entries.filter(({ when }) => when > Number(rows[0]?.last ?? 0)).length;
    });
  } catch (cause) {
    throw new AdministrationError(`Cannot reach the database at "${hostOf(url)}": ${reasonOf(cause)}`, { cause });
  }
}
