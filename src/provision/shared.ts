import { AdministrationError } from "../administration/administer.ts";
import type { Environment } from "../env.ts";
import { KEYS } from "../moving/kinds.ts";
import { countClosed, type SealedSecret } from "../webhooks/sealed.ts";
import { type Kept, keptSecret, listed, type Plan, plan } from "./plan.ts";

/**
 * What instances have to share: with other keys each would count guesses by itself, and could not open what the next has sealed;
 * with other passwords each would be a registry and a configuration server of its own.
 */
const SHARED = [...KEYS, "DISCOVERY_PASSWORD", "CONFIG_PASSWORD"] as const;

type Name = (typeof SHARED)[number];

type On = {
  kept: Kept;
  /** What this installation was made with, where it was. */
  installed: () => Environment;
  /** What the environment alone says. */
  own: Environment;
  path: string;
  /** The secrets of webhooks that the database has. */
  sealed: () => Promise<SealedSecret[]>;
};

/** What is shared, kept; throws where the secrets of webhooks would be lost, for nothing else opens what one key has sealed. */
export async function planShared({ kept, installed, own, path, sealed }: On): Promise<Plan> {
  const valueOf = async (name: Name) => {
    const known = [kept.get(name), own[name], installed()[name]].filter((value) => value !== undefined);
    return name === "WEBHOOK_KEY" ? openingKey(known, await sealed()) : known[0];
  };
  const found: { name: Name; before: string | undefined; value: string | undefined }[] = [];
  for (const name of SHARED) found.push({ name, before: kept.get(name), value: await valueOf(name) });
  const keep = (names: Name[]) => async () => {
    // Asked again: a first start may have made them meanwhile.
    for (const name of names) keptSecret(kept, name, await valueOf(name));
  };
  const step = (change: (names: string) => string, isMeant: (one: (typeof found)[number]) => boolean) => {
    const names = found.filter(isMeant).map(({ name }) => name);
    return names.length === 0 ? [] : [{ change: change(listed(names)), apply: keep(names) }];
  };
  return plan({
    steps: [
      ...step((names) => `Put this installation's ${names} into "${path}", in the place of one that does not open the secrets of webhooks`, ({ before, value }) => before !== undefined && value !== before),
      ...step((names) => `Keep this installation's ${names} in "${path}", for every instance`, ({ before, value }) => before === undefined && value !== undefined),
      ...step((names) => `Make ${names}, kept in "${path}" for every instance`, ({ value }) => value === undefined),
    ],
  });
}

/** The first of the keys that are known which opens everything; undefined where none is known, and nothing is sealed. */
async function openingKey(known: string[], secrets: SealedSecret[]): Promise<string | undefined> {
  const closed = await Promise.all(known.map((key) => countClosed(key, secrets)));
  const opening = known.find((_, index) => closed[index] === 0);
  if (opening !== undefined || secrets.length === 0) return opening;
  const what = known.length === 0 ? "make WEBHOOK_KEY: another one has sealed the secrets of the" : `use WEBHOOK_KEY: it does not open the secrets of ${Math.min(...closed)} of the`;
  throw new AdministrationError(
    `Cannot ${what} ${secrets.length} webhooks in the database, so set it to that in settings.env or secrets.json of the machine that runs the platform, or, where it is lost, delete these webhooks there`,
  );
}
