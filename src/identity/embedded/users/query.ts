import { paging } from "../paging.ts";
import { likeText, storable, type UserQuery } from "./store.ts";

const DEFAULT_MAX = 100;
const COLUMNS = { username: "username", email: "email", firstName: "first_name", lastName: "last_name" } as const;
const FLAGS = { enabled: "enabled", emailVerified: "email_verified" } as const;

/** The query of `GET users`, as Keycloak reads it. */
export function userQuery(parameters: URLSearchParams): UserQuery {
  const isExact = parameters.get("exact") === "true";
  return {
    fields: Object.entries(COLUMNS)
      .filter(([name]) => parameters.get(name))
      .map(([name, column]) => ({ column, value: parameters.get(name) ?? "", isExact })),
    flags: Object.entries(FLAGS)
      .filter(([name]) => parameters.get(name))
      .map(([name, column]) => ({ column, value: parameters.get(name) === "true" })),
    search: searchPatterns(parameters.get("search") ?? ""),
    ...paging(parameters, DEFAULT_MAX),
  };
}

/** Each word of a search is a prefix, `*word*` an infix, `"word"` the whole. */
function searchPatterns(search: string): string[] {
  return storable(search.toLowerCase())
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => (/^".*"$/.test(word) ? likeText(word.slice(1, -1)) : `${likeText(word).replaceAll("*", "%")}%`));
}
