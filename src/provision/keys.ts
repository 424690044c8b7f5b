import type { Environment } from "../env.ts";
import { KEYS } from "../moving/kinds.ts";
import { type Kept, keptSecret, listed, type Plan, plan } from "./plan.ts";

type On = {
  kept: Kept;
  /** What this installation was made with, where it was. */
  installed: () => Environment;
  /** What the environment alone says. */
  own: Environment;
  path: string;
};

/** Keys that instances have to share, kept: with others each would count guesses by itself, and could not open what the next has sealed. */
export function planKeys({ kept, installed, own, path }: On): Plan {
  const known = (name: string) => own[name] ?? installed()[name];
  const missing = KEYS.filter((name) => kept.get(name) === undefined);
  const keeping = missing.filter((name) => known(name) !== undefined);
  const making = missing.filter((name) => known(name) === undefined);
  // Asked again: a first start may have made them meanwhile.
  const step = (change: string, names: readonly string[]) => (names.length === 0 ? [] : [{ change, apply: async () => names.forEach((name) => keptSecret(kept, name, known(name))) }]);
  return plan({
    steps: [
      ...step(`Keep this installation's ${listed(keeping)} in "${path}", for every instance`, keeping),
      ...step(`Make ${listed(making)}, kept in "${path}" for every instance`, making),
    ],
  });
}
