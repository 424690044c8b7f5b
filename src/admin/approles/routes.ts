import { answer, body, route } from "../../http/route.ts";
import { VaultResponse } from "../schema.ts";
import * as schema from "./schema.ts";

const access = { permission: "vault-ops" };
const tags = ["AppRoles"];

export const listAppRoles = route({
  access,
  method: "get",
  path: "/api/admin/vault-approle",
  operationId: "listAppRoles",
  summary: "The names of all AppRoles",
  tags,
  responses: { 200: answer("The names; an empty array when there are none", schema.AppRoleNames, { example: ["admin-service", "order-service"] }) },
});

// Before `{role}`, which matches it too.
export const issueSecretId = route({
  access,
  method: "get",
  path: "/api/admin/vault-approle/secrets",
  operationId: "issueSecretId",
  summary: "A fresh secret-id of an AppRole",
  description:
    "Every call makes one more credential, which lasts as long as those made with the AppRole: to rotate after expiry. " +
    "Neither cached nor repeated; a call whose answer is lost may have made one that nobody knows.",
  tags,
  request: { query: schema.AppRole },
  responses: { 200: answer("The credentials", schema.Credentials, { example: schema.exampleCredentials }) },
  problems: ["VAULT_APPROLE_NOT_FOUND_404"],
});

export const getAppRole = route({
  access,
  method: "get",
  path: "/api/admin/vault-approle/{role}",
  operationId: "getAppRole",
  summary: "The details of an AppRole",
  tags,
  request: { params: schema.Role },
  responses: { 200: answer("The details as the secrets store has them, times in seconds", schema.Details, { example: schema.exampleDetails }) },
  problems: ["VAULT_APPROLE_NOT_FOUND_404"],
});

export const createAppRole = route({
  access,
  method: "post",
  path: "/api/admin/vault-approle",
  operationId: "createAppRole",
  summary: "Create an AppRole",
  description:
    "Its tokens last an hour, renewed at most four. An existing AppRole is never changed. Should the call fail after the AppRole " +
    "was made, it is removed again; where not even that is possible, `GET /api/admin/vault-approle/secrets` answers its credentials.",
  tags,
  request: { body: body(schema.NewAppRole, { example: { roleName: "order-service", policies: ["order-service-policy"] } }) },
  responses: { 200: answer("Created", schema.Credentials, { example: schema.exampleCredentials }) },
  problems: ["VAULT_APPROLE_ALREADY_EXISTS_409"],
});

export const deleteAppRole = route({
  access,
  method: "delete",
  path: "/api/admin/vault-approle",
  operationId: "deleteAppRole",
  summary: "Delete an AppRole",
  description: "Its secret-ids end with it; tokens that were issued last until they run out.",
  tags,
  request: { query: schema.Role },
  responses: { 200: answer("Deleted: `VAULT_APPROLE_DELETED_200`", VaultResponse, { example: { responseCode: "VAULT_APPROLE_DELETED_200", responseMessage: "AppRole deleted" } }) },
  problems: ["VAULT_APPROLE_NOT_FOUND_404"],
});
