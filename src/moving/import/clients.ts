import * as z from "zod";
import { path } from "../../http/path.ts";
import type { MovedClient, Roles } from "../schema.ts";
import { covers, isSame } from "./covers.ts";
import { find, type IdentityNeeds, inRealm, read, rolesOf, write } from "./identity.ts";

/** An attribute of a client whose service account has not yet all its roles: whoever finds it goes on. */
const UNFINISHED = "gatehouse.import";

const ClientsSchema = z.array(z.looseObject({ id: z.string(), clientId: z.string(), attributes: z.record(z.string(), z.string()).optional() }));
const AccountSchema = z.object({ id: z.string() });
const RoleSchema = z.object({ id: z.string(), name: z.string() });

type There = z.infer<typeof ClientsSchema>[number];

/** With its secret, which the service that uses it has; and with the roles of its service account. */
export async function importClient(needs: IdentityNeeds, moved: MovedClient): Promise<void> {
  const { tally, isDryRun, overwrites } = needs;
  const { client } = moved;
  const serviceRoles = moved.serviceRoles && { ...moved.serviceRoles, realm: inRealm(moved.serviceRoles.realm, needs.realm) };
  const there = await findClient(needs, client.clientId);
  if (there && there.attributes?.[UNFINISHED] === undefined) {
    if (await isAsWanted(needs, there, { client, serviceRoles })) return tally.count("clients", "same");
    if (!overwrites) return tally.tell("clients", "different", `"${client.clientId}" is there with other settings, another secret or other roles`);
  }
  if (isDryRun) return tally.count("clients", there ? "changed" : "made");
  const marked = { ...client, attributes: { ...client.attributes, [UNFINISHED]: "unfinished" } };
  const isWritten = there
    ? await write(needs, "PUT", { at: path`/clients/${there.id}`, json: { ...marked, id: there.id } })
    : await write(needs, "POST", { at: "/clients", json: marked });
  const made = isWritten && (there ?? (await findClient(needs, client.clientId)));
  if (!made) return tally.tell("clients", "failed", `"${client.clientId}" was refused, perhaps since another realm has one of its id`);
  const hasRoles = serviceRoles === null || (await setRoles(needs, made.id, serviceRoles));
  await write(needs, "PUT", { at: path`/clients/${made.id}`, json: { clientId: client.clientId, attributes: { [UNFINISHED]: "" } } });
  if (hasRoles) return tally.count("clients", there ? "changed" : "made");
  tally.tell("clients", "different", `"${client.clientId}" is there, but the roles of its service account are others`);
}

async function findClient(needs: IdentityNeeds, clientId: string): Promise<There | undefined> {
  const found = await read(needs, `/clients?${new URLSearchParams({ clientId })}`, ClientsSchema);
  return found.find((one) => one.clientId === clientId);
}

async function isAsWanted(needs: IdentityNeeds, there: There, { client, serviceRoles }: MovedClient): Promise<boolean> {
  const { id: _, protocolMappers, attributes, authenticationFlowBindingOverrides: __, ...wanted } = client;
  const mappers = Array.isArray(protocolMappers) ? protocolMappers.map(withoutId) : [];
  if (!covers(there, wanted) || !covers(there["protocolMappers"] ?? [], mappers) || !covers(there.attributes ?? {}, attributes)) return false;
  if (serviceRoles === null) return true;
  const account = await find(needs, path`/clients/${there.id}/service-account-user`, AccountSchema);
  return account !== undefined && isSame(await rolesOf(needs, account.id), serviceRoles);
}

function withoutId(mapper: object): object {
  return Object.fromEntries(Object.entries(mapper).filter(([name]) => name !== "id"));
}

/** Whether the service account has these roles afterwards, and no others: one that there is not cannot be given. */
async function setRoles(needs: IdentityNeeds, id: string, wanted: Roles): Promise<boolean> {
  const account = await read(needs, path`/clients/${id}/service-account-user`, AccountSchema);
  const had = await rolesOf(needs, account.id);
  const mappings = path`/users/${account.id}/role-mappings`;
  await setRolesAt(needs, { had: had.realm, wanted: wanted.realm }, { roles: "/roles", mappings: `${mappings}/realm` });
  for (const owner of new Set([...Object.keys(had.client), ...Object.keys(wanted.client)])) {
    const there = await findClient(needs, owner);
    if (!there) continue;
    const change = { had: had.client[owner] ?? [], wanted: wanted.client[owner] ?? [] };
    await setRolesAt(needs, change, { roles: path`/clients/${there.id}/roles`, mappings: mappings + path`/clients/${there.id}` });
  }
  return isSame(await rolesOf(needs, account.id), wanted);
}

async function setRolesAt(needs: IdentityNeeds, { had, wanted }: { had: string[]; wanted: string[] }, at: { roles: string; mappings: string }): Promise<void> {
  const change = async (method: "POST" | "DELETE", names: string[]) => {
    const found = await Promise.all(names.map((role) => find(needs, at.roles + path`/${role}`, RoleSchema)));
    const json = found.filter((role) => role !== undefined);
    if (json.length > 0) await write(needs, method, { at: at.mappings, json });
  };
  await change("POST", wanted.filter((role) => !had.includes(role)));
  await change("DELETE", had.filter((role) => !wanted.includes(role)));
}
