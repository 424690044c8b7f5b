import type { ServiceName } from "../src/env.ts";
import type { Given } from "./environment.ts";

/** What the platform embeds unless a setting names a real one. */
export type System = "database" | "identity" | "secrets" | "broker";

type Systems = Record<System, "embedded" | "real" | undefined>;

const NEEDED_BY: Record<System, readonly ServiceName[]> = {
  database: ["users", "auth", "admin", "discovery"],
  identity: ["users", "auth", "admin", "config"],
  secrets: ["admin", "config"],
  broker: ["users", "auth", "admin"],
};

/** System → the setting that does without the embedded one. */
export const INSTEAD: Record<System, string> = { database: "DATABASE_URL", identity: "IDENTITY_URL", secrets: "SECRETS_URL", broker: "BROKER_URL" };

/** What the services of this process stand on; undefined where none of them needs it. */
export function systemsOf({ SERVICES, DATABASE_URL, IDENTITY_URL, SECRETS_URL, BROKER_URL, KAFKA_BROKERS }: Given): Systems {
  const kindOf = (system: System, real: string | undefined) => {
    if (!NEEDED_BY[system].some((name) => SERVICES.includes(name))) return undefined;
    return real ? "real" : "embedded";
  };
  return {
    database: kindOf("database", DATABASE_URL),
    identity: kindOf("identity", IDENTITY_URL),
    secrets: kindOf("secrets", SECRETS_URL),
    broker: kindOf("broker", BROKER_URL ?? KAFKA_BROKERS),
  };
}

export function embeddedIn(systems: Systems): System[] {
  return (Object.keys(systems) as System[]).filter((system) => systems[system] === "embedded");
}
