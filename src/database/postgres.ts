import { failureOf } from "./failure.ts";
import { isInTransaction, perform, type Run, type Work } from "./run.ts";
import type { Field, Result, Statement } from "./wire.ts";

/** What is needed of a pool of the `pg` package; its own types would bring Node's into this folder. */
export type PostgresPool = {
  connect: () => Promise<PostgresClient>;
  on: {
    (event: "error", listener: (error: Error) => void): unknown;
    (event: "connect", listener: (client: PostgresClient) => void): unknown;
  };
};

type PostgresClient = {
  query: (config: PostgresQuery) => Promise<{ command: string | null; rowCount: number | null; fields: Field[]; rows: unknown[] }>;
  on: (event: "error", listener: (error: Error) => void) => unknown;
  release: (error?: Error) => void;
};

type PostgresQuery = {
  text: string;
  values: (string | null)[];
  rowMode: "array";
  /** `extended`: one statement a query, also where there are no parameters. */
  queryMode: "extended";
  types: { getTypeParser: () => (value: string) => string };
};

/**
 * Runs statements on an ordinary Postgres: each, or each batch, on a connection of `pool` that nobody else has meanwhile.
 * `onLost` hears of connections that ended while nobody used them.
 */
export function postgresRun(pool: PostgresPool, onLost: (error: Error) => void): Run {
  // A restart of Postgres is an `error` event of each connection, and one that nobody hears ends the process.
  pool.on("error", onLost);
  pool.on("connect", (client) => client.on("error", ignore));

  return async (work) => {
    const client = await pool.connect();
    let broken: Error | undefined;
    try {
      return await perform(work, (statement) => speak(client, statement));
    } catch (thrown) {
      const error = followsOnly(thrown, work) ? new Error("The server only follows another", { cause: thrown }) : thrown;
      broken = await settle(client, { error, work });
      throw error;
    } finally {
      client.release(broken);
    }
  };
}

/**
 * Whether the server refused to write although nobody had asked for that: after a failover the connection leads to one
 * that only follows, and a new one may lead to the one that writes (READ_ONLY_SQL_TRANSACTION).
 */
function followsOnly(error: unknown, { begin = "" }: Work): boolean {
  return (error as { code?: unknown }).code === "25006" && !begin.includes("READ ONLY");
}

/** Ends the transaction that a failure left open; the error for which the connection is closed instead, if there is one. */
async function settle(client: PostgresClient, { error, work }: { error: unknown; work: Work }): Promise<Error | undefined> {
  // A connection that is gone, or still busy with a statement, cannot roll back; closing it does.
  const isUsable = error === work.signal?.reason || failureOf(error).status === 400;
  if (!isUsable) return error as Error;
  if (!work.begin && !isInTransaction(error)) return undefined;
  // Its failure must not hide the first error, which says why.
  return speak(client, { query: "ROLLBACK", params: [] }).then(() => undefined, (cause: Error) => cause);
}

async function speak(client: PostgresClient, { query, params }: Statement): Promise<Result> {
  const { command, rowCount, fields, rows } = await client.query({
    text: query,
    values: params,
    rowMode: "array",
    queryMode: "extended",
    types: { getTypeParser: () => (value) => value },
  });
  return { command: command ?? "", rowCount, fields, rows: rows as Result["rows"] };
}

/** Whoever has the connection hears of it from their statement, everybody else from the pool. */
function ignore(): void {}
