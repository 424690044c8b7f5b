import { answer, body, route } from "../../http/route.ts";
import * as schema from "./schema.ts";

const access = { permission: "query-realm" };
const tags = ["Realm roles"];

export const listRealmRoles = route({
  access,
  method: "get",
  path: "/api/admin/realm-roles",
  operationId: "listRealmRoles",
  summary: "All roles of the realm",
  tags,
  responses: { 200: answer("The roles, by name", schema.Roles, { example: [schema.exampleRole, schema.exampleComposite] }) },
});

export const getRealmRole = route({
  access,
  method: "get",
  path: "/api/admin/realm-role",
  operationId: "getRealmRole",
  summary: "One role of the realm",
  tags,
  request: { query: schema.RoleQuery },
  responses: { 200: answer("The role", schema.Role, { example: schema.exampleRole }) },
  problems: ["IDP_ROLE_NOT_FOUND_404"],
});

export const createRealmRole = route({
  access,
  method: "post",
  path: "/api/admin/realm-roles",
  operationId: "createRealmRole",
  summary: "Create a role of the realm",
  description: "Names may have spaces, slashes and any letters; case counts.",
  tags,
  request: { body: body(schema.NewRole, { example: { name: "AUDITOR", description: "May read everything" } }) },
  responses: { 200: answer("Created", schema.RoleCreated, { example: { responseCode: "IDP_ROLE_CREATED_200", responseMessage: "Role created" } }) },
  problems: ["IDP_ROLE_ALREADY_EXISTS_409"],
});
