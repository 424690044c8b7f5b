import * as z from "zod";
import type { SealedSecret } from "../../webhooks/sealed.ts";

/** Rows of one statement, as text; rejects with the driver's error. */
export type Query = (text: string) => Promise<unknown[]>;

const flag = z.union([z.boolean(), z.string()]).transform((value) => value === true || value === "t" || value === "true");
const number = z.coerce.number();

const ServerSchema = z.object({
  user: z.string(),
  database: z.string(),
  version: z.string(),
  encoding: z.string(),
  max_connections: number,
  reserved: number,
  used: number,
  protocol: z.string().nullable(),
  now_ms: number,
  is_standby: flag,
  is_read_only: flag,
  may_create_schema: flag,
  is_superuser: flag,
  may_create_role: flag,
  may_create_database: flag,
  bypasses_rls: flag,
  connection_limit: number,
});

export type Server = z.infer<typeof ServerSchema>;

/** One row of what the server and our role are like; everybody may ask for all of it. */
const SERVER = `
SELECT current_user AS "user", current_database() AS database, current_setting('server_version') AS version,
  pg_encoding_to_char(d.encoding) AS encoding,
  current_setting('max_connections') AS max_connections, current_setting('superuser_reserved_connections') AS reserved,
  (SELECT sum(numbackends) FROM pg_stat_database) AS used,
  (SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl) AS protocol,
  floor(extract(epoch FROM clock_timestamp()) * 1000) AS now_ms,
  pg_is_in_recovery() AS is_standby, current_setting('default_transaction_read_only') = 'on' AS is_read_only,
  has_database_privilege(current_database(), 'CREATE') AS may_create_schema,
  r.rolsuper AS is_superuser, r.rolcreaterole AS may_create_role, r.rolcreatedb AS may_create_database, r.rolbypassrls AS bypasses_rls,
  r.rolconnlimit AS connection_limit
FROM pg_database d, pg_roles r
WHERE d.datname = current_database() AND r.rolname = current_user`;

export async function readServer(query: Query): Promise<Server> {
  return ServerSchema.parse((await query(SERVER))[0]);
}

const LedgerSchema = z.object({ is_there: flag, is_open: flag });
const AppliedSchema = z.array(z.object({ hash: z.string(), created_at: number }));

export type Applied = z.infer<typeof AppliedSchema>;

/** What drizzle keeps of the migrations it has applied; `hidden` from who may not look. */
export async function readApplied(query: Query): Promise<Applied | "hidden"> {
  const ledger = "to_regclass('drizzle.__drizzle_migrations')";
  // A name in a schema that one may not use is an error.
  const [first] = await query("SELECT count(*) > 0 AS is_there, coalesce(bool_and(has_schema_privilege(oid, 'USAGE')), true) AS is_open FROM pg_namespace WHERE nspname = 'drizzle'");
  const schema = LedgerSchema.parse(first);
  if (!schema.is_there) return [];
  if (!schema.is_open) return "hidden";
  const [second] = await query(`SELECT ${ledger} IS NOT NULL AS is_there, coalesce(has_table_privilege(${ledger}, 'SELECT'), true) AS is_open`);
  const table = LedgerSchema.parse(second);
  if (!table.is_there) return [];
  if (!table.is_open) return "hidden";
  return AppliedSchema.parse(await query("SELECT hash, created_at FROM drizzle.__drizzle_migrations ORDER BY created_at"));
}

const TablesSchema = z.array(z.object({ name: z.string(), is_open: flag }));

/** Of the audit log nothing is ever changed or deleted, so that these may be kept from us. */
const APPEND_ONLY = "audit_entries";

/** Those of `tables` (`schema.name`) that are there, and whether our role may use each as the platform does. */
export async function readTables(query: Query, tables: readonly string[]): Promise<z.infer<typeof TablesSchema>> {
  const names = tables.filter((name) => /^[\w.]+$/.test(name)).map((name) => `'${name}'`).join(", ");
  const may = (right: string) => `has_table_privilege(c.oid, '${right}')`;
  const rows = await query(
    `SELECT n.nspname || '.' || c.relname AS name, has_schema_privilege(n.oid, 'USAGE') AND ${may("SELECT")} AND ${may("INSERT")}
       AND (c.relname = '${APPEND_ONLY}' OR (${may("UPDATE")} AND ${may("DELETE")})) AS is_open
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind = 'r' AND n.nspname || '.' || c.relname IN (${names || "''"}) ORDER BY 1`,
  );
  return TablesSchema.parse(rows);
}

const PositionsSchema = z.array(z.object({ consumer: z.string(), topic: z.string(), partition: number, next: number }));

/** Where each consumer that has begun goes on; rejects where nobody may look, and has none before the first migration. */
export async function readPositions(query: Query): Promise<z.infer<typeof PositionsSchema>> {
  if (!(await hasTable(query, "events", "positions"))) return [];
  return PositionsSchema.parse(await query("SELECT consumer, topic, partition, next_offset AS next FROM events.positions WHERE next_offset IS NOT NULL ORDER BY 1, 2, 3"));
}

const UsersSchema = z.array(z.object({ user_id: z.string(), identity_id: z.string() }).transform((row) => ({ userId: row.user_id, identityId: row.identity_id })));

/** A crash or a restore loses what is newest. */
const NEWEST = 20;

/** The newest of those who may sign in; none before the first migration. */
export async function readNewestUsers(query: Query): Promise<z.infer<typeof UsersSchema>> {
  if (!(await hasTable(query, "users", "users"))) return [];
  const settled = "status = 'ACTIVE' AND registered_at IS NOT NULL AND identity_id IS NOT NULL AND sync_due IS NULL";
  return UsersSchema.parse(await query(`SELECT user_id, identity_id FROM users.users WHERE ${settled} ORDER BY created_at DESC LIMIT ${NEWEST}`));
}

const SealedSecretsSchema = z.array(z.object({ id: z.string(), secret: z.string() }));

/** What each webhook is signed with, sealed; rejects where nobody may look, and has none before the first migration. */
export async function readSealedSecrets(query: Query): Promise<SealedSecret[]> {
  if (!(await hasTable(query, "webhooks", "endpoints"))) return [];
  return SealedSecretsSchema.parse(await query("SELECT id, secret FROM webhooks.endpoints"));
}

async function hasTable(query: Query, schema: string, name: string): Promise<boolean> {
  const [row] = await query(`SELECT count(*) > 0 AS is_there FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = '${schema}' AND c.relname = '${name}'`);
  return z.object({ is_there: flag }).parse(row).is_there;
}
