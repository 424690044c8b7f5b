import { z } from "@hono/zod-openapi";
import { Name } from "../schema.ts";

/** An AppRole of this name could not be read: `GET /api/admin/vault-approle/secrets` is another operation. */
const TAKEN = "secrets";
/** All rights, and those of this service itself: whoever may create AppRoles shall not gain more than this interface gives. */
const RESERVED = ["root", "platform-admin"];
const MAX_POLICIES = 32;

const RoleName = Name.openapi({ example: "order-service" });

export const Role = z.object({ role: RoleName });
export const AppRole = z.object({ appRole: RoleName });

export const NewAppRole = z
  .object({
    roleName: RoleName.refine((name) => name !== TAKEN, `Must not be "${TAKEN}"`),
    policies: z
      .array(Name.refine((name) => !RESERVED.includes(name), `Must not be ${RESERVED.join(" or ")}`).openapi({ example: "order-service-policy" }))
      .min(1, "Give at least one policy")
      .max(MAX_POLICIES, `Give at most ${MAX_POLICIES} policies`)
      .refine((names) => new Set(names).size === names.length, "Give each policy once"),
  })
  .openapi("CreateAppRoleDto");

export const AppRoleNames = z.array(z.string().openapi({ example: "order-service" }));

export const exampleCredentials = { roleId: "c91273e0-8f52-4a5e-9f0b-7f1b6e1f2d3c", secretId: "4b2f7c1e-5d0a-4c7e-8a39-2f6d9e0b1a77" };

export const Credentials = z
  .object({
    roleId: z.string().openapi({ example: exampleCredentials.roleId }),
    secretId: z.string().openapi({ description: "Answered here and never again.", example: exampleCredentials.secretId }),
  })
  .openapi("AppRoleResponseDto");

export const exampleDetails = {
  data: { token_policies: ["order-service-policy"], token_ttl: 3600, token_max_ttl: 14_400, secret_id_ttl: 2_592_000 },
  leastDuration: 0,
  leaseId: "",
  requestId: "6d0ad6a5-7f4c-4b92-8f0a-1a7b9f7f2a61",
};

export const Details = z
  .object({
    data: z.record(z.string(), z.unknown()).openapi({ description: "The AppRole's settings under the secrets store's names", example: exampleDetails.data }),
    leastDuration: z.number().openapi({ description: "Seconds; what is read here has no lease", example: 0 }),
    leaseId: z.string().openapi({ example: "" }),
    requestId: z.string().openapi({ description: "Finds the call in the secrets store's audit", example: exampleDetails.requestId }),
  })
  .openapi("VaultApiResponseDto");
