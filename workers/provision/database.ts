import type { Client } from "pg";
import { AdministrationError } from "../../src/administration/administer.ts";
import { readSealedSecrets } from "../../src/doctor/database/store.ts";
import { type Plan, plan } from "../../src/provision/plan.ts";
import type { SealedSecret } from "../../src/webhooks/sealed.ts";
import { journal, migrationsFolder } from "../migration-files.ts";
import { migratePostgres, reasonOf } from "../migrations.ts";
import { clientOf, whileOpen } from "../pg.ts";
import { hostOf } from "../postgres-url.ts";

const TIMEOUT_MS = 10_000;

/** Whether the Postgres at `url` is there, and has every migration. */
export async function planDatabase(url: string): Promise<Plan> {
  const pending = await lookingAt(url, pendingMigrations);
  if (pending === 0) return plan();
  const change = `Bring the database at "${hostOf(url)}" up to date by ${pending} ${pending === 1 ? "migration" : "migrations"}`;
  return plan({ steps: [{ change, apply: () => migratePostgres(url) }] });
}

/** The secrets of the webhooks that the Postgres at `url` has. */
export function sealedIn(url: string): Promise<SealedSecret[]> {
  return lookingAt(url, (client) => readSealedSecrets(async (text) => (await client.query(text)).rows));
}

async function pendingMigrations(client: Client): Promise<number> {
  const entries = journal(migrationsFolder);
  const { rows: tables } = await client.query<{ found: string | null }>("SELECT to_regclass('drizzle.__drizzle_migrations')::text AS found");
  if (!tables[0]?.found) return entries.length;
  const { rows } = await client.query<{ last: string | null }>("SELECT max(created_at) AS last FROM drizzle.__drizzle_migrations");
  return entries.filter(({ when }) => when > Number(rows[0]?.last ?? 0)).length;
}

async function lookingAt<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = clientOf({ url, connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS });
  try {
    return await whileOpen(client, () => work(client));
  } catch (cause) {
    throw new AdministrationError(`Cannot reach the database at "${hostOf(url)}": ${reasonOf(cause)}`, { cause });
  }
}
