import { Client } from "pg";
import { AdministrationError } from "../../src/provision/administration.ts";
import { type Plan, plan } from "../../src/provision/plan.ts";
import { journal, migrationsFolder } from "../migration-files.ts";
import { migratePostgres, reasonOf } from "../migrations.ts";
import { placeOf, urlForPg } from "../postgres-url.ts";

/** Whether the Postgres at `url` is there, and has every migration. */
export async function planDatabase(url: string): Promise<Plan> {
  const pending = await pendingMigrations(url);
  if (pending === 0) return plan();
  const change = `Bring the database at "${placeOf(url)}" up to date by ${pending} ${pending === 1 ? "migration" : "migrations"}`;
  return plan({ steps: [{ change, apply: () => migratePostgres(url) }] });
}

async function pendingMigrations(url: string): Promise<number> {
  const entries = journal(migrationsFolder);
  const client = new Client({ connectionString: urlForPg(url), connectionTimeoutMillis: 10_000, query_timeout: 10_000, application_name: "gatehouse" });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows: tables } = await client.query<{ found: string | null }>("SELECT to_regclass('drizzle.__drizzle_migrations')::text AS found");
    if (!tables[0]?.found) return entries.length;
    const { rows } = await client.query<{ last: string | null }>("SELECT max(created_at) AS last FROM drizzle.__drizzle_migrations");
    return entries.filter(({ when }) => when > Number(rows[0]?.last ?? 0)).length;
  } catch (cause) {
    throw new AdministrationError(`Cannot reach the database at "${placeOf(url)}": ${reasonOf(cause)}`, { cause });
  } finally {
    await client.end().catch(() => {});
  }
}
