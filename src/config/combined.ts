import { Problem } from "../http/problem.ts";
import { PlaceholderFault, placeholders, type Resolve } from "../properties/placeholders.ts";
import type { Environment } from "./environment.ts";
import type { Leaf } from "./leaf.ts";
import { type Scalar, textOf } from "./value.ts";

/** All sources as one: the highest wins, a list as a whole. Lists stand last. */
export function combined({ sources }: Environment): Map<string, Scalar> {
  const values = new Map<string, Scalar>();
  const lists = new Map<string, [string, Scalar][]>();
  for (const { properties } of sources.toReversed()) {
    const listsHere = Map.groupBy([...properties].filter(([name]) => name.includes("[")), ([name]) => name.slice(0, name.indexOf("[")));
    for (const [name, { value }] of properties) {
      if (name.includes("[")) continue;
      values.set(name, value);
      lists.delete(name);
    }
    for (const [prefix, items] of listsHere) {
      if (prefix !== "" && !properties.has(prefix)) values.delete(prefix);
      lists.set(prefix, items.map(([name, { value }]) => [name, value]));
    }
  }
  return new Map([...values, ...[...lists.values()].flat()]);
}

/** Resolves placeholders among `values` alone; what is beyond resolving is `CONFIG_NOT_CONVERTIBLE_400`. */
export function resolverFor(values: ReadonlyMap<string, Scalar>): Resolve {
  const resolve = placeholders((name) => {
    const value = values.get(name);
    return value === undefined ? undefined : textOf(value);
  });
  return (text) => {
    try {
      return resolve(text);
    } catch (error) {
      throw error instanceof PlaceholderFault ? new Problem("CONFIG_NOT_CONVERTIBLE_400", error.message) : error;
    }
  };
}

export function resolved(values: ReadonlyMap<string, Scalar>): Map<string, Leaf> {
  const resolve = resolverFor(values);
  return new Map([...values].map(([name, value]) => [name, substitute(value, resolve)]));
}

function substitute(value: Scalar, resolve: Resolve): Leaf {
  if (typeof value !== "string" || !value.includes("${")) return value;
  const text = resolve(value);
  return text === value ? value : { substituted: text };
}
