import { Hono } from "hono";
import { demand, may, type Admin } from "../access.ts";
import { readJson } from "../json.ts";
import { refuseOtherMethods } from "../methods.ts";
import { paging } from "../paging.ts";
import type { Realm } from "../realm.ts";
import { notFound, Refusal } from "../refusal.ts";
import { fullRoleRepresentation, roleRepresentation } from "../roles/representation.ts";
import { findRole, listRoles } from "../roles/store.ts";
import { userRepresentation } from "../users/representation.ts";
import type { Client } from "./client.ts";
import { changeClient, createClient, newSecret, requireClient } from "./registry.ts";
import { CLIENT_REPRESENTATION, clientSchema } from "./schema.ts";
import { deleteClient, findServiceAccount, listClients, setSecret } from "./store.ts";

/** `/admin/realms/{realm}/clients`. */
export function clientsAdmin(realm: Realm): Hono<Admin> {
  const app = new Hono<Admin>();

  app.get("/", async (c) => {
    demand(c, "view-clients", "manage-clients", "query-clients");
    if (!may(c, "view-clients", "manage-clients")) return c.json([]);
    const parameters = new URL(c.req.url).searchParams;
    const clientId = parameters.get("clientId") ?? undefined;
    const found = await listClients(realm.db, { clientId, isInfix: parameters.get("search") === "true", ...paging(parameters, undefined) });
    return c.json(found.map((client) => clientRepresentation(client, may(c, "manage-clients"))));
  });

  app.post("/", async (c) => {
    const input = await readJson(c, clientSchema, CLIENT_REPRESENTATION);
    demand(c, "manage-clients");
    const id = await createClient(realm, input);
    return c.body(null, 201, { location: new URL(`/admin/realms/${realm.name}/clients/${id}`, c.req.url).href });
  });

  app.get("/:id", async (c) => {
    demand(c, "view-clients", "manage-clients");
    return c.json(clientRepresentation(await requireClient(realm, c.req.param("id")), may(c, "manage-clients")));
  });

  app.put("/:id", async (c) => {
    const input = await readJson(c, clientSchema, CLIENT_REPRESENTATION);
    demand(c, "manage-clients");
    await changeClient(realm, await requireClient(realm, c.req.param("id")), input);
    return c.body(null, 204);
  });

  app.delete("/:id", async (c) => {
    demand(c, "manage-clients");
    const { id } = await requireClient(realm, c.req.param("id"));
    if (!(await deleteClient(realm.db, id))) throw notFound("Could not find client");
    return c.body(null, 204);
  });

  app.get("/:id/client-secret", async (c) => {
    demand(c, "view-clients", "manage-clients");
    const { secret } = await requireClient(realm, c.req.param("id"));
    return c.json({ type: "secret", ...(secret !== null && { value: secret }) }, 200, { "cache-control": "no-cache" });
  });

  app.post("/:id/client-secret", async (c) => {
    demand(c, "manage-clients");
    const { id } = await requireClient(realm, c.req.param("id"));
    const secret = newSecret();
    if (!(await setSecret(realm.db, id, secret))) throw notFound("Could not find client");
    return c.json({ type: "secret", value: secret });
  });

  app.get("/:id/client-secret/rotated", async (c) => {
    demand(c, "view-clients", "manage-clients");
    await requireClient(realm, c.req.param("id"));
    throw notFound("Client does not have a rotated secret");
  });

  app.get("/:id/service-account-user", async (c) => {
    demand(c, "view-clients", "manage-clients");
    const client = await requireClient(realm, c.req.param("id"));
    const account = await findServiceAccount(realm.db, client.id);
    if (!account) throw new Refusal(400, { error: `Service account not enabled for the client '${client.clientId}'` });
    return c.json(userRepresentation(account.user));
  });

  app.get("/:id/roles", async (c) => {
    demand(c, "view-clients", "manage-clients");
    const { id } = await requireClient(realm, c.req.param("id"));
    const found = await listRoles(realm.db, { client: id, search: "", first: 0, max: undefined });
    return c.json(found.map((role) => roleRepresentation(role, realm.name)));
  });

  app.get("/:id/roles/:name", async (c) => {
    demand(c, "view-clients", "manage-clients");
    const { id } = await requireClient(realm, c.req.param("id"));
    const role = await findRole(realm.db, { name: c.req.param("name"), client: id });
    if (!role) throw notFound("Could not find role");
    return c.json(fullRoleRepresentation(role, realm.name));
  });

  return refuseOtherMethods(app);
}

function clientRepresentation({ id, clientId, enabled, secret, settings }: Client, isManageable: boolean) {
  return {
    id,
    clientId,
    ...settings,
    enabled,
    ...(secret !== null && { secret }),
    access: { view: true, configure: isManageable, manage: isManageable },
  };
}
