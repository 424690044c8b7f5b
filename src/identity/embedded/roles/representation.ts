import * as z from "zod";
import type { Role } from "./store.ts";

/** Keycloak's RoleRepresentation; `container` is the realm or, for a client's role, the client. */
export function roleRepresentation(role: Role, realm: string) {
  return {
    id: role.id,
    name: role.name,
    ...(role.description !== null && { description: role.description }),
    composite: role.isComposite,
    clientRole: role.client !== null,
    containerId: role.client ?? realm,
  };
}

/** With the attributes, which no role here has. */
export function fullRoleRepresentation(role: Role, realm: string) {
  return { ...roleRepresentation(role, realm), attributes: {} };
}

export const roleSchema = z.object({ name: z.string().nullish(), description: z.string().nullish() });

export const ROLE_REPRESENTATION = {
  name: "RoleRepresentation",
  fields: new Set(["id", "name", "description", "composite", "composites", "clientRole", "containerId", "attributes", "scopeParamRequired"]),
};

export const roleReferencesSchema = z.array(z.object({ id: z.string().nullish(), name: z.string().nullish() })).max(1000);
