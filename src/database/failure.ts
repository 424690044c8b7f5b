const FIELDS = "severity code detail hint position internalPosition internalQuery where schema table column dataType constraint file line routine";

export type Failure = { status: 400 | 503; details: { message: string; [field: string]: unknown } };

/** How a rejected statement is answered: Postgres' own refusals in full, anything else as a database that is away. */
export function failureOf(error: unknown): Failure {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (!(error instanceof Error) || typeof code !== "string" || !/^[0-9A-Z]{5}$/.test(code) || isAway(code)) {
    return { status: 503, details: { message: "The database is not available" } };
  }
  const fields = FIELDS.split(" ").map((name) => [name, error[name as keyof Error]]);
  return { status: 400, details: { ...Object.fromEntries(fields), message: error.message } };
}

/**
 * Whether the SQLSTATE says that the connection (08), its resources (53) or an operator (57) is at fault, and not the
 * statement; 08P01 is a statement with the wrong number of parameters.
 */
export function isAway(code: unknown): boolean {
  return typeof code === "string" && /^(08|53|57)/.test(code) && code !== "08P01";
}
