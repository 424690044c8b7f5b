/** Parameters and values are Postgres text, as in `psql`; drizzle and the driver know the types. */
export type Statement = { query: string; params: (string | null)[] };

export type Field = {
  name: string;
  tableID: number;
  columnID: number;
  dataTypeID: number;
  dataTypeSize: number;
  dataTypeModifier: number;
};

export type Result = { fields: Field[]; rows: (string | null)[][]; rowCount: number | null; command: string };

const MAX_PARAMS = 65_535;

const ISOLATION: Record<string, string> = {
  ReadUncommitted: "READ UNCOMMITTED",
  ReadCommitted: "READ COMMITTED",
  RepeatableRead: "REPEATABLE READ",
  Serializable: "SERIALIZABLE",
};

/** The statement in the body of a request, the statements of a batch, or undefined for what no driver would send. */
export function statementsIn(body: unknown): Statement | Statement[] | undefined {
  if (isStatement(body)) return body;
  const queries = typeof body === "object" && body !== null && "queries" in body ? body.queries : undefined;
  return Array.isArray(queries) && queries.every(isStatement) ? queries : undefined;
}

/** The statement that begins the batch these headers ask for, or undefined when they ask for something unknown. */
export function beginOf(headers: Headers): string | undefined {
  const isolation = ISOLATION[headers.get("neon-batch-isolation-level") ?? "ReadCommitted"];
  const readOnly = flag(headers.get("neon-batch-read-only"), "READ ONLY");
  const deferrable = flag(headers.get("neon-batch-deferrable"), "DEFERRABLE");
  if (isolation === undefined || readOnly === undefined || deferrable === undefined) return undefined;
  return `BEGIN ISOLATION LEVEL ${isolation}${readOnly}${deferrable}`;
}

function flag(value: string | null, words: string): string | undefined {
  if (value === "true") return ` ${words}`;
  return value === null || value === "false" ? "" : undefined;
}

function isStatement(value: unknown): value is Statement {
  if (typeof value !== "object" || value === null || !("query" in value) || !("params" in value)) return false;
  const { query, params } = value;
  // A NUL would end the query's string in the protocol and what follows would be read as the next message.
  if (typeof query !== "string" || query.includes("\0") || !Array.isArray(params) || params.length > MAX_PARAMS) return false;
  return params.every((param) => param === null || typeof param === "string");
}
