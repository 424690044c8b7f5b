import { AdministrationError } from "../../administration/administer.ts";
import type { RealmRest } from "../../administration/realm.ts";
import type { Call } from "../../http/call.ts";
import { path } from "../../http/path.ts";
import { defaultRole, type PlatformClient } from "../../identity/platform-realm.ts";
import { listed, type Plan, plan } from "../plan.ts";

const MANAGEMENT = "realm-management";

type Rights = { realm: string[]; management: string[] };

/** Brings the roles of a client's service account in line: each that it needs, and not those that every user gets. */
export async function planAccount(call: Call, client: PlatformClient, { rest, isNew }: { rest: RealmRest; isNew: boolean }): Promise<Plan> {
  const { clientId } = client;
  const wanted: Rights = { realm: client.realmRoles, management: client.managementRoles };
  const live = isNew ? undefined : await rightsOf(call, clientId, rest);
  const missing = [...without(wanted.realm, live?.realm), ...without(wanted.management, live?.management)];
  const isDefault = live === undefined || live.realm.includes(defaultRole(rest.realm));
  const excess = [...without(live?.realm ?? [], [...wanted.realm, defaultRole(rest.realm)]), ...without(live?.management ?? [], wanted.management)];
  const given = missing.length > 0 ? [`Give the service account of "${clientId}" ${listed(missing)}`] : [];
  const taken = isDefault ? [given.length > 0 ? "take the roles of ordinary users from it" : `Take the roles of ordinary users from the service account of "${clientId}"`] : [];
  const change = [...given, ...taken].join(", and ");
  return plan({
    steps: change === "" ? [] : [{ change, apply: (call) => bringInLine(call, client, rest) }],
    notes: excess.length > 0 ? [`The service account of "${clientId}" has ${listed(excess)}, which the platform does not need`] : [],
  });
}

/** Only what is missing still, so that every run gets further than the one before. */
async function bringInLine(call: Call, { clientId, realmRoles, managementRoles }: PlatformClient, rest: RealmRest): Promise<void> {
  const account = await accountOf(call, clientId, rest);
  const management = await rest.client(call, MANAGEMENT);
  const live = await rightsOf(call, clientId, rest);
  if (!account || !management || !live) throw new AdministrationError(`Cannot give the service account of "${clientId}" its roles: the realm "${rest.realm}" has no such account, or no client "${MANAGEMENT}"`);
  const mappings = path`/users/${account.id}/role-mappings`;
  const ofRealm = await Promise.all(without(realmRoles, live.realm).map((role) => rest.role(call, role)));
  if (ofRealm.length > 0) await rest.send(call, { method: "POST", path: `${mappings}/realm`, json: ofRealm });
  const ofManagement = await Promise.all(without(managementRoles, live.management).map((role) => rest.role(call, role, management)));
  if (ofManagement.length > 0) await rest.send(call, { method: "POST", path: `${mappings}${path`/clients/${management.id}`}`, json: ofManagement });
  const common = live.realm.includes(defaultRole(rest.realm)) ? await rest.role(call, defaultRole(rest.realm)) : undefined;
  if (common) await rest.send(call, { method: "DELETE", path: `${mappings}/realm`, json: [common] });
}

async function accountOf(call: Call, clientId: string, rest: RealmRest) {
  const client = await rest.client(call, clientId);
  return client?.["serviceAccountsEnabled"] === true ? rest.account(call, client) : undefined;
}

/** Undefined where there is no account. */
async function rightsOf(call: Call, clientId: string, rest: RealmRest): Promise<Rights | undefined> {
  const account = await accountOf(call, clientId, rest);
  if (!account) return undefined;
  const { realm, client } = await rest.rolesOf(call, account.id);
  return { realm, management: client[MANAGEMENT] ?? [] };
}

function without(names: readonly string[], others: readonly string[] = []): string[] {
  return names.filter((name) => !others.includes(name));
}
