import { z } from "@hono/zod-openapi";

/** What stands in a path of the identity provider or the secrets store; all else is refused before a URL is built. */
export const Name = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, "Use 1 to 63 lower-case letters, digits and hyphens, a hyphen neither first nor last");

export const Service = z.object({ service: Name.openapi({ example: "order-service" }) });

export const VaultResponse = z
  .object({
    responseCode: z.enum([
      "VAULT_APPROLE_DELETED_200",
      "VAULT_SECRET_CREATED_200",
      "VAULT_SECRET_UPDATED_200",
      "VAULT_SECRET_DELETED_200",
      "VAULT_POLICY_CREATED_200",
      "VAULT_POLICY_DELETED_200",
    ]),
    responseMessage: z.string().openapi({ example: "Secrets written" }),
  })
  .openapi("VaultResponseDto");

