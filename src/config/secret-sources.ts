import type { Call } from "../http/call.ts";
import type { SecretsStore } from "../secrets/vault.ts";
import type { Source } from "./environment.ts";
import type { Asked } from "./names.ts";
import type { Property, Scalar } from "./value.ts";

/** What the secrets store takes for a name: any other has no secrets. */
const NAME = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
const MAX_DEPTH = 16;

/** The secrets of `owner` for each profile that is asked for, those of the last profile first; none unless it is asked for itself. */
export async function secretSources(store: Pick<SecretsStore, "readSecrets">, call: Call, { owner, asked }: { owner: string; asked: Asked }): Promise<Source[]> {
  if (!asked.names.includes(owner) || !NAME.test(owner)) return [];
  const paths = asked.active.filter((profile) => NAME.test(profile)).map((profile) => `platform/${owner}/${profile}`).toReversed();
  const read = await Promise.all(paths.map((path) => store.readSecrets(call, path)));
  return paths.flatMap((path, index) => {
    const secrets = read[index];
    return secrets ? [{ name: `secrets:${path}`, properties: new Map(flatten(secrets.data, { name: "", origin: `secret/${path}`, depth: 0 })) }] : [];
  });
}

type Place = { name: string; origin: string; depth: number };

function flatten(value: unknown, { name, origin, depth }: Place): [string, Property][] {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return [[name, { value: scalar(value), origin }]];
  const below = (inner: string) => (Array.isArray(value) ? `${name}[${inner}]` : name === "" ? inner : `${name}.${inner}`);
  return Object.entries(value).flatMap(([inner, next]) => flatten(next, { name: below(inner), origin, depth: depth + 1 }));
}

function scalar(value: unknown): Scalar {
  if (typeof value === "string" || typeof value === "boolean") return value;
  return typeof value === "number" ? { number: JSON.stringify(value) } : "";
}
