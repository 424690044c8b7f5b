import { Client } from "pg";
import { migratePostgres } from "../../workers/migrations.ts";
import { openPostgres } from "../../workers/postgres.ts";
import type { Postgres } from "../../workers/pglite.ts";

/** Any number that nothing else takes for an advisory lock. */
const LOCK = 2_211_406_951;
const TIMEOUT_MS = 5000;

export type OwnDatabase = { url: string; drop: () => Promise<void> };

/** A migrated database of its own on the Postgres at `url`, whose role may make databases; it goes when it is closed. */
export async function migratedPostgres(url: string, stateOfMigrations: string): Promise<Postgres> {
  const template = `gatehouse_template_${stateOfMigrations}`;
  await connected(url, async (client) => {
    await client.query("SELECT pg_advisory_lock($1)", [LOCK]);
    await makeTemplate(client, { url, template });
  });
  const own = await ownDatabase(url, `TEMPLATE ${template}`);
  const { run, close } = await openPostgres(own.url, { timeout: TIMEOUT_MS, log: () => {} });
  return {
    run,
    async close() {
      await close();
      await own.drop();
    },
  };
}

/** A database of its own beside the one at `url`: empty, or as the `options` of CREATE DATABASE have it. */
export async function ownDatabase(url: string, options = ""): Promise<OwnDatabase> {
  const name = `gatehouse_test_${crypto.randomUUID().replaceAll("-", "")}`;
  await asOwner(url, `CREATE DATABASE ${name} ${options}`);
  return { url: at(url, name), drop: async () => void (await asOwner(url, `DROP DATABASE ${name} WITH (FORCE)`)) };
}

/** Runs statements as the role that `url` names; answers the rows of the last. */
export async function asOwner(url: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
  return connected(url, async (client) => {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  });
}

/** Copying a migrated database takes a tenth of migrating one. It has its name when it is whole. */
async function makeTemplate(client: Client, { url, template }: { url: string; template: string }): Promise<void> {
  const { rows } = await client.query("SELECT FROM pg_database WHERE datname = $1", [template]);
  if (rows.length > 0) return;
  const unfinished = `${template}_unfinished`;
  await client.query(`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`);
  await client.query(`CREATE DATABASE ${unfinished}`);
  await migratePostgres(at(url, unfinished));
  await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${template}`);
}

async function connected<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function at(url: string, name: string): string {
  const place = new URL(url);
  place.pathname = name;
  return place.href;
}
