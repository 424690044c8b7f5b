import type { ClientConfig } from "pg";
import type { Log } from "../src/http/log.ts";
import { migratePostgres } from "./migrations.ts";
import { clientOf, openPool, whileOpen } from "./pg.ts";
import type { Postgres } from "./pglite.ts";

export type PostgresPlace = {
  /** Milliseconds one statement may take, there and on the way. */
  timeout: number;
  log: Log;
  maxConnections?: number | undefined;
};

const MAX_CONNECTIONS = 16;
/** A name may lead elsewhere after a failover; no connection is kept to where it led half an hour ago. */
const MAX_LIFETIME_S = 1800;
/** What is left of a statement's time when there is no connection to be had, so that its caller still hears why. */
const SHARE_OF_CONNECTING = 0.8;
const ON_THE_WAY_MS = 250;

/** An ordinary Postgres, brought up to date. */
export async function openPostgres(url: string, { timeout, log, maxConnections = MAX_CONNECTIONS }: PostgresPlace): Promise<Postgres> {
  await migratePostgres(url);
  const place = {
    url,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: Math.ceil(SHARE_OF_CONNECTING * timeout),
    // The server's clocks do not help when the network has swallowed it.
    query_timeout: timeout + ON_THE_WAY_MS,
  };
  const clocks = await clocksOf({ statement_timeout: timeout, idle_in_transaction_session_timeout: timeout }, { place, log });
  return openPool({ ...place, ...clocks, max: maxConnections, maxLifetimeSeconds: MAX_LIFETIME_S }, log);
}

/** `clocks`, unless what stands before the server refuses to pass them on, as PgBouncer does unless told otherwise. */
async function clocksOf(clocks: ClientConfig, { place, log }: { place: ClientConfig & { url: string }; log: Log }): Promise<ClientConfig> {
  try {
    return await whileOpen(clientOf({ ...place, ...clocks }), async () => clocks);
  } catch (error) {
    if (!(error as Error).message.startsWith("unsupported startup parameter")) throw error;
    log({ level: "warn", service: "database", message: "The pooler does not pass on statement_timeout: set it for the role" });
    return {};
  }
}
