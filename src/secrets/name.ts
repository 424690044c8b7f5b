import { path } from "../http/path.ts";

// On Vault an encoded `..` or `/` reaches the store as a path of its own, past what the policy was checked for.
const NAME = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

/** `/` and `name` as exactly one segment. */
export function segment(name: string): string {
  if (!NAME.test(name)) throw new TypeError(`Cannot use "${name.slice(0, 80)}" as a name in the secrets store`);
  return path`/${name}`;
}

/** A path below the mount, such as `platform/billing/dev`. */
export function segments(below: string): string {
  return below.split("/").map(segment).join("");
}
