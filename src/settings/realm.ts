import type { Environment } from "../env.ts";

export const DEFAULT_REALM = "platform";

/** The realm of all services of a platform: its tokens are of one issuer. */
export function realmOf({ IDENTITY_REALM: realm = DEFAULT_REALM }: Environment): string {
  return realm;
}

/** Whether a service's configuration would take it to another realm than the rest of the platform. */
export function isOtherRealm({ IDENTITY_REALM: realm }: Environment, env: Environment): boolean {
  return realm !== undefined && realm !== realmOf(env);
}
