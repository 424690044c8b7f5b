import type { Client } from "../../administration/realm.ts";
import { path } from "../../http/path.ts";
import type { MovedClient, Roles } from "../schema.ts";
import { covers, isSame } from "./covers.ts";
import { type IdentityNeeds, inRealm, write } from "./identity.ts";
import { newCall } from "./needs.ts";

/** An attribute of a client whose service account has not yet all its roles: whoever finds it goes on. */
const UNFINISHED = "gatehouse.import";

/** With its secret, which the service that uses it has; and with the roles of its service account. */
export async function importClient(needs: IdentityNeeds, moved: MovedClient): Promise<void> {
  const { rest, tally, isDryRun, overwrites } = needs;
  const { client } = moved;
  const serviceRoles = moved.serviceRoles && { ...moved.serviceRoles, realm: inRealm(moved.serviceRoles.realm, rest.realm) };
  const there = await rest.client(newCall(needs), client.clientId);
  if (there && there.attributes?.[UNFINISHED] === undefined) {
    if (await isAsWanted(needs, there, { client, serviceRoles })) return tally.count("clients", "same");
    if (!overwrites) return tally.tell("clients", "different", `"${client.clientId}" is there with other settings, another secret or other roles`);
  }
  if (isDryRun) return tally.count("clients", there ? "changed" : "made");
  const marked = { ...client, attributes: { ...client.attributes, [UNFINISHED]: "unfinished" } };
  const isWritten = there
    ? await write(needs, { method: "PUT", path: path`/clients/${there.id}`, json: { ...marked, id: there.id } })
    : await write(needs, { method: "POST", path: "/clients", json: marked });
  const made = isWritten && (there ?? (await rest.client(newCall(needs), client.clientId)));
  if (!made) return tally.tell("clients", "failed", `"${client.clientId}" was refused, perhaps since another realm has one of its id`);
  const hasRoles = serviceRoles === null || (await setRoles(needs, made, serviceRoles));
  await write(needs, { method: "PUT", path: path`/clients/${made.id}`, json: { clientId: client.clientId, attributes: { [UNFINISHED]: "" } } });
  if (hasRoles) return tally.count("clients", there ? "changed" : "made");
  tally.tell("clients", "different", `"${client.clientId}" is there, but the roles of its service account are others`);
}

async function isAsWanted(needs: IdentityNeeds, there: Client, { client, serviceRoles }: MovedClient): Promise<boolean> {
  const { id: _, protocolMappers, attributes, authenticationFlowBindingOverrides: __, ...wanted } = client;
  const mappers = Array.isArray(protocolMappers) ? protocolMappers.map(withoutId) : [];
  if (!covers(there, wanted) || !covers(there.protocolMappers ?? [], mappers) || !covers(there.attributes ?? {}, attributes)) return false;
  if (serviceRoles === null) return true;
  const account = await needs.rest.account(newCall(needs), there);
  return account !== undefined && isSame(await needs.rest.rolesOf(newCall(needs), account.id), serviceRoles);
}

function withoutId(mapper: object): object {
  return Object.fromEntries(Object.entries(mapper).filter(([name]) => name !== "id"));
}

/** Whether the service account has these roles afterwards, and no others: one that there is not cannot be given. */
async function setRoles(needs: IdentityNeeds, client: { id: string }, wanted: Roles): Promise<boolean> {
  const { rest } = needs;
  const account = await rest.account(newCall(needs), client);
  if (!account) return false;
  const had = await rest.rolesOf(newCall(needs), account.id);
  const mappings = path`/users/${account.id}/role-mappings`;
  await setRolesAt(needs, { had: had.realm, wanted: wanted.realm }, { mappings: `${mappings}/realm` });
  for (const owner of new Set([...Object.keys(had.client), ...Object.keys(wanted.client)])) {
    const there = await rest.client(newCall(needs), owner);
    if (!there) continue;
    const change = { had: had.client[owner] ?? [], wanted: wanted.client[owner] ?? [] };
    await setRolesAt(needs, change, { owner: there, mappings: mappings + path`/clients/${there.id}` });
  }
  return isSame(await rest.rolesOf(newCall(needs), account.id), wanted);
}

async function setRolesAt(needs: IdentityNeeds, { had, wanted }: { had: string[]; wanted: string[] }, { owner, mappings }: { owner?: Client; mappings: string }): Promise<void> {
  const change = async (method: "POST" | "DELETE", names: string[]) => {
    const found = await Promise.all(names.map((role) => needs.rest.role(newCall(needs), role, owner)));
    const json = found.filter((role) => role !== undefined);
    if (json.length > 0) await write(needs, { method, path: mappings, json });
  };
  await change("POST", wanted.filter((role) => !had.includes(role)));
  await change("DELETE", had.filter((role) => !wanted.includes(role)));
}
