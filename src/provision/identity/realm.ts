import * as z from "zod";
import { type Administer, AdministrationError } from "../../administration/administer.ts";
import type { RealmRest } from "../../administration/realm.ts";
import type { Call } from "../../http/call.ts";
import { changesIn, isMarked, listed, MARK, type Plan, plan, type Planning } from "../plan.ts";

/**
 * Of a realm of the platform's own. Keycloak's protection against brute force stays off: it refuses the right password
 * to whoever signs in twice at once, its answer is that of a wrong one, and so it would make its refusals ours. Whoever
 * guesses is stopped by the counter of the user service, and the clients by which it could be passed are shut.
 */
const SETTINGS = {
  enabled: true,
  sslRequired: "external",
  registrationAllowed: false,
  loginWithEmailAllowed: true,
  duplicateEmailsAllowed: false,
  editUsernameAllowed: false,
  verifyEmail: false,
  resetPasswordAllowed: false,
  rememberMe: false,
  bruteForceProtected: false,
  accessTokenLifespan: 300,
  ssoSessionIdleTimeout: 1800,
  ssoSessionMaxLifespan: 36_000,
  revokeRefreshToken: true,
  refreshTokenMaxReuse: 0,
  // Who changed what, without the content: that has secrets in it.
  adminEventsEnabled: true,
  adminEventsDetailsEnabled: false,
};
/** Seconds that Keycloak keeps such an event. */
const ATTRIBUTES = { adminEventsExpiration: String(30 * 24 * 3600) };

/** Clients of every new realm through which people could sign in, or guess, past the authentication service. */
const DOORS = ["account", "account-console", "admin-cli", "security-admin-console"];

const RealmSchema = z.looseObject({ realm: z.string(), attributes: z.record(z.string(), z.unknown()).nullish() });

export type LiveRealm = z.infer<typeof RealmSchema>;

export function findRealm(call: Call, rest: RealmRest): Promise<LiveRealm | undefined> {
  return rest.find(call, { path: "" }, RealmSchema);
}

/** In Keycloak's own realm, the doors to shut are those by which its administrators come in. */
export function checkRealm(realm: string): void {
  if (realm.toLowerCase() === "master") throw new AdministrationError(`Cannot use the realm "${realm}": Keycloak's administrators sign in there, so name one of the platform's own in IDENTITY_REALM`);
}

type On = Planning & { rest: RealmRest; administer: Administer; live: LiveRealm | undefined };

export async function planRealm(call: Call, on: On): Promise<Plan> {
  const { rest, administer, live, adopts } = on;
  const { realm } = rest;
  if (!live) {
    const json = { realm, ...SETTINGS, attributes: { ...ATTRIBUTES, ...MARK } };
    const make = (call: Call) => administer(call, { method: "POST", path: "", json, accepts: [201, 409] });
    return plan({ steps: [{ change: `Make the realm "${realm}"`, apply: async (call) => void (await make(call)) }, ...DOORS.map((door) => shut(rest, door))] });
  }
  const settings = changesIn(SETTINGS, live);
  const attributes = changesIn(ATTRIBUTES, live.attributes ?? {});
  const changed = [...Object.keys(settings), ...Object.keys(attributes)];
  const open = await openDoors(call, rest);
  if (!isMarked(live.attributes) && !adopts) {
    const differences = Object.entries({ ...settings, ...attributes }).map(([name, value]) => `The realm "${realm}" has ${name} ${JSON.stringify(live[name] ?? live.attributes?.[name])}, not ${JSON.stringify(value)}`);
    return plan({ differences: [...differences, ...open.map((door) => `The client "${door}" of the realm "${realm}" lets people sign in past the authentication service`)] });
  }
  const unmarked = isMarked(live.attributes) ? [] : ["gatehouse.provisioned"];
  // Attributes that are left out would be taken away.
  const json = { ...settings, attributes: { ...live.attributes, ...ATTRIBUTES, ...MARK } };
  const apply = async (call: Call) => void (await rest.send(call, { method: "PUT", path: "", json }));
  const all = [...changed, ...unmarked];
  return plan({ steps: [...(all.length > 0 ? [{ change: `Set ${listed(all)} of the realm "${realm}"`, apply }] : []), ...open.map((door) => shut(rest, door))] });
}

async function openDoors(call: Call, rest: RealmRest): Promise<string[]> {
  const found = await Promise.all(DOORS.map((door) => rest.client(call, door)));
  return DOORS.filter((_, index) => found[index]?.["enabled"] === true);
}

function shut(rest: RealmRest, door: string) {
  return {
    change: `Disable the client "${door}" of the realm "${rest.realm}", by which people could sign in past the authentication service`,
    apply: async (call: Call) => {
      const client = await rest.client(call, door);
      if (client) await rest.send(call, { method: "PUT", path: `/clients/${client.id}`, json: { enabled: false } });
    },
  };
}
