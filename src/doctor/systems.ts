import type { Table } from "./finding.ts";
import { brokerFindings } from "./findings/broker.ts";
import { databaseFindings } from "./findings/database.ts";
import { identityFindings } from "./findings/identity.ts";
import { redisFindings } from "./findings/redis.ts";
import { secretsFindings } from "./findings/secrets.ts";
import { servicesFindings } from "./findings/services.ts";
import { settingsFindings } from "./findings/settings.ts";

/** Every system there is, in the order of the report: what people call it, and all that can be found of it. */
export const SYSTEMS = {
  settings: { title: "Settings", table: settingsFindings },
  database: { title: "Database", table: databaseFindings },
  identity: { title: "Identity provider", table: identityFindings },
  secrets: { title: "Secrets store", table: secretsFindings },
  broker: { title: "Broker", table: brokerFindings },
  redis: { title: "Redis", table: redisFindings },
  services: { title: "Services", table: servicesFindings },
} as const satisfies Record<string, { title: string; table: Table }>;

export type SystemName = keyof typeof SYSTEMS;
