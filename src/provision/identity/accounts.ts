import * as z from "zod";
import type { Call } from "../../http/call.ts";
import { path } from "../../http/path.ts";
import type { PlatformClient } from "../../identity/platform-realm.ts";
import { AdministrationError } from "../administration.ts";
import { listed, type Plan, plan } from "../plan.ts";
import type { RealmRest } from "./realm-rest.ts";

const AccountSchema = z.object({ id: z.string().min(1) });
const RolesSchema = z.array(z.object({ id: z.string().min(1), name: z.string() }));
const MappingsSchema = z.object({
  realmMappings: RolesSchema.nullish(),
  clientMappings: z.record(z.string(), z.object({ mappings: RolesSchema })).nullish(),
});

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
  // To ask for the account of a client without one is an error.
  return client?.["serviceAccountsEnabled"] === true ? rest.find(call, { path: path`/clients/${client.id}/service-account-user` }, AccountSchema) : undefined;
}

/** Undefined where there is no account. */
async function rightsOf(call: Call, clientId: string, rest: RealmRest): Promise<Rights | undefined> {
  const account = await accountOf(call, clientId, rest);
  const mappings = account && (await rest.find(call, { path: path`/users/${account.id}/role-mappings` }, MappingsSchema));
  if (!mappings) return undefined;
  const names = (roles: { name: string }[] | null | undefined) => (roles ?? []).map(({ name }) => name);
  return { realm: names(mappings.realmMappings), management: names(mappings.clientMappings?.[MANAGEMENT]?.mappings) };
}

function without(names: readonly string[], others: readonly string[] = []): string[] {
  return names.filter((name) => !others.includes(name));
}

function defaultRole(realm: string): string {
  return `default-roles-${realm.toLowerCase()}`;
}
