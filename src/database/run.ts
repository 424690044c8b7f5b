import type { Result, Statement } from "./wire.ts";

export type Work = {
  statements: Statement[];
  /** Begins the one transaction that all statements run in; without it, each is its own. */
  begin?: string;
  /** Aborted by a caller who has gone away: what has not begun is not begun, and a transaction is rolled back. */
  signal?: AbortSignal;
};

const INVALID_TRANSACTION_STATE = "25000";

/** Rejects with Postgres' error and its fields (`code`, `constraint`, …), or with another when there is no Postgres. */
export type Run = (work: Work) => Promise<Result[]>;

/** Speaks the statements of `work` on one connection; after a failure, the transaction may still be open there. */
export async function perform({ statements, begin, signal }: Work, speak: (statement: Statement) => Promise<Result>): Promise<Result[]> {
  signal?.throwIfAborted();
  if (begin) await speak({ query: begin, params: [] });
  const results: Result[] = [];
  for (const statement of statements) {
    results.push(checked(await speak(statement)));
    signal?.throwIfAborted();
  }
  if (begin) await speak({ query: "COMMIT", params: [] });
  return results;
}

/** `result`, unless its statement began or ended a transaction: the next request would find itself inside one. */
function checked(result: Result): Result {
  if (!/^(BEGIN|START|COMMIT|ROLLBACK|PREPARE)$/.test(result.command)) return result;
  const message = `Cannot run "${result.command}": send the statements of a transaction as one batch`;
  throw Object.assign(new Error(message), { code: INVALID_TRANSACTION_STATE });
}

/** Whether a statement that came by itself may have left a transaction open. */
export function isInTransaction(error: unknown): boolean {
  return (error as { code?: unknown }).code === INVALID_TRANSACTION_STATE;
}
