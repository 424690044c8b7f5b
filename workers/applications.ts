import type * as z from "zod";
import type { ServiceName } from "../src/env.ts";
import type { processSettings } from "../src/settings/process.ts";

/** Service → its name in the registry, in configuration and in the log. */
export const APPLICATIONS: Record<ServiceName, string> = {
  gateway: "gateway",
  users: "user-service",
  auth: "auth-service",
  admin: "admin-service",
  discovery: "discovery-service",
  config: "config-server",
};

/** What the banner calls each. */
export const TITLES: Record<ServiceName, string> = {
  gateway: "Gateway",
  users: "User service",
  auth: "Authentication",
  admin: "Administration",
  discovery: "Discovery",
  config: "Configuration",
};

export function portsOf(given: z.infer<typeof processSettings>): Record<ServiceName, number> {
  return {
    gateway: given.GATEWAY_PORT,
    users: given.USERS_PORT,
    auth: given.AUTH_PORT,
    admin: given.ADMIN_PORT,
    discovery: given.DISCOVERY_PORT,
    config: given.CONFIG_PORT,
  };
}
