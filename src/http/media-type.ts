import { parseAccept } from "hono/utils/accept";

/**
 * Which of `offered` an `Accept` header prefers (RFC 9110, 12.5.1), the earlier of two that it likes alike;
 * undefined when it accepts none. Parameters but for `q` are not looked at.
 */
export function preferred(accept: string | undefined, offered: readonly string[]): string | undefined {
  if (accept === undefined || accept.trim() === "") return offered[0];
  const ranges = parseAccept(accept).map(({ type, q }) => ({ range: type.toLowerCase(), q }));
  const refused = new Set(ranges.flatMap(({ range, q }) => (q === 0 ? [range] : [])));
  const wanted = ranges.filter(({ q }) => q > 0).toSorted((one, other) => other.q - one.q || exactness(other.range) - exactness(one.range));
  for (const { range } of wanted) {
    const found = offered.find((type) => isIn(range, essence(type)) && !refused.has(essence(type)));
    if (found !== undefined) return found;
  }
  return undefined;
}

function essence(type: string): string {
  return type.split(";")[0]!.trim().toLowerCase();
}

function isIn(range: string, type: string): boolean {
  if (range === "*/*" || range === type) return true;
  const [, top, suffix] = /^([^/]+)\/\*(\+.+)?$/.exec(range) ?? [];
  return top !== undefined && type.startsWith(`${top}/`) && type.endsWith(suffix ?? "");
}

function exactness(range: string): number {
  return range.startsWith("*/") ? 0 : range.includes("/*") ? 1 : 2;
}
