import type { Capability, Rule } from "./policy.ts";

/** A pattern that matched without being the path itself, with what its priority is judged by. */
type Match = { firstWildcard: number; isPrefix: boolean; wildcards: number; text: string; path: string };

/**
 * What `rules`, of all policies together, allow on `path`: those of the most specific pattern that matches, by Vault's own
 * order (ACL.AllowOperation of 1.21). The same pattern in several policies gives what any of them gives, or nothing at all
 * where one of them denies.
 */
export function capabilitiesOn(rules: Rule[], path: string, { isList }: { isList: boolean }): ReadonlySet<Capability> {
  // A path with a template matches nothing here: there are no entities to fill it from.
  const patterns = merged(rules.filter((rule) => !rule.path.includes("{{")));
  const withoutSlash = path.replace(/\/$/, "");
  const exact = exactly(patterns, path) ?? (isList ? exactly(patterns, withoutSlash) : undefined);
  if (exact) return exact;
  const best = (isList ? bestMatch(patterns, withoutSlash) : undefined) ?? bestMatch(patterns, path);
  return (best && patterns.get(best.path)) ?? new Set();
}

function merged(rules: Rule[]): Map<string, Set<Capability>> {
  const patterns = new Map<string, Set<Capability>>();
  for (const { path, capabilities } of rules) {
    const all = [...(patterns.get(path) ?? []), ...capabilities];
    patterns.set(path, new Set(all.includes("deny") ? ["deny"] : all));
  }
  return patterns;
}

/** `x*` is a glob and never the path `x*` itself. */
function exactly<T>(patterns: ReadonlyMap<string, T>, path: string): T | undefined {
  return isPattern(path) ? undefined : patterns.get(path);
}

function bestMatch(patterns: ReadonlyMap<string, unknown>, path: string): Match | undefined {
  const matches = [...patterns.keys()].filter(isPattern).flatMap((pattern) => matchOf(pattern, path) ?? []);
  return matches.reduce<Match | undefined>((best, match) => (best && !isMoreSpecific(match, best) ? best : match), undefined);
}

function isPattern(path: string): boolean {
  return path.endsWith("*") || hasWildcardSegment(path);
}

function hasWildcardSegment(path: string): boolean {
  return path === "+" || path.includes("/+") || path.startsWith("+/");
}

function matchOf(pattern: string, path: string): Match | undefined {
  const isPrefix = pattern.endsWith("*");
  const text = isPrefix ? pattern.slice(0, -1) : pattern;
  if (!hasWildcardSegment(pattern)) {
    return path.startsWith(text) ? { firstWildcard: text.length, isPrefix, wildcards: 0, text, path: pattern } : undefined;
  }
  const expected = text.split("/");
  const given = path.split("/");
  if (given.length < expected.length || (!isPrefix && given.length !== expected.length)) return undefined;
  const isMatch = expected.every((part, index) => {
    const isLast = index === expected.length - 1;
    return part === "+" || part === given[index] || (isPrefix && isLast && given[index]?.startsWith(part));
  });
  if (!isMatch) return undefined;
  return { firstWildcard: pattern.indexOf("+"), isPrefix, wildcards: expected.filter((part) => part === "+").length, text, path: pattern };
}

/** Later first wildcard, no glob, fewer wildcards, longer, and at last by spelling. */
function isMoreSpecific(one: Match, other: Match): boolean {
  if (one.firstWildcard !== other.firstWildcard) return one.firstWildcard > other.firstWildcard;
  if (one.isPrefix !== other.isPrefix) return !one.isPrefix;
  if (one.wildcards !== other.wildcards) return one.wildcards < other.wildcards;
  if (one.text.length !== other.text.length) return one.text.length > other.text.length;
  return one.text > other.text;
}
