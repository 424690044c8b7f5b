import * as z from "zod";
import { path } from "../../http/path.ts";
import type { Role, Roles } from "../schema.ts";
import { isSame } from "./covers.ts";
import { type IdentityNeeds, inRealm, partialImport } from "./identity.ts";
import { newCall } from "./needs.ts";

const ThereSchema = z.array(z.object({ id: z.string(), name: z.string(), description: z.string().nullish() }));
const ContentsSchema = z.array(z.object({ name: z.string(), clientRole: z.boolean(), containerId: z.string() }));
const ClientSchema = z.object({ clientId: z.string() });

/** All that are missing in one request, since a role may contain any other. One that is there is never replaced: whoever has it would lose it. */
export async function importRoles(needs: IdentityNeeds, roles: Role[]): Promise<void> {
  const { rest, tally } = needs;
  const all = await rest.read(newCall(needs), { path: "/roles", query: { briefRepresentation: "true", max: "100000" } }, ThereSchema);
  const listed = new Map(all.map((role) => [role.name, role]));
  await make(needs, roles.filter(({ name }) => !listed.has(name)));
  for (const { name, description, composites } of roles) {
    const there = listed.get(name);
    if (!there) continue;
    const isAsWanted = (there.description ?? null) === description && isSame(await contentsOf(needs, there.id), contents(needs, composites));
    if (isAsWanted) tally.count("roles", "same");
    else tally.tell("roles", "different", `"${name}" is there with another description or other contents`);
  }
}

async function make(needs: IdentityNeeds, roles: Role[]): Promise<void> {
  if (roles.length === 0) return;
  const realm = roles.map(({ name, description, composites }) => ({
    name,
    ...(description !== null && { description }),
    ...(isComposite(composites) && { composite: true, composites: contents(needs, composites) }),
  }));
  const isDone = needs.isDryRun || (await partialImport(needs, { ifResourceExists: "SKIP", roles: { realm } })) !== undefined;
  if (isDone) needs.tally.count("roles", "made", roles.length);
  else for (const { name } of roles) needs.tally.tell("roles", "failed", `"${name}" was refused, perhaps for a client that a role contains roles of`);
}

function contents({ rest }: IdentityNeeds, composites: Roles): Roles {
  return { ...composites, realm: inRealm(composites.realm, rest.realm) };
}

async function contentsOf(needs: IdentityNeeds, id: string): Promise<Roles> {
  const { rest } = needs;
  const found: Roles = { realm: [], client: {} };
  for (const { name, clientRole, containerId } of await rest.read(newCall(needs), { path: path`/roles-by-id/${id}/composites` }, ContentsSchema)) {
    if (!clientRole) found.realm.push(name);
    else {
      const { clientId } = await rest.read(newCall(needs), { path: path`/clients/${containerId}` }, ClientSchema);
      found.client[clientId] = [...(found.client[clientId] ?? []), name];
    }
  }
  return found;
}

function isComposite({ realm, client }: Roles): boolean {
  return realm.length > 0 || Object.keys(client).length > 0;
}
