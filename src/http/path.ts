/**
 * A URL path with each value as exactly one segment: `` path`/users/${id}/logout` ``. Values that a URL parser would
 * fold away (`encodeURIComponent("..")` is `..`) are refused.
 */
export function path(parts: TemplateStringsArray, ...values: string[]): string {
  return parts.reduce((whole, part, index) => whole + segment(values[index - 1] ?? "") + part);
}

function segment(value: string): string {
  if (value.trim() === "" || value === "." || value === "..") throw new TypeError(`Cannot use "${value}" as a path segment`);
  return encodeURIComponent(value);
}
