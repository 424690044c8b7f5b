import { type Database, database } from "../src/database/client.ts";
import { sqlEndpoint } from "../src/database/endpoint.ts";
import { isNeon } from "../src/database/neon.ts";
import type { Fetch } from "../src/http/fetch.ts";
import type { Log } from "../src/http/log.ts";
import { network } from "./isolate.ts";
import { migratePostgres } from "./migrations.ts";
import { openPglite, type Postgres } from "./pglite.ts";
import { openPostgres } from "./postgres.ts";

export type DatabasePlace = {
  url?: string | undefined;
  directory: string;
  /** Asked of whoever speaks to the endpoint. */
  password: string;
  log: Log;
  /** Settings that do without the embedded one. */
  instead?: readonly string[];
  /** Of an ordinary Postgres: milliseconds that one statement may take there, and connections at most. */
  timeout?: number;
  maxConnections?: number | undefined;
};

export type OpenDatabase = {
  /** What the services take for their database, with `endpoint` and `fetch`: `DATABASE_URL`. */
  url: string;
  /** `DATABASE_SQL_URL`; undefined where Neon's own is meant. */
  endpoint: string | undefined;
  fetch: Fetch;
  client: Database;
  close: () => Promise<void>;
};

/** Milliseconds a statement of this process' own may take. */
const TIMEOUT_MS = 5000;

/** Opens and migrates the database at `url` (Neon or an ordinary Postgres) or, without one, the embedded one in `directory`. */
export async function openDatabase({ url, directory, password, log, instead = [], timeout = TIMEOUT_MS, maxConnections }: DatabasePlace): Promise<OpenDatabase> {
  if (url && isNeon(url)) return openNeon(url);
  const backend = url ? await openPostgres(url, { timeout, log, maxConnections }) : await openPglite(directory, { log, instead });
  return behindEndpoint(backend, password);
}

async function openNeon(url: string): Promise<OpenDatabase> {
  await migratePostgres(url);
  const client = database({ url, fetch: network, now: Date.now, timeout: TIMEOUT_MS });
  return { url, endpoint: undefined, fetch: network, client, close: async () => {} };
}

/** The services see neither the server's address nor its password, only the endpoint's. */
export function behindEndpoint({ run, close }: Postgres, password: string): OpenDatabase {
  const url = `postgres://gatehouse:${encodeURIComponent(password)}@localhost/gatehouse`;
  const endpoint = "http://database.localhost/sql";
  const app = sqlEndpoint({ connectionString: url, run });
  const fetch: Fetch = (request) => app.fetch(request);
  return { url, endpoint, fetch, client: database({ url, endpoint, fetch, now: Date.now, timeout: TIMEOUT_MS }), close };
}
