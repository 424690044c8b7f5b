export type ServiceKey = "users" | "auth" | "admin" | "discovery" | "config";

export type Target = {
  path: string;
  /** With its question mark, or empty. */
  search: string;
};

/** Which service answers below which path. `/internal` is in no list, so nothing leads there; nor to those of an empty list. */
export const PREFIXES: Readonly<Record<ServiceKey, readonly string[]>> = {
  users: ["/api/users", "/api/security-details"],
  auth: ["/api/auth"],
  admin: ["/api/admin"],
  discovery: [],
  config: [],
};

const MAX_PATH_LENGTH = 1024;

/**
 * Unreserved characters only (RFC 3986, 2.3), no empty and no dot segment: a path on which no two parsers disagree.
 * None of the platform's paths needs more.
 */
const TARGET = /^(\/|(?:\/(?!\.+(?:[/?]|$))[A-Za-z0-9._~-]{1,128})+)(\?[!"$-~]*)?$/;

/** The parts of a request target in origin form (RFC 9112, 3.2.1), or undefined for one that could be read in two ways. */
export function readTarget(target: string): Target | undefined {
  const [, path, search = ""] = TARGET.exec(target) ?? [];
  return path === undefined || path.length > MAX_PATH_LENGTH ? undefined : { path, search };
}

/** The request target in `url`, as the runtime's URL parser left it. */
export function targetOf(url: string): string {
  return url.slice(url.indexOf("/", url.indexOf("//") + 2));
}

/** Whether `path` is one of `prefixes` or below it, by whole segments. */
export function isBelow(path: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
}
