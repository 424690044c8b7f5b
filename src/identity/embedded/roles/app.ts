import { Hono } from "hono";
import { defaultRole } from "../../platform-realm.ts";
import { demand, may, type Admin } from "../access.ts";
import { readJson } from "../json.ts";
import { refuseOtherMethods } from "../methods.ts";
import { paging } from "../paging.ts";
import type { Realm } from "../realm.ts";
import { conflict, notFound, oauthError, Refusal, unforeseen } from "../refusal.ts";
import { isUuid } from "../users/accounts.ts";
import { userRepresentation } from "../users/representation.ts";
import { fullRoleRepresentation, ROLE_REPRESENTATION, roleRepresentation, roleSchema } from "./representation.ts";
import { deleteRole, findRole, getRole, insertRole, listRoles, rolesIn, updateRole, usersOfRole, type Role } from "./store.ts";

const MAX_LENGTH = 255;

/** `/admin/realms/{realm}/roles`. */
export function rolesAdmin(realm: Realm): Hono<Admin> {
  const app = new Hono<Admin>();

  app.get("/", async (c) => {
    demand(c, "view-realm", "manage-realm", "manage-identity-providers");
    const parameters = new URL(c.req.url).searchParams;
    const found = await listRoles(realm.db, { client: null, search: parameters.get("search") ?? "", ...paging(parameters, undefined) });
    const representation = parameters.get("briefRepresentation") === "false" ? fullRoleRepresentation : roleRepresentation;
    return c.json(found.map((role) => representation(role, realm.name)));
  });

  app.post("/", async (c) => {
    const input = await readJson(c, roleSchema, ROLE_REPRESENTATION);
    demand(c, "manage-realm");
    const role = checked(input);
    if (!(await insertRole(realm.db, role))) throw conflict(`Role with name ${role.name} already exists`);
    return c.body(null, 201, { location: new URL(`/admin/realms/${realm.name}/roles/${encodeURIComponent(role.name)}`, c.req.url).href });
  });

  app.get("/:name", async (c) => {
    demand(c, "view-realm", "manage-realm");
    return c.json(fullRoleRepresentation(await requireRole(realm, c.req.param("name")), realm.name));
  });

  app.put("/:name", async (c) => {
    const input = await readJson(c, roleSchema, ROLE_REPRESENTATION);
    demand(c, "manage-realm");
    const role = await requireRole(realm, c.req.param("name"));
    const changes = checked(input);
    if (!(await updateRole(realm.db, role.id, changes))) throw oauthError(409, "conflict", "Duplicate resource error");
    return c.body(null, 204);
  });

  app.delete("/:name", async (c) => {
    demand(c, "manage-realm");
    const name = c.req.param("name");
    if (name === defaultRole(realm.name)) throw new Refusal(400, { errorMessage: `${name} is default role of the realm and cannot be removed.` });
    if (!(await deleteRole(realm.db, name))) throw notFound("Could not find role");
    return c.body(null, 204);
  });

  app.get("/:name/users", async (c) => {
    demand(c, "view-realm", "manage-realm");
    demand(c, "view-users", "manage-users", "query-users");
    const role = await requireRole(realm, c.req.param("name"));
    if (!may(c, "view-users", "manage-users")) return c.json([]);
    const holders = await usersOfRole(realm.db, role.id, paging(new URL(c.req.url).searchParams, 100));
    return c.json(holders.map((user) => userRepresentation(user, { manage: may(c, "manage-users") })));
  });

  return refuseOtherMethods(app);
}

/** `/admin/realms/{realm}/roles-by-id`: for names that cannot stand in a path. */
export function rolesByIdAdmin(realm: Realm): Hono<Admin> {
  const app = new Hono<Admin>();
  app.get("/:id", async (c) => {
    demand(c, "view-realm", "manage-realm");
    return c.json(fullRoleRepresentation(await requireRoleById(realm, c.req.param("id")), realm.name));
  });
  app.get("/:id/composites", async (c) => {
    demand(c, "view-realm", "manage-realm");
    const { id } = await requireRoleById(realm, c.req.param("id"));
    return c.json((await rolesIn(realm.db, id)).map((role) => roleRepresentation(role, realm.name)));
  });
  return refuseOtherMethods(app);
}

async function requireRole(realm: Realm, name: string): Promise<Role> {
  const role = await findRole(realm.db, { name });
  if (!role) throw notFound("Could not find role");
  return role;
}

async function requireRoleById(realm: Realm, id: string): Promise<Role> {
  const role = isUuid(id) ? await getRole(realm.db, id) : undefined;
  if (!role) throw notFound("Could not find role with id");
  return role;
}

function checked({ name, description }: { name?: string | null; description?: string | null }) {
  if (name === null || name === undefined) throw new Refusal(400, { error: "role has no name" });
  if (name.length > MAX_LENGTH || (description?.length ?? 0) > MAX_LENGTH) throw unforeseen();
  return { name, description: description ?? null };
}
