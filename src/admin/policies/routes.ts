import { z } from "@hono/zod-openapi";
import { answer, route } from "../../http/route.ts";
import { Service, VaultResponse } from "../schema.ts";

const access = { permission: "vault-ops" };
const tags = ["Policies"];
const path = "/api/admin/vault/policies";

export const listPolicies = route({
  access,
  method: "get",
  path,
  operationId: "listPolicies",
  summary: "The names of all policies",
  tags,
  responses: { 200: answer("The names", z.array(z.string()), { example: ["default", "root", "user-service-policy"] }) },
});

export const createPolicy = route({
  access,
  method: "post",
  path,
  operationId: "createPolicy",
  summary: "Write the policy of a service",
  description: "From the file `{service}-policy.hcl` that this service was given; an existing policy is brought in line with it.",
  tags,
  request: { query: Service },
  responses: { 200: answer("Written: `VAULT_POLICY_CREATED_200`", VaultResponse, { example: { responseCode: "VAULT_POLICY_CREATED_200", responseMessage: "Policy written" } }) },
  problems: ["VAULT_POLICY_NOT_FOUND_404"],
});

export const deletePolicy = route({
  access,
  method: "delete",
  path,
  operationId: "deletePolicy",
  summary: "Delete the policy of a service",
  description: "Tokens that have it lose what it gives at once.",
  tags,
  request: { query: Service },
  responses: { 200: answer("Deleted: `VAULT_POLICY_DELETED_200`", VaultResponse, { example: { responseCode: "VAULT_POLICY_DELETED_200", responseMessage: "Policy deleted" } }) },
  problems: ["VAULT_POLICY_NOT_FOUND_404"],
});
