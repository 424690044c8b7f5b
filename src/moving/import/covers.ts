/** Whether `there` says all that `wanted` says: more may be there, lists are compared without regard to order. */
export function covers(there: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) return Array.isArray(there) && there.length === wanted.length && wanted.every((one) => there.some((other) => covers(other, one)));
  if (typeof wanted !== "object" || wanted === null) return there === wanted;
  return typeof there === "object" && there !== null && Object.entries(wanted).every(([name, value]) => covers((there as Record<string, unknown>)[name], value));
}

/** Whether both are the same JSON, whatever the order of their members. */
export function isSame(one: unknown, other: unknown): boolean {
  return covers(one, other) && covers(other, one);
}
