/** Whether a statement failed because a unique value is taken (SQLSTATE 23505), however the drivers wrapped it. */
export function isUniqueViolation(error: unknown): boolean {
  return isViolation(error, "23505");
}

/** Whether a statement failed because a row would break a rule of its table (SQLSTATE 23514). */
export function isCheckViolation(error: unknown): boolean {
  return isViolation(error, "23514");
}

function isViolation(error: unknown, code: string): boolean {
  for (let link = error, depth = 0; link instanceof Error && depth < 8; depth++) {
    if ((link as { code?: unknown }).code === code) return true;
    link = link.cause;
  }
  return false;
}
