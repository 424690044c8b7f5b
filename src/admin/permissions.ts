import * as z from "zod";

/** The labels of the administration areas: clients; realm roles; AppRoles, secrets and policies; topics; the audit log; events that were set aside; webhooks; the stream of events. */
type Permission = "create-client" | "query-realm" | "vault-ops" | "kafka-ops" | "audit-read" | "events-ops" | "webhook-ops" | "events-read";

/** The roles, with their prefix `ROLE_`, of which one is enough for what the label covers. */
export type Permissions = Record<Permission, readonly string[]>;

const roles = z
  .array(z.string().trim().min(1, "Name the roles"))
  .transform((names) => names.map((name) => (name.startsWith("ROLE_") ? name : `ROLE_${name}`)))
  .default(["ROLE_ADMIN"]);

/** A table of labels as it stands in a configuration; a label it leaves out needs `ROLE_ADMIN`. */
export const PermissionsSchema: z.ZodType<Permissions, unknown> = z.strictObject({
  "create-client": roles,
  "query-realm": roles,
  "vault-ops": roles,
  "kafka-ops": roles,
  "audit-read": roles,
  "events-ops": roles,
  "webhook-ops": roles,
  "events-read": roles,
});
