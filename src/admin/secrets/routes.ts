import { answer, body, route } from "../../http/route.ts";
import { Service, VaultResponse } from "../schema.ts";
import * as schema from "./schema.ts";

const access = { permission: "vault-ops" };
const tags = ["Secrets"];
const path = "/api/admin/vault-secrets";

export const createSecrets = route({
  access,
  method: "post",
  path,
  operationId: "createSecrets",
  summary: "Write secrets of a service",
  description: "One atomic write at `secret/platform/{service}/dev`: all entries or none, one new version; other keys there stay.",
  tags,
  request: { body: body(schema.NewSecrets, { example: schema.exampleSecrets }) },
  responses: { 200: answer("Written: `VAULT_SECRET_CREATED_200`", VaultResponse, { example: { responseCode: "VAULT_SECRET_CREATED_200", responseMessage: "Secrets written" } }) },
  problems: ["VAULT_SECRET_CONFLICT_409"],
});

export const updateSecrets = route({
  access,
  method: "put",
  path,
  operationId: "updateSecrets",
  summary: "Change secrets of a service that has some",
  description: "Merges the given keys, all or none; other keys stay.",
  tags,
  request: { body: body(schema.NewSecrets, { example: schema.exampleSecrets }) },
  responses: { 200: answer("Changed: `VAULT_SECRET_UPDATED_200`", VaultResponse, { example: { responseCode: "VAULT_SECRET_UPDATED_200", responseMessage: "Secrets changed" } }) },
  problems: ["VAULT_SECRET_NOT_FOUND_404"],
});

export const getSecrets = route({
  access,
  method: "get",
  path,
  operationId: "getSecrets",
  summary: "All secrets of a service",
  tags,
  request: { query: Service },
  responses: { 200: answer("Key → value, not to be stored", schema.Secrets, { example: { "spring.datasource.password": "a-value-that-nobody-guesses" } }) },
  problems: ["VAULT_SECRET_NOT_FOUND_404"],
});

export const deleteSecrets = route({
  access,
  method: "delete",
  path,
  operationId: "deleteSecrets",
  summary: "Delete all secrets of a service",
  description: "With all their versions: they cannot be brought back. A service without secrets is answered alike.",
  tags,
  request: { query: Service },
  responses: { 200: answer("Deleted: `VAULT_SECRET_DELETED_200`", VaultResponse, { example: { responseCode: "VAULT_SECRET_DELETED_200", responseMessage: "Secrets deleted" } }) },
});
