import * as z from "zod";

const names = z.array(z.string());
/** Realm roles, and roles of clients by client id. */
const roles = z.object({ realm: names, client: z.record(z.string(), names) });

export const RoleSchema = z.object({ name: z.string(), description: z.string().nullable(), composites: roles });

/** Keycloak's ClientRepresentation, and what its service account may do; null without one. */
export const ClientSchema = z.object({
  client: z.looseObject({ id: z.string(), clientId: z.string(), attributes: z.record(z.string(), z.string()) }),
  serviceRoles: roles.nullable(),
});

/** Keycloak's UserRepresentation. */
export const UserSchema = z.object({
  id: z.string(),
  username: z.string(),
  email: z.string().optional(),
  emailVerified: z.boolean(),
  firstName: z.string().optional(),
  lastName: z.string().optional(),
  enabled: z.boolean(),
  createdTimestamp: z.number(),
  requiredActions: names,
  credentials: z.array(z.object({ type: z.string(), secretData: z.string(), credentialData: z.string() })),
  realmRoles: names,
  clientRoles: z.record(z.string(), names),
});

export const PolicySchema = z.object({ name: z.string(), policy: z.string() });

export const AppRoleSchema = z.object({
  name: z.string(),
  roleId: z.string(),
  settings: z.object({
    token_policies: names,
    token_ttl: z.number(),
    token_max_ttl: z.number(),
    token_num_uses: z.number(),
    token_no_default_policy: z.boolean(),
    secret_id_ttl: z.number(),
    secret_id_num_uses: z.number(),
  }),
});

/** A document of a KV version 2 engine with the versions that were kept and not destroyed, the oldest first. */
export const SecretSchema = z.object({
  path: z.string(),
  settings: z.object({ max_versions: z.number(), cas_required: z.boolean(), custom_metadata: z.record(z.string(), z.string()).nullable() }),
  versions: z.array(z.object({ data: z.record(z.string(), z.unknown()).nullable(), isDeleted: z.boolean() })),
});

export const TopicSchema = z.object({ name: z.string(), partitions: z.number(), configs: z.record(z.string(), z.string()) });

/** An event that was sent and that some consumer of the platform has not read. */
export const EventSchema = z.object({
  id: z.string(),
  topic: z.string(),
  type: z.string(),
  key: z.string(),
  data: z.record(z.string(), z.unknown()),
  traceparent: z.string().nullable(),
  createdAt: z.string(),
});

export type Roles = z.infer<typeof roles>;
export type Role = z.infer<typeof RoleSchema>;
export type MovedClient = z.infer<typeof ClientSchema>;
export type MovedUser = z.infer<typeof UserSchema>;
export type Policy = z.infer<typeof PolicySchema>;
export type AppRole = z.infer<typeof AppRoleSchema>;
export type Secret = z.infer<typeof SecretSchema>;
export type Topic = z.infer<typeof TopicSchema>;
export type UnreadEvent = z.infer<typeof EventSchema>;
