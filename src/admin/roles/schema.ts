import { z } from "@hono/zod-openapi";
import { oneLine } from "../../http/line.ts";

/** As the identity provider counts: beyond it fails without a reason. */
const MAX_LENGTH = 255;

const printing = oneLine.max(MAX_LENGTH, `Use at most ${MAX_LENGTH} characters`).refine((text) => text.isWellFormed(), "Must not have control characters");

/** Any text that survives as one segment of a path: what servers between fold away, encoded or not, does not. */
const RoleName = printing
  .min(1, "Must not be empty")
  .refine((text) => text === text.trim(), "Must not begin or end with a space")
  .refine((text) => !/^(\.|%2e){1,2}$/i.test(text), "Must not be one or two dots")
  .openapi({ example: "AUDITOR" });

export const RoleQuery = z.object({ roleName: RoleName });

export const NewRole = z
  .object({ name: RoleName, description: printing.openapi({ example: "May read everything" }) })
  .openapi("CreateRoleDto");

export const Role = z
  .object({
    composite: z.boolean(),
    name: z.string().openapi({ example: "AUDITOR" }),
    description: z.string().nullable().openapi({ example: "May read everything" }),
    composites: z
      .object({ realm: z.array(z.string()), client: z.record(z.string(), z.array(z.string())) })
      .openapi({ description: "What a composite role contains: realm roles, and roles of clients by client id.", example: { realm: ["READER"], client: { account: ["view-profile"] } } }),
    attributes: z.record(z.string(), z.array(z.string())).openapi({ example: { department: ["finance"] } }),
  })
  .openapi("IdpRole");

export const exampleRole = { composite: false, name: "AUDITOR", description: "May read everything", composites: { realm: [], client: {} }, attributes: { department: ["finance"] } };
export const exampleComposite = {
  composite: true,
  name: "SUPERVISOR",
  description: null,
  composites: { realm: ["AUDITOR"], client: { account: ["view-profile"] } },
  attributes: {},
};

export const Roles = z.array(Role);

export const RoleCreated = z
  .object({ responseCode: z.literal("IDP_ROLE_CREATED_200"), responseMessage: z.string().openapi({ example: "Role created" }) })
  .openapi("IdpResponse");
