import type * as z from "zod";
import { type FieldError, Problem } from "./problem.ts";

/** What a caller is told of a request that does not fit its schema: every failing field at once. */
export function invalidRequest({ issues }: z.ZodError): Problem {
  const errors: FieldError[] = issues.map(({ path, message }) => ({ path: path.join("."), message }));
  const fields = [...new Set(errors.map(({ path }) => path))].filter((path) => path !== "");
  return new Problem("VALIDATION_FAILED_400", fields.length === 0 ? "The request is not valid" : `Check ${fields.join(", ")}`, { errors });
}
