import { Client } from "pg";
import { migratePostgres } from "../../workers/migrations.ts";
import { openPostgres } from "../../workers/postgres.ts";
import type { Backend } from "../../workers/pglite.ts";

/** Any number that nothing else takes for an advisory lock. */
const LOCK = 2_211_406_951;
const TIMEOUT_MS = 5000;

/** A migrated database of its own on the Postgres at `url`, whose role may make databases; it goes when it is closed. */
export async function migratedPostgres(url: string, stateOfMigrations: string): Promise<Backend> {
  const template = `gatehouse_template_${stateOfMigrations}`;
  await asOwner(url, async (client) => {
    await client.query("SELECT pg_advisory_lock($1)", [LOCK]);
    await makeTemplate(client, { url, template });
  });
  const own = await ownDatabase(url, template);
  const { run, close } = await openPostgres(own.url, { timeout: TIMEOUT_MS, log: () => {} });
  return {
    run,
    async close() {
      await close();
      await own.drop();
    },
  };
}

/** A database of its own beside the one at `url`: empty, or as `template` is. */
export async function ownDatabase(url: string, template = "template1"): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `gatehouse_test_${crypto.randomUUID().replaceAll("-", "")}`;
  await asOwner(url, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`));
  return { url: at(url, name), drop: () => asOwner(url, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`)) };
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

async function asOwner(url: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

function at(url: string, name: string): string {
  const place = new URL(url);
  place.pathname = name;
  return place.href;
}
