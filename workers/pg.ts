import { Client, type ClientConfig, Pool, type PoolConfig } from "pg";
import { postgresRun } from "../src/database/postgres.ts";
import { describe, type Log } from "../src/http/log.ts";
import type { Postgres } from "./pglite.ts";
import { urlForPg } from "./postgres-url.ts";

type Place<Config> = Config & { url: string };

/** A connection to the Postgres at `url`, not open yet; that it was lost, its next statement says. */
export function clientOf(place: Place<ClientConfig>): Client {
  const client = new Client(configOf(place));
  // An `error` event that nobody hears ends the process.
  client.on("error", () => {});
  return client;
}

/** Opens `client` for `work`, and ends it afterwards. */
export async function whileOpen<T>(client: Client, work: () => Promise<T>): Promise<T> {
  try {
    await client.connect();
    return await work();
  } finally {
    await client.end().catch(() => {});
  }
}

export function openPool(place: Place<PoolConfig>, log: Log): Postgres {
  const pool = new Pool(configOf(place));
  const run = postgresRun(pool, (error) => log({ level: "warn", service: "database", message: "Lost an idle connection", error: describe(error) }));
  return { run, close: () => pool.end() };
}

function configOf<Config extends ClientConfig>({ url, ...config }: Place<Config>) {
  return { connectionString: urlForPg(url), application_name: "gatehouse", ...config };
}
