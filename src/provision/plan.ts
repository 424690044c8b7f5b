import type { Call } from "../http/call.ts";

/** One change: safe to repeat, and to be cut off anywhere. */
export type Step = {
  /** What it does, in the imperative. */
  change: string;
  apply: (call: Call) => Promise<void>;
};

/** What it comes to that one system is as the platform needs it. */
export type Plan = {
  steps: Step[];
  /** What is there already and otherwise, and none of ours: left alone unless it is to be adopted. */
  differences: string[];
  /** What only the operator can judge. */
  notes: string[];
};

/** Settings that outlive the run. A secret is kept before it is used, so that none is ever known to the system alone. */
export type Kept = {
  get: (name: string) => string | undefined;
  /** An empty value forgets the setting. */
  keep: (settings: Record<string, string>) => void;
};

/** What the name of a setting begins with that is kept for an interrupted run only. */
export const PENDING = "PROVISION_";

export type Planning = {
  kept: Kept;
  /** Whether what was not made by us is brought in line too. */
  adopts: boolean;
};

/** Marks what is ours, as an attribute. */
export const MARK = { "gatehouse.provisioned": "true" };

export function isMarked(attributes: Record<string, unknown> | null | undefined): boolean {
  // Keycloak has single values at realms and clients, lists at roles.
  return [attributes?.["gatehouse.provisioned"]].flat()[0] === "true";
}

export function plan(parts: Partial<Plan> = {}): Plan {
  return { steps: [], differences: [], notes: [], ...parts };
}

export function together(...plans: Plan[]): Plan {
  return {
    steps: plans.flatMap(({ steps }) => steps),
    differences: plans.flatMap(({ differences }) => differences),
    notes: plans.flatMap(({ notes }) => notes),
  };
}

/** The secret that was given or is kept under `name`, else a new one: kept before anybody else knows it. */
export function keptSecret({ get, keep }: Kept, name: string, given?: string): string {
  const kept = get(name);
  const secret = given ?? kept ?? newSecret();
  if (secret !== kept) keep({ [name]: secret });
  return secret;
}

/** 256 bits in base64url. */
function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** What `wanted` has otherwise than `found`. */
export function changesIn(wanted: Record<string, unknown>, found: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(wanted).filter(([name, value]) => JSON.stringify(found[name]) !== JSON.stringify(value)));
}

export function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
