import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SettingsError } from "../src/env.ts";

const FILE = /^([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)-policy\.hcl$/;

/** Service → text of its `{service}-policy.hcl` in the folder that the operator names. */
export function readPolicies(folder: string | undefined): Record<string, string> {
  if (folder === undefined) return {};
  try {
    const services = readdirSync(folder).flatMap((name) => FILE.exec(name)?.[1] ?? []);
    return Object.fromEntries(services.map((service) => [service, readFileSync(join(folder, `${service}-policy.hcl`), "utf8")]));
  } catch (cause) {
    throw new SettingsError(`Cannot read the policies in "${folder}": ${(cause as Error).message}`, { cause });
  }
}
