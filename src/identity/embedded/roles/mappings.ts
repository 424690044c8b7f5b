import { Hono } from "hono";
import { demand, may, type Admin } from "../access.ts";
import { requireClient } from "../clients/registry.ts";
import { readJson } from "../json.ts";
import { refuseOtherMethods } from "../methods.ts";
import type { Realm } from "../realm.ts";
import { forbidden, notFound } from "../refusal.ts";
import { requireUser } from "../users/accounts.ts";
import { roleReferencesSchema, roleRepresentation } from "./representation.ts";
import { addRoles, listRoles, removeRoles, rolesOfUser, type Mapping, type RoleReference } from "./store.ts";

/** `/admin/realms/{realm}/users/{id}/role-mappings`. */
export function roleMappingsAdmin(realm: Realm): Hono<Admin> {
  const app = new Hono<Admin>();

  app.get("/:id/role-mappings", async (c) => {
    demand(c, "view-users", "manage-users");
    const { id } = await requireUser(realm, c.req.param("id"));
    const all = await rolesOfUser(realm.db, id);
    const ofRealm = all.filter((role) => role.client === null);
    const owners = [...new Map(all.flatMap(({ client, clientId }) => (client && clientId ? [[clientId, client] as const] : [])))];
    return c.json({
      ...(ofRealm.length > 0 && { realmMappings: ofRealm.map((role) => roleRepresentation(role, realm.name)) }),
      ...(owners.length > 0 && {
        clientMappings: Object.fromEntries(
          owners.map(([clientId, client]) => [
            clientId,
            { id: client, client: clientId, mappings: all.filter((role) => role.client === client).map((role) => roleRepresentation(role, realm.name)) },
          ]),
        ),
      }),
    });
  });

  for (const [base, ownerOf] of [
    ["/:id/role-mappings/realm", async () => null],
    ["/:id/role-mappings/clients/:client", async (client: string) => requireClient(realm, client)],
  ] as const) {
    app.get(base, async (c) => {
      demand(c, "view-users", "manage-users");
      const { id } = await requireUser(realm, c.req.param("id"));
      const owner = await ownerOf(c.req.param("client") ?? "");
      const mapped = (await rolesOfUser(realm.db, id)).filter(({ client }) => client === (owner?.id ?? null));
      return c.json(mapped.map((role) => roleRepresentation(role, realm.name)));
    });

    app.get(`${base}/available`, async (c) => {
      demand(c, "view-users", "manage-users");
      const { id } = await requireUser(realm, c.req.param("id"));
      const owner = await ownerOf(c.req.param("client") ?? "");
      // What the caller could not map is not shown.
      if (!may(c, "manage-users")) return c.json([]);
      const mapped = new Set((await rolesOfUser(realm.db, id)).map((role) => role.id));
      const all = await listRoles(realm.db, { client: owner?.id ?? null, search: "", first: 0, max: undefined });
      const free = all.filter((role) => !mapped.has(role.id) && (owner?.clientId !== "realm-management" || mayGrant(c.var.rights, role.name)));
      return c.json(free.map((role) => roleRepresentation(role, realm.name)));
    });

    for (const [method, change] of [["POST", addRoles], ["DELETE", removeRoles]] as const) {
      app.on(method, base, async (c) => {
        const wanted = await readJson(c, roleReferencesSchema);
        demand(c, "manage-users");
        const { id } = await requireUser(realm, c.req.param("id"));
        const owner = await ownerOf(c.req.param("client") ?? "");
        if (owner?.clientId === "realm-management") checkGrants(c.var.rights, wanted);
        const mapping: Mapping = { user: id, client: owner?.id ?? null, wanted };
        if (!(await change(realm.db, mapping))) throw notFound("Role not found");
        return c.body(null, 204);
      });
    }
  }

  return refuseOtherMethods(app);
}

function checkGrants(rights: ReadonlySet<string>, wanted: RoleReference[]): void {
  if (!wanted.every(({ name }) => mayGrant(rights, name ?? ""))) throw forbidden();
}

/** Nobody hands on a right over the realm that is more than their own. */
function mayGrant(rights: ReadonlySet<string>, role: string): boolean {
  const managing = role === "create-client" ? "manage-clients" : role.replace(/^view-/, "manage-");
  return rights.has(role) || role.startsWith("query-") || rights.has(managing);
}
