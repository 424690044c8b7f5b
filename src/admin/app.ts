import type { Broker } from "../broker/kafka-rest.ts";
import type { RecordReader } from "../broker/reading.ts";
import type { Database } from "../database/client.ts";
import { serveAsyncApi } from "../events/asyncapi-app.ts";
import type { Consumer } from "../events/consumer.ts";
import { beginCall } from "../http/call.ts";
import { shell, type ShellNeeds } from "../http/shell.ts";
import type { IdentityAdministration } from "../identity/administration.ts";
import type { SecretsStore } from "../secrets/vault.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import { approleOperations } from "./approles/app.ts";
import { auditLogOperations } from "./audit-log/app.ts";
import { audit } from "./audit.ts";
import { auditStore } from "./audit-store.ts";
import { clientOperations } from "./clients/app.ts";
import { sweepCreations } from "./clients/creation.ts";
import { creationStore } from "./clients/creation-store.ts";
import { eventOperations } from "./events/app.ts";
import { operations } from "./operate.ts";
import type { Permissions } from "./permissions.ts";
import { policyOperations } from "./policies/app.ts";
import { roleOperations } from "./roles/app.ts";
import { secretOperations } from "./secrets/app.ts";
import { streamOperations } from "./stream/app.ts";
import { topicOperations } from "./topics/app.ts";
import { webhookOperations } from "./webhooks/app.ts";

export type AdminNeeds = Pick<ShellNeeds, "now" | "log" | "verify" | "health" | "timeout" | "documentationScript" | "metrics" | "metricsAccess" | "sharesPending"> & {
  db: Database;
  identity: IdentityAdministration;
  secrets: SecretsStore;
  broker: Broker;
  permissions: Permissions;
  /** Service → the text of its `{service}-policy.hcl`. */
  policies: Readonly<Record<string, string>>;
  /** Seconds, or a duration such as `720h`, that a new AppRole's secret-ids last. */
  secretIdTtl: number | string;
  newId: () => string;
  /** Brings what happened into the audit log. */
  auditTrail: Pick<Consumer, "run">;
  webhooks: Webhooks;
  /** What the stream of events reads. */
  reader: RecordReader;
  /** Waits for so many milliseconds; by a timer unless given. */
  pause?: (milliseconds: number) => Promise<void>;
};

const DESCRIPTION =
  "Clients and realm roles, AppRoles, secrets and their policies, topics, the audit log, webhooks and the stream of events. Every operation needs a role that the configuration gives for its area, " +
  "`ROLE_ADMIN` unless it says otherwise, and every call leaves an audit event, without values.";
const TAGS = {
  Clients: "Clients of services at the identity provider.",
  "Realm roles": "The roles that tokens carry.",
  AppRoles: "What services log in to the secrets store with.",
  Secrets: "Key and value, by service.",
  Policies: "What each service may do at the secrets store.",
  Topics: "Of the message broker.",
  Events: "As they happen; and those that the broker would not take.",
  Webhooks: "URLs outside that events are sent to, signed as Standard Webhooks says.",
  "Audit log": "Who did what, in a chain of hashes.",
};

/** The administration service, and `sweep`, which is to run every few seconds. */
export function admin(needs: AdminNeeds) {
  const { db, now, timeout, auditTrail } = needs;
  const audited = audit({ ...needs, audits: auditStore(db) });
  const creating = { ...needs, creations: creationStore(db) };
  const { app, on } = shell({
    ...needs,
    around: audited.around,
    name: "admin-service",
    title: "Administration service",
    description: DESCRIPTION,
    tags: TAGS,
  });
  serveAsyncApi(app, { title: "Administration service", source: "/admin-service" });
  const operate = operations(on, audited);
  clientOperations(operate, creating);
  roleOperations(operate, needs);
  approleOperations(operate, needs);
  secretOperations(operate, needs);
  policyOperations(operate, needs);
  topicOperations(operate, needs);
  eventOperations(operate, needs);
  auditLogOperations(operate, needs);
  webhookOperations(operate, needs);
  streamOperations(operate, needs);

  return {
    app,
    async sweep(): Promise<void> {
      // Neither waits for a system that only the other needs.
      const swept = await Promise.allSettled([auditTrail.run(), sweepCreations(creating, beginCall(new Headers(), { now: now(), limit: timeout }))]);
      for (const result of swept) if (result.status === "rejected") throw result.reason;
    },
  };
}
