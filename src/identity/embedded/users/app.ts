import { Hono } from "hono";
import { demand, may, type Admin } from "../access.ts";
import { readJson } from "../json.ts";
import { refuseOtherMethods } from "../methods.ts";
import type { Realm } from "../realm.ts";
import { notFound } from "../refusal.ts";
import { endSession, endSessionsOfUser, listSessions } from "../sessions/store.ts";
import { changeUser, createUser, requireUser, resetPassword } from "./accounts.ts";
import { userQuery } from "./query.ts";
import { detailedAccess, userRepresentation } from "./representation.ts";
import { CREDENTIAL_REPRESENTATION, credentialSchema, USER_REPRESENTATION, userSchema } from "./schema.ts";
import { countUsers, deleteUser, findUsers } from "./store.ts";

/** `/admin/realms/{realm}/users`. */
export function usersAdmin(realm: Realm): Hono<Admin> {
  const app = new Hono<Admin>();

  app.get("/", async (c) => {
    demand(c, "view-users", "manage-users", "query-users");
    // Who may only query sees nobody: fine-grained permissions, which would show some, do not exist here.
    if (!may(c, "view-users", "manage-users")) return c.json([]);
    const found = await findUsers(realm.db, userQuery(new URL(c.req.url).searchParams));
    return c.json(found.map((user) => userRepresentation(user, { manage: may(c, "manage-users") })));
  });

  app.post("/", async (c) => {
    const input = await readJson(c, userSchema, USER_REPRESENTATION);
    demand(c, "manage-users");
    const id = await createUser(realm, input);
    return c.body(null, 201, { location: new URL(`/admin/realms/${realm.name}/users/${id}`, c.req.url).href });
  });

  app.get("/count", async (c) => {
    demand(c, "view-users", "manage-users");
    return c.json(await countUsers(realm.db, userQuery(new URL(c.req.url).searchParams)));
  });

  app.get("/:id", async (c) => {
    demand(c, "view-users", "manage-users");
    const user = await requireUser(realm, c.req.param("id"));
    return c.json(userRepresentation(user, detailedAccess(may(c, "manage-users"))));
  });

  app.put("/:id", async (c) => {
    const input = await readJson(c, userSchema, USER_REPRESENTATION);
    demand(c, "manage-users");
    await changeUser(realm, c.req.param("id"), input);
    return c.body(null, 204);
  });

  app.delete("/:id", async (c) => {
    demand(c, "manage-users");
    const { id } = await requireUser(realm, c.req.param("id"));
    if (!(await deleteUser(realm.db, id))) throw notFound("User not found");
    return c.body(null, 204);
  });

  app.put("/:id/reset-password", async (c) => {
    const credential = await readJson(c, credentialSchema, CREDENTIAL_REPRESENTATION);
    demand(c, "manage-users");
    await resetPassword(realm, c.req.param("id"), credential);
    return c.body(null, 204);
  });

  app.post("/:id/logout", async (c) => {
    demand(c, "manage-users");
    const { id } = await requireUser(realm, c.req.param("id"));
    await endSessionsOfUser(realm.db, id);
    return c.body(null, 204);
  });

  app.get("/:id/sessions", async (c) => {
    demand(c, "view-users", "manage-users");
    const { id } = await requireUser(realm, c.req.param("id"));
    return c.json(await listSessions(realm.db, id, realm.now()));
  });

  return refuseOtherMethods(app);
}

/** `/admin/realms/{realm}/sessions`. */
export function sessionsAdmin(realm: Realm): Hono<Admin> {
  const app = new Hono<Admin>();
  app.delete("/:id", async (c) => {
    demand(c, "manage-users");
    // Sic.
    if (!(await endSession(realm.db, c.req.param("id")))) throw notFound("Sesssion not found");
    return c.body(null, 204);
  });
  return refuseOtherMethods(app);
}
