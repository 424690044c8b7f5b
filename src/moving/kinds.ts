import * as z from "zod";
import { PLATFORM_ROLES, PLATFORM_SERVICES } from "../identity/platform-realm.ts";
import { PLATFORM_APPROLES } from "../secrets/platform-policies.ts";

/** Raised when what is written can no longer be read by what was written before. */
export const FORMAT = 1;

/** What is not rows. */
export type Kind = "roles" | "clients" | "users" | "policies" | "approles" | "secrets" | "topics" | "events";

/** The platform's own tables, in the order in which their rows are imported: each may refer to those before it. */
export const TABLES = [
  "users.users",
  "users.abandoned",
  "users.login_guards",
  "events.outbox",
  "events.positions",
  "events.handled",
  "events.given_up",
  "events.revocations",
  "events.revocation_version",
  "admin.client_creations",
  "admin.approle_creations",
  "admin.audit_entries",
  "webhooks.endpoints",
  "webhooks.deliveries",
] as const;

export type Table = (typeof TABLES)[number];

/**
 * Schemas whose tables stay behind: those of the embedded servers, and the registry, which its instances fill again with their
 * next heartbeat. The head of the audit log follows its entries.
 */
export const LEFT_BEHIND = ["identity", "secrets", "broker", "discovery", "drizzle"] as const;

/** Roles, clients, policies and AppRoles of the platform itself: `npm run provision` makes the real ones. */
export const OWN_ROLES: string[] = PLATFORM_ROLES.map(({ name }) => name);
export const OWN_CLIENTS: string[] = [...PLATFORM_SERVICES];
export const OWN_POLICIES: string[] = Object.values(PLATFORM_APPROLES);
export const OWN_APPROLES = Object.keys(PLATFORM_APPROLES);

/** Installation secrets that rows were sealed or hashed with. */
export const KEYS = ["LOGIN_GUARD_KEY", "WEBHOOK_KEY"] as const;

export const ManifestSchema = z.object({
  format: z.number(),
  madeAt: z.string(),
  /** The last migration: rows fit tables of the same one only. */
  migration: z.string(),
  /** Of the broker that positions and sent events speak of; null where nobody has asked it for anything yet. */
  cluster: z.string().nullable(),
  /** Name of a file → its lines. */
  lines: z.record(z.string(), z.number()),
});

export type Manifest = z.infer<typeof ManifestSchema>;
