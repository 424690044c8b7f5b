/** RFC 7396: what `target` becomes by `patch`. Keys are only ever own properties, also one called `__proto__`. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

/** The keys of `value` down to `depth` levels (0 is all), with null in place of what they hold. */
export function subkeys(value: unknown, depth: number): unknown {
  if (!isObject(value)) return null;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, depth === 1 ? null : subkeys(inner, depth - 1)]));
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
