import { type Environment, SettingsError } from "../env.ts";
import { ALTERNATIVES, bothNamed } from "../settings/alternatives.ts";
import { type Kept, listed, type Plan, plan } from "./plan.ts";
import { PLACES } from "./settings.ts";

/** The settings that hold: of two systems that cannot both be used, the one that the environment names is in the place of the file's. */
export function chosen({ file, own }: { file: Environment; own: Environment }): Environment {
  const told = { ...file, ...own };
  for (const alternative of ALTERNATIVES) {
    const [one, other] = alternative.pair;
    const [named, unnamed] = own[other[0]] === undefined ? [one, other] : [other, one];
    if (told[named[0]] === undefined || told[unnamed[0]] === undefined) continue;
    if (own[named[0]] === undefined || own[unnamed[0]] !== undefined) throw new SettingsError(bothNamed(alternative));
    for (const name of unnamed) delete told[name];
  }
  return told;
}

/** Where the systems are, kept last: until then the platform starts as before. In one piece, for it starts from no two of a pair. */
export function planPlaces(told: Environment, { kept, path }: { kept: Kept; path: string }): Plan {
  const changed = Object.fromEntries(PLACES.flatMap((name) => (told[name] !== undefined && told[name] !== kept.get(name) ? [[name, told[name]]] : [])));
  const left = ALTERNATIVES.flatMap(({ pair }) => pair.flat()).filter((name) => told[name] === undefined && kept.get(name) !== undefined);
  const names = Object.keys(changed);
  const keeping = names.length > 0 ? [`Keep ${names.join(", ")} in "${path}"`] : [];
  const taking = left.length > 0 ? [keeping.length > 0 ? `take ${listed(left)} out of it` : `Take ${listed(left)} out of "${path}"`] : [];
  const change = [...keeping, ...taking].join(", and ");
  const apply = async () => kept.keep({ ...changed, ...Object.fromEntries(left.map((name) => [name, ""])) });
  return plan(change === "" ? {} : { steps: [{ change, apply }] });
}
