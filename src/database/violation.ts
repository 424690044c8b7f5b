import { codesIn } from "../http/causes.ts";

/** Whether a statement failed because a unique value is taken (SQLSTATE 23505), however the drivers wrapped it. */
export function isUniqueViolation(error: unknown): boolean {
  return codesIn(error).includes("23505");
}

/** Whether a statement failed because a row would break a rule of its table (SQLSTATE 23514). */
export function isCheckViolation(error: unknown): boolean {
  return codesIn(error).includes("23514");
}
