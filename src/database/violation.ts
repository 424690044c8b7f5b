/** Whether a statement failed because a unique value is taken (SQLSTATE 23505), however the drivers wrapped it. */
export function isUniqueViolation(error: unknown): boolean {
  for (let link = error, depth = 0; link instanceof Error && depth < 8; depth++) {
    if ((link as { code?: unknown }).code === "23505") return true;
    link = link.cause;
  }
  return false;
}
